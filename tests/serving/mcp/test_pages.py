"""A page's text is put together from its passages, what two of them have in common once."""

from dataclasses import replace
from typing import cast

import pytest

from contracts.errors import NotFound
from contracts.text import Chunk, Document
from library.store import LibraryStore
from serving.access import Actor
from serving.mcp.lookups import read_page
from tests.library.samples import document_of

ADA = Actor(name="Ada")


def chunk(ordinal: int, text: str, *, page: int = 1, last_page: int = 0, heading: str = "Pumps") -> Chunk:
    return Chunk(
        id=f"c{ordinal}",
        document_id="a/b 1",
        kind="passage",
        ordinal=ordinal,
        text=text,
        page=page,
        last_page=last_page or page,
        heading_path=(heading,) if heading else (),
    )


class OneDocument:
    """One document."""

    def __init__(self, *chunks: Chunk) -> None:
        self._chunks = chunks

    def document(self, document_id: str) -> Document | None:
        if document_id != "a/b 1":
            return None
        return replace(document_of("p.pdf"), id=document_id, pages=3)

    def document_chunks(self, document_id: str) -> tuple[Chunk, ...]:
        return self._chunks


async def test_overlapping_passages_are_joined_in_their_order_under_their_headings() -> None:
    one = OneDocument(
        chunk(2, "The level is read at noon. The crew writes it down."),
        chunk(1, "The pump fills the tank. The level is read at noon."),
        chunk(3, "An alarm rings.", heading="Alarms", last_page=2),
        chunk(4, "Elsewhere.", page=2, heading="Alarms"),
    )
    library = cast("LibraryStore", one)
    first = await read_page(library, "a/b 1", 1, ADA)
    assert first["text"] == (
        "# Pumps\n\nThe pump fills the tank. The level is read at noon. The crew writes it down."
        "\n\n# Alarms\n\nAn alarm rings."
    )
    second = await read_page(library, "a/b 1", 2, ADA)
    assert second["text"] == "# Alarms\n\nAn alarm rings.\n\nElsewhere."


async def test_a_page_without_text_says_so_and_one_that_is_not_there_is_refused() -> None:
    library = cast("LibraryStore", OneDocument(chunk(1, "Text.")))
    assert (await read_page(library, "a/b 1", 3, ADA))["text"] == "(No text on this page.)"
    with pytest.raises(NotFound, match=r"p\.pdf has 3 pages"):
        await read_page(library, "a/b 1", 4, ADA)
