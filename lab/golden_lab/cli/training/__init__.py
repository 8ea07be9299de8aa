"""``golden-lab train``: from documents to your own models."""
