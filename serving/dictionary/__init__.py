"""The dictionary over HTTP: everything that its manager does, under ``/api/dictionary``."""
