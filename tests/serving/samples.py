"""What answers are made of."""

from typing import Any

from contracts.answer import Citation


def citation(number: int, **fields: Any) -> Citation:
    """Return a citation of a page of bus.pdf; ``fields`` are what differs."""
    common = {"document_id": "1", "document_name": "bus.pdf", "document_title": "", "page": number, "chunk_id": "c"}
    return Citation(**{"number": number, "quote": "", "passage_text": "", **common, **fields})
