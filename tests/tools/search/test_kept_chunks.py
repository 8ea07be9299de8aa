"""Chunks of one state of the library: read once, and anew when it changed."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import event

from contracts.text import Chunk, Document
from database.connection import open_database
from database.migrating import migrate
from library.migrations import LIBRARY
from library.store import LibraryStore
from tools.search.kept_chunks import KeptChunks

DOCUMENT = Document(
    id="pumps", name="pumps.txt", path="/pumps", media_type="text/plain", content_hash="h", title="Pumps", pages=1
)


def chunk(number: int, text: str) -> Chunk:
    return Chunk(
        id=f"c{number}", document_id="pumps", kind="passage", ordinal=number, text=text, page=1, last_page=1
    )  # fmt: skip


@pytest.fixture
def store(tmp_path: Path) -> LibraryStore:
    engine = open_database(f"sqlite:///{tmp_path / 'library.db'}")
    migrate(engine, LIBRARY)
    store = LibraryStore(engine)
    put(store, "It runs.", "It stops.", "It hums.")
    return store


def put(store: LibraryStore, *texts: str) -> None:
    chunks = [chunk(number, text) for number, text in enumerate(texts)]
    vectors = np.ones((len(chunks), 4), dtype=np.float32)
    store.replace_document(replace(DOCUMENT, content_hash="".join(texts)), chunks, vectors, embedder="ones")


def count_reads(store: LibraryStore) -> list[str]:
    statements: list[str] = []

    def note(*arguments: object) -> None:
        if "FROM chunks" in str(arguments[2]):
            statements.append(str(arguments[2]))

    event.listen(store.engine, "before_cursor_execute", note)
    return statements


def test_what_was_read_is_not_read_again_and_unknown_ids_are_left_out(store: LibraryStore) -> None:
    kept, statements = KeptChunks(store), count_reads(store)
    assert [each.text for each in kept.read(["c1", "c0"], store.version()).values()] == ["It stops.", "It runs."]
    assert [*kept.read(["c0", "nobody", "c2", "c1"], store.version())] == ["c0", "c2", "c1"]
    assert len(statements) == 2
    assert [*kept.read(["c2", "c0"], store.version())] == ["c2", "c0"]
    assert len(statements) == 2, "nothing is asked where everything is at hand"


def test_a_changed_library_is_read_anew(store: LibraryStore) -> None:
    kept = KeptChunks(store)
    kept.read(["c0"], store.version())
    old = store.version()
    put(store, "It rests.")
    assert kept.read(["c0", "c1"], store.version()) == {"c0": chunk(0, "It rests.")}
    # A question that began before the change is told what is there now, and keeps nothing for later ones.
    assert kept.read(["c0"], old)["c0"].text == "It rests."


def test_only_the_last_used_are_kept(store: LibraryStore) -> None:
    kept, statements = KeptChunks(store, most=2), count_reads(store)
    for wanted in ("c0", "c1", "c0", "c2"):
        kept.read([wanted], store.version())
    before = len(statements)
    kept.read(["c0", "c2"], store.version())
    assert len(statements) == before
    kept.read(["c1"], store.version())
    assert len(statements) == before + 1
