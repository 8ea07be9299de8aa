"""``golden-lab train``: from documents to models of one's own."""
