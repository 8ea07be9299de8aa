"""An empty library: what is searched where nothing is to be found."""

from collections.abc import Mapping, Sequence

from contracts.text import Passage
from tools.search.base import DocumentIds, Groups, Hit, LexicalIndex, PhraseUse


class EmptySearcher:
    """Brings no passage for any question."""

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
    """Knows no word."""

    def find(self, query: str, top_k: int, *, groups: Groups = None, documents: DocumentIds = None) -> tuple[Hit, ...]:
        """Return nothing."""
        return ()

    async def document_frequency(self, term: str, *, groups: Groups = None) -> int:
        """Return 0."""
        return 0

    async def near_spellings(self, term: str, limit: int = 5, *, groups: Groups = None) -> tuple[str, ...]:
        """Return nothing."""
        return ()

    def find_phrase(
        self, phrase: str, limit: int, *, as_written: bool = False, groups: Groups = None
    ) -> tuple[PhraseUse, ...]:
        """Return nothing."""
        return ()
