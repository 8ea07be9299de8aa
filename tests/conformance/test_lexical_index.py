"""Every lexical index, called through the Protocol, over a real library."""

from pathlib import Path

import numpy as np
import pytest

from contracts.text import Chunk, Document
from library.lexical_search import SqlLexicalSearch
from library.migrations import LIBRARY
from library.store import LibraryStore
from tests.databases import open_new_sqlite
from tools.search.base import LexicalIndex
from tools.search.lexical import StoredLexicalIndex

TEXTS = {
    "timing": ("The program time tPROG is 700 microseconds.", "Erasing a block takes tBERS, some milliseconds."),
    "secret": ("The tPROG of the next generation is confidential.",),
}


@pytest.fixture
def index(tmp_path: Path) -> LexicalIndex:
    engine = open_new_sqlite(tmp_path / "library.db", LIBRARY)
    store = LibraryStore(engine)
    for name, texts in TEXTS.items():
        group = "board" if name == "secret" else "everyone"
        document = Document(
            id=name,
            name=name,
            path=f"/{name}",
            media_type="text/plain",
            content_hash="h",
            title="",
            pages=1,
            group=group,
        )
        chunks = [
            Chunk(id=f"{name}-{row}", document_id=name, kind="passage", ordinal=row, text=text, page=1, last_page=1)
            for row, text in enumerate(texts)
        ]
        store.replace_document(document, chunks, np.eye(len(texts), 4, dtype=np.float32), embedder="m")
    return StoredLexicalIndex(SqlLexicalSearch(engine))


async def test_words_spellings_and_phrases_are_found_in_what_the_groups_may_read(index: LexicalIndex) -> None:
    everyone = frozenset({"everyone"})
    assert [hit.chunk_id for hit in await index.search("tPROG", 10, groups=everyone)] == ["timing-0"]
    assert await index.search("tPROG", 10, groups=frozenset()) == ()
    assert await index.document_frequency("tprog") == 2
    assert await index.document_frequency("tprog", groups=everyone) == 1
    assert "tPROG" in await index.near_spellings("tPORG")
    assert await index.near_spellings("zzzzzzzzzz") == ()
    (use,) = await index.passages_with("Program times", 10)
    assert (use.chunk_id, use.document_id, use.document_name) == ("timing-0", "timing", "timing")
    assert use.text == TEXTS["timing"][0]
    assert [use.chunk_id for use in await index.passages_with("tprog", 10, groups=frozenset({"board"}))] == ["secret-0"]
    assert await index.passages_with("tPROG", 10, groups=frozenset()) == ()
    assert await index.passages_with("TPROG", 10, as_written=True) == ()
    assert len(await index.passages_with("tPROG", 1)) == 1
