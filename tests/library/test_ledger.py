"""The ledger of files, and the checks of the whole library, on SQLite and PostgreSQL."""

from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import Engine, text

from contracts.documents import DocumentReport, IngestionDetails, PoorPage
from contracts.errors import NotFound
from contracts.jargon import MinedTerm
from contracts.text import Document
from library.consistency import find_faults
from library.lexical_search import rebuild_lexical_index
from library.store import LibraryStore
from tests.library.samples import Put, chunk_of, document_of, unit_vectors

REPORT = DocumentReport(
    pages=3,
    ocr_pages=1,
    tables=2,
    chunks=5,
    mined_terms=1,
    warnings=("page 2: crooked \x00",),
    poor_pages=(PoorPage(page=2, reason="faint", confidence=0.25),),
    seconds=1.5,
)
TERM = MinedTerm(term="BPC", extended_name="Bilge \ud800 Pump", evidence="It pumps.", page=2, score=0.5, document="a")


def test_a_stored_version_has_a_record_a_history_and_a_report(store: LibraryStore) -> None:
    document = document_of("a.txt", group="crew")
    chunks = [chunk_of(document, "passage", 0, "first")]
    reading = IngestionDetails(recipe="r1", modified_ns=7, mined=(TERM,), report=REPORT)
    store.replace_document(document, chunks, unit_vectors(1), embedder="m", details=reading)
    record = store.ledger.record(document.id)
    assert record == store.ledger.record_at(document.path)
    assert record is not None
    assert (record.state, record.answers, record.recipe, record.modified_ns) == ("ready", True, "r1", 7)
    (entry,) = store.ledger.history(document.id)
    assert (entry.outcome, entry.content_hash) == ("ready", document.content_hash)
    report = entry.report
    assert report.seconds >= 1.5
    expected = REPORT.model_copy(update={"warnings": ("page 2: crooked \ufffd",)})
    assert report.model_copy(update={"seconds": 1.5}) == expected
    assert store.ledger.mined_from(document.id) == (replace(TERM, extended_name="Bilge \ufffd Pump"),)
    assert store.ledger.records(groups=frozenset({"others"})) == ()


def test_removed_document_keeps_its_name_but_no_text(store: LibraryStore, put: Put) -> None:
    document = put("a.txt", "first")
    removal = store.delete_document(document.id, reason="it was asked for")
    assert (removal.document, removal.vectors, len(removal.chunk_ids)) == (document, 1, 1)
    assert store.ledger.records() == ()
    (record,) = store.ledger.records(state="removed")
    assert (record.reason, record.answers) == ("it was asked for", False)
    assert [entry.outcome for entry in store.ledger.history(document.id)] == ["ready", "removed"]
    assert all(not entry.report.warnings for entry in store.ledger.history(document.id))
    assert (store.documents(), store.document_at(document.path)) == ((), None)
    version = store.version()
    with pytest.raises(NotFound):
        store.delete_document(document.id)
    assert store.version() == version
    put("a.txt", "again", version="2")
    assert [record.state for record in store.ledger.records()] == ["ready"]


def test_reading_marks_of_a_killed_run_are_removed_by_the_next(store: LibraryStore, put: Put) -> None:
    document = put("a.txt", "first")
    store.ledger.begin(document.id, document.path, "everyone")
    store.ledger.begin("new", "/new.txt", "everyone")
    assert [record.path for record in store.ledger.records(state="reading")] == [document.path, "/new.txt"]
    assert store.ledger.end_readings() == {document.path, "/new.txt"}
    assert [(record.path, record.state) for record in store.ledger.records()] == [(document.path, "ready")]


def test_document_ids_are_never_reused(store: LibraryStore) -> None:
    first = store.ledger.id_for("/a.txt")
    document = replace(document_of("a.txt"), id=first, path="/a.txt")
    store.replace_document(document, [], np.empty((0, 0), dtype=np.float32), embedder="m")
    assert store.ledger.id_for("/a.txt") == first
    store.relocate_document(replace(document, path="/b.txt", name="b.txt"), outcome="moved", reason="")
    assert store.ledger.id_for("/b.txt") == first
    assert store.ledger.id_for("/a.txt") != first


def read(store: LibraryStore, document: Document, report: DocumentReport = DocumentReport()) -> None:  # noqa: B008
    store.replace_document(document, [], unit_vectors(0), embedder="m", details=IngestionDetails(report=report))


def names(store: LibraryStore, **query: str) -> list[str]:
    return [record.document_id.removeprefix("id-") for record in store.ledger.records(**query)]  # type: ignore[arg-type]


def test_paths_and_titles_are_searched_literally(store: LibraryStore) -> None:
    for name, title in (("rope_1.md", "100% Anchor"), ("rope-1.md", "ÜBERLAUF"), ("lamp.md", "")):
        read(store, replace(document_of(name), title=title))
    assert names(store) == ["lamp.md", "rope-1.md", "rope_1.md"]
    assert names(store, text="ROPE_1") == ["rope_1.md"]
    assert names(store, text="%") == ["rope_1.md"]
    assert names(store, text="0% anch") == ["rope_1.md"]
    assert names(store, text="überlauf") == ["rope-1.md"]
    assert names(store, text="\x00\ud800' OR 1=1") == []
    paths = [each.path for each in store.ledger.records()]
    assert [each.path for each in store.ledger.records(after=paths[0], limit=1)] == paths[1:2]
    assert set(store.ledger.records_at([*paths, "/none"])) == set(paths)


