"""Search over the library's chunks."""

from tools.search.base import Fingerprint, Groups, Hit, LexicalIndex, PassageSearcher, PhraseUse, VectorIndex

__all__ = ["Fingerprint", "Groups", "Hit", "LexicalIndex", "PassageSearcher", "PhraseUse", "VectorIndex"]
