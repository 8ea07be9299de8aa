"""An empty library, in which every search finds nothing."""

from collections.abc import Mapping, Sequence

from contracts.search import DocumentIds, Groups, Hit, PhraseUse
from contracts.text import Passage
from tools.search.base import LexicalIndex


class EmptySearcher:
    """Finds no passage for any question."""

    async def search(
        self,
        queries: Sequence[str],
        top_k: int,
        *,
        groups: Groups = None,
        documents: DocumentIds = None,
        jargon: Sequence[str] = (),
    ) -> tuple[Passage, ...]:
        """Return nothing."""
        return ()

    async def likeness(self, question: str, chunk_ids: Sequence[str]) -> Mapping[str, float]:
        """Compare nothing."""
        return {}


class EmptyLexicalIndex(LexicalIndex):
    """Contains no words."""

    def find(self, query: str, top_k: int, *, groups: Groups = None, documents: DocumentIds = None) -> tuple[Hit, ...]:
        """Return nothing."""
        return ()

    def document_frequency(self, term: str, *, groups: Groups = None) -> int:
        """Return 0."""
        return 0

    def near_spellings(self, term: str, limit: int = 5, *, groups: Groups = None) -> list[str]:
        """Return nothing."""
        return []

    def find_phrase(
        self, phrase: str, limit: int, *, as_written: bool = False, groups: Groups = None
    ) -> tuple[PhraseUse, ...]:
        """Return nothing."""
        return ()
