"""How well cited pages were read from pictures, as answers say it."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from contracts.answer import Answer, Citation, PoorlyReadPage
from contracts.text import reading_confidence
from library.store import LibraryStore


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReading:
    """How well what is cited was read from a picture.

    ``confidence`` is the mean word confidence of the cited text in [0, 1], None where it was not read from a picture.
    ``trouble`` says why its page counts as poorly read, "" where it does not.
    """

    confidence: float | None = None
    trouble: str = ""


class PageReadingReporter(Protocol):
    """Knows how well pages were read."""

    async def report(self, citations: Sequence[Citation]) -> Mapping[int, PageReading]:
        """Return how well each citation's text was read, by number; those of which nothing is known are left out."""
        ...


class StoredPageReadings:
    """Knows from the library how well cited text was read."""

    def __init__(self, store: LibraryStore) -> None:
        self._store = store

    async def report(self, citations: Sequence[Citation]) -> Mapping[int, PageReading]:
        """Return how well each citation's text was read, by number.

        Raises:
            Unavailable: the database does not answer.
        """
        return await asyncio.to_thread(self._report, tuple(citations))

    def _report(self, citations: Sequence[Citation]) -> dict[int, PageReading]:
        chunks = self._store.chunks(list(dict.fromkeys(each.chunk_id for each in citations)))
        poor = self._store.ledger.poor_pages(list(dict.fromkeys(each.document_id for each in citations)))
        told: dict[int, PageReading] = {}
        for citation in citations:
            chunk = chunks.get(citation.chunk_id)
            boxes = chunk.boxes if chunk is not None else ()
            confidence = reading_confidence(
                box
                for box in boxes
                if any(box.span.start < span.end and span.start < box.span.end for span in citation.quote_spans)
            )
            pages = {page.page: page.reason for page in poor.get(citation.document_id, ())}
            trouble = pages.get(citation.page, "")
            if confidence is not None or trouble:
                told[citation.number] = PageReading(confidence=confidence, trouble=trouble)
        return told


def with_page_readings(answer: Answer, readings: Mapping[int, PageReading]) -> Answer:
    """Return ``answer`` with how well each citation's text was read, and the pages that were poorly read."""
    citations: list[Citation] = []
    poor: dict[tuple[str, int], PoorlyReadPage] = {}
    for citation in answer.citations:
        reading = readings.get(citation.number, PageReading())
        citations.append(citation.model_copy(update={"reading_confidence": reading.confidence}))
        if reading.trouble:
            place = (citation.document_id, citation.page)
            numbers = poor[place].citations if place in poor else ()
            poor[place] = PoorlyReadPage(
                document=citation.document_name,
                document_id=citation.document_id,
                page=citation.page,
                citations=(*numbers, citation.number),
                reason=reading.trouble,
            )
    return answer.model_copy(update={"citations": tuple(citations), "poor_pages": tuple(poor.values())})
