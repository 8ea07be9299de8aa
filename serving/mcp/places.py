"""Places: pages of documents as links, and jargon as wire values."""

from urllib.parse import quote

from contracts.jargon import Reading, Sense
from serving.mcp.results import MeaningOut, PlaceOut, ReadAsOut

PAGE_TEMPLATE = "golden://documents/{document_id}/pages/{page}"


def page_uri(document_id: str, page: int) -> str | None:
    """Return the resource of a page, None where it is not one of a document."""
    return PAGE_TEMPLATE.format(document_id=quote(document_id, safe=""), page=page) if document_id and page else None


def place(document_id: str, name: str, title: str, page: int) -> PlaceOut:
    """Return a page of a document."""
    return PlaceOut(document=name, document_id=document_id, title=title, page=page, uri=page_uri(document_id, page))


def page_words(place: PlaceOut) -> str:
    """Name a page for people: ``pumps.pdf, page 3``."""
    return f"{place.document}, page {place.page}" if place.page else place.document


def read_as(reading: Reading) -> ReadAsOut:
    """Return how a term was read."""
    return ReadAsOut(
        text=reading.mention.text,
        term=reading.mention.term,
        status=reading.status,
        meaning=meaning(reading.sense) if reading.sense else None,
        probability=reading.probability,
        reason=reading.reason,
        others=[meaning(each) for each in reading.alternatives],
        suggestions=list(reading.suggestions),
    )


def meaning(sense: Sense) -> MeaningOut:
    """Return a meaning."""
    return MeaningOut(extended_name=sense.extended_name, context=sense.context, description=sense.description)


def named(meaning: MeaningOut) -> str:
    """Name a meaning for people, with its context."""
    return f"{meaning.extended_name} ({meaning.context})" if meaning.context else meaning.extended_name
