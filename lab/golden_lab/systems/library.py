"""The library that systems answer from: its gold passages, and the systems over it."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass

from agent.services import Services
from contracts.text import Chunk, Document, Passage, Span
from evaluation.quiz import QuizQuestion
from golden_lab.systems.golden import GoldenSystem, SearchParts, without_parts
from golden_lab.systems.simple import ClosedBookSystem, PassageGivenSystem, PlainRagSystem
from golden_lab.systems.values import System
from library.store import LibraryStore
from tools.chat.base import ChatModel
from tools.language import split_sentences


@dataclass(frozen=True, kw_only=True)
class Bench:
    """What systems are compared over: the bot's services, the parts of its search, and the chat model, if any."""

    services: Services
    parts: SearchParts
    chat: ChatModel | None = None

    def systems(self) -> tuple[System, ...]:
        """Return every system: the three simple ones, the bot whole, and the bot without each of its parts."""
        return (
            ClosedBookSystem(self.chat),
            PassageGivenSystem(self.services),
            PlainRagSystem(self.services),
            GoldenSystem(self.services),
            *without_parts(self.services, self.parts),
        )

    async def gold(self, question: QuizQuestion) -> tuple[Passage, ...]:
        """Return the passages of the pages that hold the answer to ``question``, in the documents' order."""
        return await asyncio.to_thread(gold_passages, self.parts.store, sorted(question.places))


def gold_passages(store: LibraryStore, places: Sequence[tuple[str, int]]) -> tuple[Passage, ...]:
    """Return the passages that stand on any of ``places`` (document name, page)."""
    found = []
    for document in store.documents():
        pages = [page for name, page in places if name == document.name]
        if pages:
            found += [
                passage_of(chunk, document)
                for chunk in store.document_chunks(document.id)
                if chunk.kind == "passage" and any(chunk.page <= page <= chunk.last_page for page in pages)
            ]
    return tuple(found)


def passage_of(chunk: Chunk, document: Document) -> Passage:
    """Return a chunk as a passage that was given, not found: its score is 1."""
    return Passage(
        chunk=chunk,
        document_name=document.name,
        document_title=document.title,
        score=1.0,
        sentences=_rows(chunk.text) if chunk.block_kind == "table" else split_sentences(chunk.text),
    )


def _rows(text: str) -> tuple[Span, ...]:
    """Return the spans of the lines: each row of a table is one statement."""
    spans, start = [], 0
    for line in text.splitlines(keepends=True):
        words = line.strip()
        if words:
            first = start + line.index(words)
            spans.append(Span(first, first + len(words)))
        start += len(line)
    return tuple(spans)
