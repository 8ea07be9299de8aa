"""Uses of a term in documents, and earlier askers' choices, as evidence for its senses."""

from pathlib import Path

import pytest

from contracts.jargon import Correction, Sense
from contracts.text import Chunk, Document
from library.lexical_search import SqlLexicalSearch
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.databases import open_new_sqlite
from tests.hashing_embedder import HashingEmbedder
from tools.jargon.sense_uses import find_corrections, find_uses
from tools.search.exact import ExactVectorIndex
from tools.search.hybrid import HybridSearcher
from tools.search.lexical import StoredLexicalIndex

LOOP = Sense(id=1, term="DLL", extended_name="Delay-Locked Loop", context="Memory")
LIBRARY_SENSE = Sense(id=2, term="DLL", extended_name="Dynamic-Link Library", context="Software")
SENSES = (LOOP, LIBRARY_SENSE)
DOCUMENTS = {
    "clock.pdf": ("A delay-locked loop (DLL) aligns the clock.", "The DLL needs 512 cycles."),
    "windows.pdf": ("Dynamic-link libraries are shared.", "A DLL is loaded at start."),
    "both.pdf": (
        "Neither the delay-locked loop nor the dynamic link library:",
        "the DLL of a page that tells nothing.",
    ),
    "none.pdf": ("The DLL is mentioned here.",),
    "secret.pdf": ("The dynamic-link library (DLL) of the next product.",),
}
EVERYONE = frozenset({"everyone"})


class FilledLibrary:
    """A real library with its lexical index and searcher."""

    def __init__(self, folder: Path) -> None:
        engine = open_new_sqlite(folder / "library.db", LIBRARY)
        self.store, self.embedder = LibraryStore(engine), HashingEmbedder()
        self.lexical = StoredLexicalIndex(SqlLexicalSearch(engine))
        index = ExactVectorIndex(None, self.store, self.embedder.name)
        self.searcher = HybridSearcher(self.store, self.embedder, index, self.lexical)

    async def fill(self) -> None:
        for name, texts in DOCUMENTS.items():
            document = Document(
                id=name, name=name, path=f"/{name}", media_type="application/pdf", content_hash="h", title="", pages=1,
                group="board" if name == "secret.pdf" else "everyone",
            )  # fmt: skip
            chunks = [
                Chunk(id=f"{name}-{row}", document_id=name, kind="passage", ordinal=row, text=text, page=1, last_page=1)
                for row, text in enumerate(texts)
            ]
            vectors = await self.embedder.embed_documents(texts)
            self.store.replace_document(document, chunks, vectors, embedder=self.embedder.name)


@pytest.fixture
async def library(tmp_path: Path) -> FilledLibrary:
    library = FilledLibrary(tmp_path)
    await library.fill()
    return library


async def test_a_use_has_the_sense_that_its_passage_or_its_document_spells_out(library: FilledLibrary) -> None:
    question = "How many cycles does the DLL need?"
    uses = await find_uses("DLL", SENSES, question, library.lexical, library.searcher, groups=EVERYONE)
    assert sorted((use.document, use.sense_id) for use in uses) == [
        ("clock.pdf", 1),
        ("clock.pdf", 1),
        ("windows.pdf", 2),
    ]
    nearest = max(uses, key=lambda use: use.likeness or -1.0)
    assert nearest.document == "clock.pdf"


async def test_what_the_asker_may_not_read_tells_nothing(library: FilledLibrary) -> None:
    uses = await find_uses("DLL", SENSES, "The DLL?", library.lexical, library.searcher)
    assert "secret.pdf" in {use.document for use in uses}
    none = await find_uses("DLL", SENSES, "The DLL?", library.lexical, library.searcher, groups=frozenset())
    assert none == ()
    # Another letter case is another term.
    assert await find_uses("dll", SENSES, "The dll?", library.lexical, library.searcher) == ()


async def test_senses_of_one_name_share_their_uses(library: FilledLibrary) -> None:
    twins = (LOOP, Sense(id=3, term="DLL", extended_name="delay locked loop", context="Clocks"), LIBRARY_SENSE)
    uses = await find_uses("DLL", twins, "The DLL?", library.lexical, library.searcher, groups=EVERYONE)
    assert sorted((use.document, use.sense_id) for use in uses if use.document == "clock.pdf") == [
        ("clock.pdf", 1),
        ("clock.pdf", 1),
        ("clock.pdf", 3),
        ("clock.pdf", 3),
    ]


def correction(question: str, *, name: str = "delay locked loop", context: str = "memory") -> Correction:
    return Correction(term="dll", extended_name=name, context=context, question=question)


async def test_choices_of_earlier_askers_are_compared_with_the_question() -> None:
    question = "How many cycles does the DLL need?"
    corrections = (
        correction(question),
        correction(""),
        correction(question, name="Something else"),
        correction(question, context="Software"),
    )
    found = await find_corrections(SENSES, corrections, question, HashingEmbedder())
    assert [use.sense_id for use in found] == [1, 1]
    assert found[0].likeness == pytest.approx(1.0, abs=1e-5)
    assert found[1].likeness is None
    assert await find_corrections(SENSES, (), question, HashingEmbedder()) == ()
