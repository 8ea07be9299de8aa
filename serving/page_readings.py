"""How well cited pages were read from pictures, as answers say it."""

from typing import TYPE_CHECKING

from contracts.answer import Answer, Citation, PoorlyReadPage
from contracts.text import reading_confidence

if TYPE_CHECKING:
    from library.store import LibraryStore


def with_page_readings(answer: Answer, library: "LibraryStore") -> Answer:
    """Return ``answer`` with how well each quoted text was read, and the pages that were poorly read. Blocking.

    Raises:
        Unavailable: the database does not answer.
    """
    chunks = library.chunks(list({each.chunk_id for each in answer.quoted}))
    poor = library.ledger.poor_pages(list({each.document_id for each in answer.quoted}))
    citations: list[Citation] = []
    pages: dict[tuple[str, int], PoorlyReadPage] = {}
    for citation in answer.quoted:
        chunk = chunks.get(citation.chunk_id)
        confidence = reading_confidence(
            box
            for box in (chunk.boxes if chunk is not None else ())
            if any(box.span.start < span.end and span.start < box.span.end for span in citation.quote_spans)
        )
        citations.append(citation.model_copy(update={"reading_confidence": confidence}))
        reasons = {page.page: page.reason for page in poor.get(citation.document_id, ())}
        if reason := reasons.get(citation.page, ""):
            place = (citation.document_id, citation.page)
            numbers = pages[place].citations if place in pages else ()
            pages[place] = PoorlyReadPage(
                document=citation.document_name,
                document_id=citation.document_id,
                page=citation.page,
                citations=(*numbers, citation.number),
                reason=reason,
            )
    quoted = "citations" if answer.citations else "closest"
    return answer.model_copy(update={quoted: tuple(citations), "poor_pages": tuple(pages.values())})
