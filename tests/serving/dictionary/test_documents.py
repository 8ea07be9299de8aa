"""Where evidence stands: on the right page of the right document, and of no document that somebody may not read."""

from dataclasses import replace

import pytest
from sqlalchemy import Engine

from contracts.dictionary import Evidence
from contracts.text import PageBox, Span, TextBox
from library.store import LibraryStore
from serving.dictionary.documents import place_evidence
from tests.library.samples import chunk_of, document_of, unit_vectors

FIRST, SECOND = "Resets are rare.", "The Pump Level Register (PLR)\nholds the level."


@pytest.fixture
def library(engine: Engine) -> LibraryStore:
    return LibraryStore(engine)


def add(library: LibraryStore, document_id: str, *, group: str = "everyone", text: str = f"{FIRST} {SECOND}") -> None:
    document = replace(document_of("guide.pdf", group=group), id=document_id, path=f"/{document_id}.pdf", pages=3)
    half = len(FIRST)
    boxes = (
        TextBox(span=Span(0, half), box=PageBox(page=2, x0=10, top=10, x1=90, bottom=20)),
        TextBox(span=Span(half + 1, len(text)), box=PageBox(page=2, x0=10, top=30, x1=90, bottom=40)),
    )
    passage = replace(chunk_of(document, "passage", 1, text), page=2, last_page=2, boxes=boxes)
    library.replace_document(document, [passage], unit_vectors(1), embedder="none")


def sentence(text: str, page: int = 2) -> Evidence:
    return Evidence(document="guide.pdf", page=page, sentence=text, score=0.9)


def test_evidence_sentence_is_found_across_line_breaks(library: LibraryStore) -> None:
    add(library, "one")
    (found,) = place_evidence(library, [sentence(SECOND.replace("\n", " "))])
    assert found.document_id == "one"
    assert [(box.page, box.top) for box in found.boxes] == [(2, 30)]
    cut, changed, elsewhere = place_evidence(
        library, [sentence("The Pump Level…"), sentence("It says so."), sentence(FIRST, 3)]
    )
    assert [box.top for box in cut.boxes] == [30]
    assert (changed.document_id, changed.boxes) == ("one", ())
    assert (elsewhere.document_id, elsewhere.boxes) == ("", ())


def test_evidence_links_to_the_readable_document_that_contains_it(library: LibraryStore) -> None:
    add(library, "one", text="Nothing of that kind is told on this page of the guide.")
    add(library, "two", group="secret")
    (found,) = place_evidence(library, [sentence(FIRST)])
    assert found.document_id == "two"
    (open_only,) = place_evidence(library, [sentence(FIRST)], groups=frozenset({"everyone"}))
    assert (open_only.document_id, open_only.boxes) == ("one", ())
    (neither,) = place_evidence(library, [sentence("Unknown.")])
    assert neither.document_id == ""
    (nobody,) = place_evidence(library, [sentence(FIRST)], groups=frozenset())
    assert nobody.document_id == ""
