"""A process that is killed in the middle of a change leaves the old version whole."""

import multiprocessing
import os
import signal

import numpy as np
import pytest
from sqlalchemy import Engine, event

from database.connection import open_database
from library.lexical_search import SqlLexicalSearch
from library.store import LibraryStore
from tests.library.samples import Put, chunk_of, document_of, unit_vectors


def _replace_and_die(url: str, statements: int) -> None:
    engine = open_database(url)
    done = 0

    def die_in_time(*_: object) -> None:
        nonlocal done
        done += 1
        if done == statements:
            os.kill(os.getpid(), signal.SIGKILL)

    event.listen(engine, "after_cursor_execute", die_in_time)
    document = document_of("a.txt", version="2")
    chunks = [chunk_of(document, "passage", number, f"newer {number}") for number in range(50)]
    LibraryStore(engine).replace_document(document, chunks, np.ones((50, 4), dtype=np.float32), embedder="test-model")


@pytest.mark.slow
def test_kill_9_leaves_the_old_version(engine: Engine, store: LibraryStore, put: Put, database_url: str) -> None:
    document = put("a.txt", "older one", "older two")
    version = store.version()
    spawn = multiprocessing.get_context("spawn")
    for statements in (3, 6):
        process = spawn.Process(target=_replace_and_die, args=(database_url, statements))
        process.start()
        process.join(60)
        assert process.exitcode == -signal.SIGKILL
        assert store.version() == version
        assert store.documents() == (document,)
        assert [chunk.text for chunk in store.document_chunks(document.id)] == ["older one", "older two"]
        assert len(store.searchable_ids(embedder="test-model")) == 2
        search = SqlLexicalSearch(engine)
        assert (search.document_frequency("older"), search.document_frequency("newer")) == (2, 0)
    newer = document_of("a.txt", version="2")
    store.replace_document(newer, [chunk_of(newer, "passage", 0, "newer")], unit_vectors(1), embedder="test-model")
    assert store.documents() == (newer,)
