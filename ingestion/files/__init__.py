"""The files that are ingested: those in a folder or an archive, and what is known before they are read."""
