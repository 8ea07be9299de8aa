"""Golden Retriever: the launcher, the settings, the wiring and the command line."""

__version__ = "0.1.0"
