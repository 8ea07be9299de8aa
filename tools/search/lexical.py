"""Lexical search in the library's database."""

import asyncio

from library.lexical_search import SqlLexicalSearch
from tools.search.base import DocumentIds, Groups, Hit, LexicalIndex, PhraseUse


class StoredLexicalIndex(LexicalIndex):
    """Searches the words of the library's chunks in its own SQL database."""

    def __init__(self, lexical: SqlLexicalSearch) -> None:
        self._lexical = lexical

    def find(self, query: str, top_k: int, *, groups: Groups = None, documents: DocumentIds = None) -> tuple[Hit, ...]:
        return tuple(map(Hit._make, self._lexical.search(query, top_k, groups=groups, documents=documents)))

    async def document_frequency(self, term: str, *, groups: Groups = None) -> int:
        return await asyncio.to_thread(self._lexical.document_frequency, term, groups=groups)

    async def near_spellings(self, term: str, limit: int = 5, *, groups: Groups = None) -> tuple[str, ...]:
        return tuple(await asyncio.to_thread(self._lexical.near_spellings, term, limit, groups=groups))

    def find_phrase(
        self, phrase: str, limit: int, *, as_written: bool = False, groups: Groups = None
    ) -> tuple[PhraseUse, ...]:
        return tuple(
            PhraseUse(chunk_id=chunk_id, document_id=document_id, document_name=name, text=text)
            for chunk_id, document_id, name, text in self._lexical.passages_with(
                phrase, limit, as_written=as_written, groups=groups
            )
        )
