"""Kill ingestion at each instruction that touches the database, one after another, and look at what is left.

    python -m tests.golden_retriever.killing FOLDER [EVERY]

A library with a first version of some documents takes up the second one, and the process ends without a word at its
n-th SQL statement (before it, after it, before a commit, after it), for every n, or each EVERY-th of them. Each time
the old version or the new one of each document must answer, whole; and a second run must end as if nothing had been.
Every kill works on its own copy of the library. Each process is a fork of this one, which has loaded everything: some
hundred kills take a minute.
"""

import asyncio
import multiprocessing
import os
import shutil
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Column, Engine, Integer, MetaData, event, literal, select

from database.connection import open_database
from ingestion.limits import IngestionLimits
from ingestion.pipeline import IngestionPipeline
from intrinsics.summarisation.embedded import EmbeddedSummariser
from intrinsics.term_mining.embedded import EmbeddedTermMiner
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from library.consistency import find_faults
from library.lexical_search import SqlLexicalSearch
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.databases import open_new_sqlite
from tests.hashing_embedder import HashingEmbedder
from tests.ingestion.reading_files import InlineReaders
from tools.search.exact import ExactVectorIndex

_KILLED = 9
_LONG_AGO_S = 1_700_000_000
# Columns that depend on the clock, on counters, or on the number of attempts.
_PASSING = ("at", "seconds", "phases", "report", "version", "rowid", "reading_at")
_INNER = ("sqlite_", "alembic_", "library_state", "chunk_stems", "chunk_terms", "jargon_changes")


def write_version(folder: Path, version: int) -> None:
    """Write the first or the second version: changed, new, moved, copied, packed, broken and removed files."""
    shutil.rmtree(folder, ignore_errors=True)
    word = {1: "ancient", 2: "modern"}[version]
    texts = {
        "changed.md": f"# Guide\n\nThe {word} self-healing ring (SHR) keeps copies.\n\n" + f"A {word} valve. " * 150,
        "same.txt": "The bilge pump is exchanged every 400 hours.",
        "harbour.txt" if version == 1 else "moved/harbour.txt": "The harbour lamp is red, as its manual says.",
    }
    if version == 1:
        texts["removed.txt"] = "The steam whistle is tested on Sundays."
    else:
        texts["new.txt"] = "The night watch unit (NWU) begins at ten."
        texts["twin.txt"] = texts["same.txt"]
        texts["broken.pdf"] = "%PDF-1.7\nbroken"
    for name, text in texts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    with zipfile.ZipFile(folder / "packed.zip", "w") as archive:
        archive.writestr("inner.txt", f"The {word} anchor weighs nine tons.")
    for path in sorted(folder.rglob("*")):
        os.utime(path, (_LONG_AGO_S + version, _LONG_AGO_S + version))


def ingest(engine: Engine, folder: Path) -> None:
    jargon = JargonStore(engine)
    pipeline = IngestionPipeline(
        store=LibraryStore(engine),
        embedder=HashingEmbedder(),
        summariser=EmbeddedSummariser(HashingEmbedder()),
        miner=EmbeddedTermMiner(),
        ocr=None,
        candidates=jargon.add_candidates,
        forget=jargon.forget_document,
        limits=IngestionLimits(),
        workers=1,
        open_readers=InlineReaders,
    )
    asyncio.run(pipeline.ingest([folder], prune=True))


def rows(engine: Engine) -> dict[str, list[str]]:
    """Return every row that a run decides; the dictionary's diary, which tells each try, is left out."""
    found = MetaData()
    found.reflect(engine)
    held: dict[str, list[str]] = {}
    with engine.connect() as connection:
        for table in found.sorted_tables:
            if not table.name.startswith(_INNER):
                kept = [each for each in table.columns if not _is_passing(each)]
                held[table.name] = sorted(
                    repr(tuple(row)) for row in connection.execute(select(literal(1), *kept).select_from(table))
                )
    return held


def _is_passing(column: Column[Any]) -> bool:
    serial = isinstance(column.type, Integer) and (column.name.endswith("id") or column.primary_key)
    return serial or column.name in _PASSING or column.name.endswith("_at")


def texts(engine: Engine) -> dict[str, list[str]]:
    """Return the text of every chunk of each document, by the document's id."""
    store = LibraryStore(engine)
    return {each.id: [chunk.text for chunk in store.document_chunks(each.id)] for each in store.documents()}


