"""The dictionary's page: what its manager does."""

from ui.dictionary.page import DictionaryPage

__all__ = ["DictionaryPage"]
