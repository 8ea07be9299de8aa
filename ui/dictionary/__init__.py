"""The dictionary's desk: what its manager does, over the HTTP API."""

from ui.dictionary.desk import DictionaryPage

__all__ = ["DictionaryPage"]
