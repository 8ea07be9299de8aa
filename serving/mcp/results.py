"""The results of the tools: answers, passages, pages of documents and meanings of terms, as agents need them."""

import asyncio
from collections.abc import Sequence
from typing import Any

from agent.mined_senses import holds_term
from agent.services import Services
from agent.steps.question import look_up_mention
from contracts.answer import Answer
from contracts.errors import NotFound
from contracts.jargon import Mention, Reading, Sense
from contracts.question import Asker
from contracts.search import Groups
from contracts.text import Chunk, Passage, Span
from library.store import LibraryStore

# A passage begins with the last sentence of the previous one; shorter overlaps are coincidences.
_LEAST_OVERLAP, _MOST_OVERLAP = 12, 2_000
_MOST_PLACES = 3
# How many passages with a meaning's words are checked for the term itself; few of them lack it.
_PASSAGES_READ = 20
_SENSE = {"term", "extended_name", "context", "description"}
_READING: dict[str, Any] = {
    **dict.fromkeys(("text", "term", "status", "probability", "reason", "suggestions"), True),
    "sense": _SENSE,
    "alternatives": {"__all__": _SENSE},
}
_PLACE = {"document_name", "document_id", "document_title", "page"}
_CITATION = {*_PLACE, "number", "heading_path", "quote"}
_ANSWER: dict[str, Any] = {
    **dict.fromkeys(("outcome", "text", "certainty", "missing", "augmented_question", "degraded"), True),
    "citations": {"__all__": _CITATION},
    "closest": {"__all__": _CITATION},
    "readings": {"__all__": _READING},
    "unknown_terms": {"__all__": {"text", "term", "suggestions"}},
    "options": {"__all__": {"number": True, "sense": _SENSE}},
}


def answer_values(answer: Answer) -> dict[str, Any]:
    """Return an answer; ``doubtful`` are the sentences that the documents do not support, or only in part."""
    values = answer.model_dump(mode="json", by_alias=True, include=_ANSWER)
    doubtful = [each for each in answer.sentences if each.label not in ("faithful", "no_claim")]
    return {**values, "doubtful": [each.model_dump(include={"text", "label", "reason"}) for each in doubtful]}


def reading_values(reading: Reading) -> dict[str, Any]:
    """Return how a term was interpreted."""
    return reading.model_dump(mode="json", include=_READING)


def passage_values(rank: int, passage: Passage) -> dict[str, Any]:
    """Return a passage that was found; its ``score`` is comparable only within one search."""
    chunk = passage.chunk
    return {
        "rank": rank,
        "document": passage.document_name,
        "document_id": chunk.document_id,
        "title": passage.document_title,
        "page": chunk.page,
        "last_page": chunk.last_page,
        "headings": list(chunk.heading_path),
        "text": chunk.text,
        "score": passage.score,
    }


async def read_page(library: LibraryStore, document_id: str, page: int, groups: Groups) -> dict[str, Any]:
    """Return the text of a page, and the number of ``pages`` in its document.

    Raises:
        NotFound: there is no such document among those that readers of ``groups`` may read, or it has no such page.
        Unavailable: the library cannot be read right now.
    """
    document = await asyncio.to_thread(library.document, document_id)
    if document is None or (groups is not None and document.group not in groups):
        # A document that the caller may not read is treated like a missing one.
        raise NotFound(f"There is no document {document_id[:100]!r} in the library: search_documents names their ids.")
    chunks = await asyncio.to_thread(library.document_chunks, document_id)
    standing = [each for each in chunks if each.kind == "passage" and each.page <= page <= each.last_page]
    if not standing and not 1 <= page <= document.pages:
        raise NotFound(f"{document.name} has {document.pages} pages: there is no page {page}.")
    place = {"document": document.name, "document_id": document.id, "title": document.title, "page": page}
    return {**place, "pages": document.pages, "text": _joined(standing) or "(No text on this page.)"}


def _joined(passages: Sequence[Chunk]) -> str:
    """Join the passages, with overlaps only once and each new heading above its text."""
    text = ""
    headings: tuple[str, ...] = ()
    for each in sorted(passages, key=lambda chunk: chunk.ordinal):
        if each.heading_path != headings:
            headings = each.heading_path
            title = f"# {' > '.join(headings)}\n\n" if headings else ""
            text += f"\n\n{title}{each.text}"
            continue
        common = _overlap(text, each.text)
        text += each.text[common:] if common else f"\n\n{each.text}"
    return text.strip()


def _overlap(text: str, following: str) -> int:
    longest = min(len(text), len(following), _MOST_OVERLAP)
    lengths = range(longest, _LEAST_OVERLAP - 1, -1)
    return next((length for length in lengths if text.endswith(following[:length])), 0)


async def look_up_term(
    term: str, reading: Reading | None, asker: Asker, services: Services, library: LibraryStore
) -> dict[str, Any]:
    """Return a term's meanings, each with pages that define it, and how it was interpreted in the given text."""
    senses = (await services.dictionary.senses([term])).get(term, ())
    drafts = () if senses else (await services.dictionary.drafts([term])).get(term, ())
    mention = Mention(text=term, span=Span(0, len(term)), term=term)
    found = await look_up_mention(mention, senses, drafts, asker, (), services)
    used = found.document_frequency or await asyncio.to_thread(
        services.lexical.document_frequency, term, groups=asker.groups
    )
    return {
        "term": term,
        "status": "dictionary" if senses else "documents" if used else "unknown",
        "senses": [
            {
                **each.model_dump(mode="json", exclude={"id", "term"}),
                "defined_at": await _defined_at(each, asker, services, library),
            }
            for each in (*senses, *found.mined)
        ],
        "used_in_passages": used,
        "near": list(found.suggestions),
        "read_as": reading_values(reading) if reading is not None else None,
    }


async def _defined_at(sense: Sense, asker: Asker, services: Services, library: LibraryStore) -> list[dict[str, Any]]:
    """Return pages that ``asker`` may read and that contain the term with its meaning."""
    uses = await asyncio.to_thread(
        services.lexical.find_phrase, sense.extended_name, _PASSAGES_READ, groups=asker.groups
    )
    telling = [each for each in uses if holds_term(each.text, sense.term)][:_MOST_PLACES]
    chunks = await asyncio.to_thread(library.chunks, [each.chunk_id for each in telling]) if telling else {}
    places = [
        {"document": each.document_name, "document_id": each.document_id, "page": chunks[each.chunk_id].page}
        for each in telling
        if each.chunk_id in chunks
    ]
    return [place for number, place in enumerate(places) if place not in places[:number]]