def test_poor_pages_come_from_the_last_version_of_a_document(store: LibraryStore) -> None:
    read(store, document_of("scan.pdf"), REPORT)
    read(store, document_of("text.pdf"))
    assert names(store, state="poor") == ["scan.pdf"]
    assert (store.ledger.totals()["ready"], store.ledger.totals()["poor"]) == (2, 1)
    read(store, document_of("scan.pdf"))
    assert names(store, state="poor") == []
    read(store, document_of("scan.pdf"), REPORT)
    store.delete_document("id-scan.pdf")
    assert names(store, state="poor") == []
    assert names(store, state="removed") == ["scan.pdf"]


def test_other_groups_are_not_counted(store: LibraryStore) -> None:
    read(store, document_of("a.md", group="crew"), REPORT)
    read(store, document_of("b.md"))
    crew = frozenset({"crew"})
    assert [each.document_id for each in store.ledger.records(groups=crew)] == ["id-a.md"]
    counts = store.ledger.totals(groups=crew)
    assert (counts["ready"], counts["poor"], sum(counts.values())) == (1, 1, 2)
    assert not any(store.ledger.totals(groups=frozenset()).values())
    assert store.ledger.groups() == ("crew", "everyone")


def on(engine: Engine, statement: str) -> str:
    """Return the statement for the kind of database, of ``SQLite | PostgreSQL``."""
    sqlite, _, postgresql = statement.partition(" | ")
    return postgresql if engine.name == "postgresql" and postgresql else sqlite


FAULTS = {
    "chunk without its vector": ("DELETE FROM vectors WHERE chunk_id = :chunk", "1 chunks have no vector"),
    "vector of a section": ("UPDATE chunks SET kind = 'section' WHERE id = :chunk", "vectors belong to no searched"),
    "vector cut short": ("UPDATE vectors SET vector = :bytes WHERE chunk_id = :chunk", "wrong length"),
    "vector of no number": ("UPDATE vectors SET vector = :nan", "contain invalid numbers"),
    "another text": ("UPDATE chunks SET text = 'other words' WHERE id = :chunk", "words that differ from their text"),
    "another title": ("UPDATE chunks SET document_title = 'new' WHERE id = :chunk", "words that differ from"),
    "a word too few": (
        "INSERT INTO chunk_terms(chunk_terms, rowid, words) "
        "SELECT 'delete', number, words FROM chunks WHERE id = :chunk "
        "| DELETE FROM chunk_lexemes WHERE number = (SELECT number FROM chunks WHERE id = :chunk)",
        "lexical index",
    ),
    "a word too many": (
        "INSERT INTO chunk_stems(rowid, words) VALUES (4711, 'ghost') "
        "| UPDATE chunk_lexemes SET terms = CAST('''ghost'':1' AS tsvector)",
        "lexical index",
    ),
    "no record": ("DELETE FROM files", "not in the ledger"),
    "said to be removed": ("UPDATE files SET state = 'removed'", "marked as removed, but their text is still there"),
    "another content": ("UPDATE files SET content_hash = 'x'", "differ from their ledger"),
    "ready and not there": (
        "INSERT INTO files (document_id, path, access_group, state, reason, content_hash, size_bytes, modified_ns, "
        "recipe, mined, changed_at) SELECT 'ghost', path, access_group, state, reason, content_hash, size_bytes, "
        "modified_ns, recipe, mined, changed_at FROM files LIMIT 1",
        "not in the library",
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_each_injected_fault_is_found_and_the_lexical_index_rebuilt(
    store: LibraryStore, engine: Engine, put: Put, name: str
) -> None:
    put("a.txt", "a former pump", version="0")
    document = put("a.txt", "the first pump", "the second pump")
    put("b.txt", "the third pump")
    assert find_faults(engine) == []
    statement, words = FAULTS[name]
    values = {
        "chunk": f"{document.id}-1-passage-0",
        "bytes": np.ones(3, dtype="<f4").tobytes(),
        "nan": np.full(4, np.nan, dtype="<f4").tobytes(),
    }
    with engine.begin() as connection:
        for part in on(engine, statement).split("; "):
            used = {key: value for key, value in values.items() if f":{key}" in part}
            connection.execute(text(part.replace("'':1'", r"''\:1'")), used)
    found = find_faults(engine)
    assert any(on(engine, words) in fault for fault in found), found
    if name in ("another text", "a word too few", "a word too many"):
        version = store.version()
        rebuild_lexical_index(engine)
        assert find_faults(engine) == []
        assert store.version() > version
        store.delete_document(document.id)
        assert find_faults(engine) == []
