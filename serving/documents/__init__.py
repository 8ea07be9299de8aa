"""The documents over HTTP: upload, ingest, watch, list, show and remove, under ``/api/documents``."""
