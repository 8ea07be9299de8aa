"""``golden-lab train``: makes your own models from your documents."""
