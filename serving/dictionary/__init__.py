"""The dictionary over HTTP: everything that its managers can do, under ``/api/dictionary``."""