def assert_whole_documents(engine: Engine, old: dict[str, list[str]], new: dict[str, list[str]]) -> None:
    """See that each document is its old or its new version as a whole, and that its words find it."""
    faults = [fault for fault in find_faults(engine) if "reading" not in fault]
    assert not faults, faults
    store, lexical = LibraryStore(engine), SqlLexicalSearch(engine)
    exact = ExactVectorIndex(store, HashingEmbedder().name)
    for document_id, kept in texts(engine).items():
        assert kept in (old.get(document_id), new.get(document_id)), f"{document_id} is neither old nor new"
        found = {chunk_id for chunk_id, _ in lexical.find(kept[0], 5)}
        (vector,) = asyncio.run(HashingEmbedder().embed_queries([kept[0]]))
        near = {hit.chunk_id for hit in exact.find(vector, 5)}
        ids = {chunk.id for chunk in store.document_chunks(document_id)}
        assert found & ids, f"{document_id} is not found by its words"
        assert near & ids, f"{document_id} is not found by its meaning"
    held = texts(engine)
    lost = [each for each in old if each in new and each not in held]
    assert not lost, f"{lost} no longer answer"


@contextmanager
def killed_at(engine: Engine, count: int) -> Iterator[list[int]]:
    """End the process at the ``count``-th event of the database (0: never); yields how many there were."""
    seen = [0]

    def count_on(*_: Any) -> None:
        seen[0] += 1
        if seen[0] == count:
            os._exit(_KILLED)

    names = ("before_cursor_execute", "after_cursor_execute", "commit", "checkin")
    for name in names:
        event.listen(engine.pool if name == "checkin" else engine, name, count_on)
    yield seen
    for name in names:
        event.remove(engine.pool if name == "checkin" else engine, name, count_on)


def forked(work: Callable[[], Any]) -> tuple[int, Any]:
    """Run ``work`` in a fork; return its exit status and what it returned, None where it was killed."""
    context = multiprocessing.get_context("fork")
    receiving, sending = context.Pipe(duplex=False)
    child = context.Process(target=lambda: sending.send(work()))
    child.start()
    sending.close()
    try:
        result = receiving.recv()
    except EOFError:
        result = None
    child.join()
    return child.exitcode, result


def copy_first(folder: Path) -> None:
    """Let the database to tear be a copy of the first one."""
    for stale in folder.glob("torn.db*"):
        stale.unlink()
    shutil.copy(folder / "first.db", folder / "torn.db")


def kill_at_every(folder: Path, every: int = 1) -> int:
    """Kill at each ``every``-th event, in a new ``folder``; return how many times it was killed.

    Raises:
        AssertionError: a killed run left something torn, or the next one did not end like an undisturbed one.
    """
    documents = folder / "documents"

    def opened() -> Engine:
        return open_database(f"sqlite:///{folder}/torn.db")

    def begin() -> dict[str, list[str]]:
        engine = open_new_sqlite(folder / "first.db", LIBRARY, DICTIONARY)
        ingest(engine, documents)
        held = texts(engine)
        engine.dispose()
        return held

    def run(count: int) -> int:
        engine = opened()
        with killed_at(engine, count) as seen:
            ingest(engine, documents)
        engine.dispose()
        return seen[0]

    def resume(old: dict[str, list[str]], new: dict[str, list[str]]) -> dict[str, list[str]]:
        engine = opened()
        if new:
            assert_whole_documents(engine, old, new)
            ingest(engine, documents)
        found = rows(engine)
        faults = find_faults(engine)
        engine.dispose()
        assert not faults, faults
        return found

    write_version(documents, 1)
    status, old = forked(begin)
    assert status == 0
    write_version(documents, 2)
    copy_first(folder)
    status, events = forked(lambda: run(0))
    assert status == 0
    _, new = forked(lambda: texts(opened()))
    _, expected = forked(lambda: resume(old, {}))
    kills = 0
    for count in range(1, events + 1, every):
        copy_first(folder)
        status, _ = forked(partial(run, count))
        kills += status == _KILLED
        assert status in (0, _KILLED), f"event {count} of {events}: exit status {status}"
        status, found = forked(partial(resume, old, new))
        assert status == 0, f"event {count} of {events}: inconsistent"
        differing = {name: (expected[name], found[name]) for name in expected if expected[name] != found[name]}
        assert not differing, f"event {count} of {events}: different result: {differing}"
    return kills


if __name__ == "__main__":
    place, *more = sys.argv[1:]
    kills = kill_at_every(Path(place), int(more[0]) if more else 1)
    print(f"{kills} kills; after each the next run ended like an undisturbed one")
