"""The only place that names an implementation: settings in, a working application out."""

from golden_retriever.wiring.application import Application, open_application
from golden_retriever.wiring.indexes import open_dictionary, open_keys, open_library

__all__ = ["Application", "open_application", "open_dictionary", "open_keys", "open_library"]
