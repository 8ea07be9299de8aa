"""The files that are ingested: how they are found in folders and archives before they are read."""
