"""What the tools return: the fields of the HTTP API that agents need, and the same in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from contracts.answer import Answer
from contracts.jargon import Reading
from contracts.text import Passage
from serving.footer import footer_of

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
    "options": {"__all__": {"number", *_SENSE}},
}


def answer_values(answer: Answer) -> dict[str, Any]:
    """Return an answer; ``doubtful`` are the sentences that the documents do not support, or only in part."""
    values = answer.model_dump(mode="json", by_alias=True, include=_ANSWER)
    doubtful = [each for each in answer.sentences if each.label not in ("faithful", "no_claim")]
    return {**values, "doubtful": [each.model_dump(include={"text", "label", "reason"}) for each in doubtful]}


def answer_words(answer: Answer) -> str:
    """Return the answer as shown to a person, and what an agent must tell them about it."""
    parts = [answer.text + footer_of(answer)]
    if answer.certainty is not None:
        parts.append(f"Certainty: {answer.certainty:.0%}")
    doubtful = [f"- {each.text}" for each in answer.sentences if each.label not in ("faithful", "no_claim")]
    if doubtful:
        parts.append("\n".join(["Not supported by the documents, or only in part:", *doubtful]))
    if answer.options:
        parts.append(
            "To go on, find out which meaning the user wants, and call ask again with the same question and "
            f'meanings=[{{"term": "{answer.options[0].term}", "extended_name": "…"}}].'
        )
    return "\n\n".join(parts)


def reading_values(reading: Reading) -> dict[str, Any]:
    """Return how a term was interpreted."""
    return reading.model_dump(mode="json", include=_READING)


def reading_words(reading: Reading) -> str:
    """Say how a term was interpreted."""
    reason = f": {reading.reason}" if reading.reason else ""
    if reading.sense is not None:
        return f"{reading.text} was read as {reading.sense.name_in_context}{reason}"
    known = {"documents": "is used in the documents, but not defined", "ambiguous": "has several meanings"}
    others = "; ".join(each.name_in_context for each in reading.alternatives) or ", ".join(reading.suggestions)
    return f"{reading.text} {known.get(reading.status, 'is unknown')}" + (f" ({others})" if others else "")


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


def search_words(searched_for: str, readings: Sequence[Reading], passages: Sequence[Mapping[str, Any]]) -> str:
    """Say what a search found."""
    lines = [f"Searched for: {searched_for}", *map(reading_words, readings)]
    if not passages:
        lines.append("No passage was found in the documents that you may read.")
    for each in passages:
        where = " > ".join([place_words(each), *each["headings"]])
        lines.append(f"\n{each['rank']}. {where} (document_id {each['document_id']})\n{each['text']}")
    return "\n".join(lines)


def place_words(place: Mapping[str, Any]) -> str:
    """Name a page: ``pumps.pdf, page 3``."""
    return f"{place['document']}, page {place['page']}" if place["page"] else str(place["document"])


def term_words(term: Mapping[str, Any], reading: Reading | None) -> str:
    """Say what is known about a term, and how it was interpreted in a text."""
    name, senses = term["term"], term["senses"]
    lines = [f"{name}:"]
    if term["status"] == "unknown":
        near = f" Near spellings: {', '.join(term['near'])}." if term["near"] else ""
        lines = [f"{name}: neither the dictionary nor the documents know it. Do not guess its meaning.{near}"]
    elif not senses:
        lines = [f"{name}: the documents use it (passages: {term['used_in_passages']}), but nobody defined it."]
    lines += map(_sense_words, senses)
    if reading is not None and len(senses) > 1:
        lines.append(f"In this text: {reading_words(reading)}")
    return "\n".join(lines)


def _sense_words(sense: Mapping[str, Any]) -> str:
    named = f"{sense['extended_name']} ({sense['context']})" if sense["context"] else sense["extended_name"]
    unpublished = " [mined from documents, not confirmed by a person]" if sense["state"] == "draft" else ""
    described = "".join(f". {each.rstrip('.')}" for each in (sense["description"], sense["notes"]) if each)
    places = [place_words(each) for each in sense["defined_at"]] or [each for each in (sense["source"],) if each]
    source = f" (source: {'; '.join(places)})" if places else ""
    return f"- {named}{unpublished}{described}{source}."
