"""The dictionary over HTTP: everything that its managers do, under ``/api/dictionary``."""
