"""Rows of one state of the library: read once, and anew when it changed, whoever changed it."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import event

from contracts.errors import NotFound
from contracts.text import Chunk, Document
from database.connection import open_database
from database.migrating import migrate
from library.migrations import LIBRARY
from library.store import LibraryStore
from tools.search.kept_library import KeptLibrary

DOCUMENT = Document(
    id="pumps", name="pumps.txt", path="/pumps", media_type="text/plain", content_hash="h", title="Pumps", pages=1
)


def chunk(number: int, text: str) -> Chunk:
    return Chunk(
        id=f"c{number}", document_id="pumps", kind="passage", ordinal=number, text=text, page=1, last_page=1,
        section_id="s",
    )  # fmt: skip


@pytest.fixture
def store(database_url: str) -> Iterator[LibraryStore]:
    engine = open_database(database_url)
    migrate(engine, LIBRARY)
    store = LibraryStore(engine)
    put(store, "It runs.", "It stops.", "It hums.")
    yield store
    engine.dispose()


@pytest.fixture
def elsewhere(database_url: str, store: LibraryStore) -> Iterator[LibraryStore]:
    """The same library as another process has it open."""
    engine = open_database(database_url)
    yield LibraryStore(engine)
    engine.dispose()


def put(store: LibraryStore, *texts: str) -> None:
    chunks = [chunk(number, text) for number, text in enumerate(texts)]
    vectors = np.full((len(chunks), 4), len(texts), dtype=np.float32)
    store.replace_document(replace(DOCUMENT, content_hash="".join(texts)), chunks, vectors, embedder="ones")


def note_statements(store: LibraryStore) -> list[str]:
    statements: list[str] = []

    def note(*arguments: object) -> None:
        statements.append(str(arguments[2]))

    event.listen(store.engine, "before_cursor_execute", note)
    return statements


def read_all(kept: KeptLibrary, version: int) -> tuple[object, ...]:
    return (
        kept.chunks(["c1", "c0"], version),
        kept.vectors(["c1", "c0", "c1"], version).tolist(),
        kept.section_passages(["s", "none"], version),
        kept.documents(["pumps"], version),
    )


def test_an_unchanged_library_is_read_once(store: LibraryStore) -> None:
    kept, version = KeptLibrary(store), store.version()
    first, statements = read_all(kept, version), note_statements(store)
    assert first == (
        {"c1": chunk(1, "It stops."), "c0": chunk(0, "It runs.")},
        [[3.0] * 4] * 3,
        {"s": ("c0", "c1", "c2"), "none": ()},
        {"pumps": replace(DOCUMENT, content_hash="It runs.It stops.It hums.")},
    )
    assert read_all(kept, store.version()) == first
    assert statements == [], "nothing is asked where everything is at hand"
    assert [*kept.chunks(["c0", "nobody", "c2"], version)] == ["c0", "c2"]
    assert len([each for each in statements if "FROM chunks" in each]) == 1


def test_what_another_process_changes_is_read_anew(store: LibraryStore, elsewhere: LibraryStore) -> None:
    kept = KeptLibrary(store)
    read_all(kept, store.version())
    put(elsewhere, "It rests.")
    version = store.version()
    assert kept.chunks(["c0", "c1"], version) == {"c0": chunk(0, "It rests.")}
    assert kept.vectors(["c0"], version).tolist() == [[1.0] * 4]
    assert kept.section_passages(["s"], version) == {"s": ("c0",)}
    with pytest.raises(NotFound):
        kept.vectors(["c0", "c1"], version)
    elsewhere.relocate_document(
        replace(DOCUMENT, path="/locked", group="board"), outcome="moved", reason="for the board"
    )
    assert kept.documents(["pumps"], store.version())["pumps"].group == "board"
    elsewhere.reembed(["c0"], np.full((1, 4), 9.0, dtype=np.float32), embedder="nines")
    assert kept.vectors(["c0"], store.version()).tolist() == [[9.0] * 4]
    elsewhere.delete_document("pumps")
    assert kept.chunks(["c0"], store.version()) == {}
    assert kept.documents(["pumps"], store.version()) == {}
