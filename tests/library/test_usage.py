"""Which terms the documents contain: as the lexical index counts them, in one pass."""

from collections.abc import Callable

import pytest
from sqlalchemy import Engine

from contracts.text import Document
from library.lexical import SqlLexicalSearch
from library.store import LibraryStore
from library.usage import terms_in_use
from tests.library.samples import chunk_of, document_of, unit_vectors

Put = Callable[..., Document]

USED = [
    "C+",
    "place_pin",
    "We#",
    "nv-ddr3",
    "1.8 v",
    "C++",
    "Delay-Locked Loop",
    "delay locked",
    "ﬁlter",
    "e\u0301tude",
    "b",
]
UNUSED = [
    "place pin",
    "WE",
    "ddr",
    "C+",
    "+5 V",
    "loop delay",
    "locked loop frees",
    "",
    "  ",
    "++",
    "_",
    "x" * 501,
    "C#",
]


@pytest.fixture
def filled(put: Put) -> None:
    put("a.txt", "Run place_pin first.", "Pull WE# low.", "R/B# shows NV-DDR3 is busy.", "Set 1.8 V")
    put(
        "b.txt",
        "Written in C++.",
        "A delay-locked loop\nlocks.",
        "The filter of the Étude, plan B.",
        *["More."] * 1_100,
    )


def test_it_says_what_the_index_says(filled: None, engine: Engine) -> None:
    search = SqlLexicalSearch(engine)
    assert terms_in_use(engine, [*USED, *UNUSED]) == set(USED)
    assert {term for term in (*USED, *UNUSED) if search.document_frequency(term)} == set(USED)
    assert terms_in_use(engine, []) == frozenset()


def test_terms_with_the_same_beginning_are_told_apart(filled: None, engine: Engine) -> None:
    asked = ["delay locked loop", "delay locked loop locks", "delay locked loops", "DELAY-LOCKED LOOP", "delay"]
    assert terms_in_use(engine, asked) == {asked[0], asked[1], asked[3], asked[4]}


def test_sections_and_summaries_do_not_count(store: LibraryStore, engine: Engine) -> None:
    assert terms_in_use(engine, ["delay"]) == frozenset()
    document = document_of("a.txt")
    section = chunk_of(document, "section", 0, "About the skew.")
    chunks = [
        section,
        chunk_of(document, "passage", 0, "A delay.", section_id=section.id),
        chunk_of(document, "summary", 0, "Of the lag.", section_id=section.id),
    ]
    store.replace_document(document, chunks, unit_vectors(2), embedder="test-model")
    assert terms_in_use(engine, ["delay", "skew", "lag"]) == {"delay"}
