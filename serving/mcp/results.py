"""What the tools return: the fields of the HTTP API that agents need."""

from typing import Any

from contracts.answer import Answer
from contracts.jargon import Reading
from contracts.text import Passage

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
    """Return a passage that was found; compare ``score`` only within one search."""
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
