import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import Engine

from contracts.errors import InvalidInput, NotFound
from contracts.question import SuggestedQuestion, SuggestionKind
from contracts.text import PageBox, Span, TextBox
from library.store import LibraryStore
from library.suggested_questions import SuggestedQuestionStore
from tests.library.samples import Put, chunk_of, document_of, unit_vectors


def test_stored_document_is_returned_unchanged(store: LibraryStore) -> None:
    document = replace(document_of("a.pdf"), title="Handbook", size_bytes=5_000_000_000)
    box = TextBox(span=Span(0, 3), box=PageBox(page=2, x0=1.5, top=2.25, x1=3.0, bottom=4.0))
    section = chunk_of(document, "section", 0, "whole")
    passage = replace(
        chunk_of(document, "passage", 0, "part", section.id),
        page=2,
        last_page=3,
        heading_path=("One", "Two"),
        headings=(Span(0, 1), Span(2, 4)),
        code=(Span(5, 6),),
        block_kind="table",
        boxes=(box, replace(box, confidences=(0.97, 0.0, 1.0))),
        document_title="Handbook",
    )
    summary = chunk_of(document, "summary", 0, "gist", section.id)
    vectors = np.array([[0.1, 0.2], [0.3, -0.4]], dtype=np.float32)
    store.replace_document(document, [section, passage, summary], vectors, embedder="model-a")

    assert store.document(document.id) == document
    assert store.document_at(document.path) == document
    assert store.documents() == (document,)
    assert list(store.chunks([summary.id, "absent", section.id, passage.id]).values()) == [summary, section, passage]
    np.testing.assert_array_equal(store.vectors([summary.id, passage.id]), vectors[::-1])
    assert store.embedders() == ("model-a",)
    assert store.searchable_ids(embedder="model-a") == sorted([passage.id, summary.id])
    assert store.searchable_ids(embedder="model-b") == []
    assert store.counts() == (1, 3)
    assert store.count_passages() == store.count_passages(groups=frozenset({document.group})) == 1
    assert store.count_passages(groups=frozenset()) == 0


def test_new_version_replaces_the_old_one(store: LibraryStore, put: Put) -> None:
    put("a.txt", "first", "second")
    before = store.version()
    document = put("a.txt", "third", version="2")
    assert store.version() > before
    assert store.documents() == (document,)
    assert [chunk.text for chunk in store.document_chunks(document.id)] == ["third"]
    with pytest.raises(NotFound, match="absent"):
        store.vectors([f"{document.id}-2-passage-0", "absent"])
    assert store.searchable_ids(embedder="test-model") == [f"{document.id}-2-passage-0"]


def test_vector_with_nan_is_refused_without_changes(store: LibraryStore, put: Put) -> None:
    document = put("a.txt", "first")
    version = store.version()
    new = chunk_of(replace(document, content_hash="2"), "passage", 0, "new")
    with pytest.raises(InvalidInput):
        store.replace_document(document, [new], np.full((1, 4), np.nan, dtype=np.float32), embedder="test-model")
    assert store.version() == version
    assert [chunk.text for chunk in store.document_chunks(document.id)] == ["first"]


def test_groups_separate_documents_and_one_without_text_is_kept(store: LibraryStore, put: Put) -> None:
    put("a.txt", "first", group="everyone")
    secret = put("b.txt", "second", group="board")
    empty = document_of("empty.txt")
    store.replace_document(empty, [], np.empty((0, 0), dtype=np.float32), embedder="test-model")
    assert store.documents(groups=frozenset({"board"})) == (secret,)
    assert store.documents(groups=frozenset()) == ()
    assert empty in store.documents()
    assert len(store.documents()) == 3
    assert store.searchable_groups(embedder="test-model")[f"{secret.id}-1-passage-0"] == "board"
    assert store.vectors([]).shape == (0, 0)


def test_a_summary_names_the_passages_of_its_section_in_order(store: LibraryStore) -> None:
    document = document_of("a.txt")
    section = chunk_of(document, "section", 0, "whole")
    passages = [chunk_of(document, "passage", number, f"part {number}", section.id) for number in (11, 2, 1)]
    summary = chunk_of(document, "summary", 0, "gist", section.id)
    store.replace_document(document, [section, *passages, summary], unit_vectors(4), embedder="test-model")
    expected = tuple(passage.id for passage in reversed(passages))
    assert store.summarised_passages([passages[0].id, summary.id, section.id, "absent"]) == {summary.id: expected}


def test_many_ids_are_batched(store: LibraryStore) -> None:
    document = document_of("long.txt")
    chunks = [chunk_of(document, "passage", number, f"word{number}") for number in range(2_500)]
    vectors = np.random.default_rng(7).normal(size=(2_500, 8)).astype(np.float32)
    store.replace_document(document, chunks, vectors, embedder="test-model")
    wanted = [chunk.id for chunk in reversed(chunks)]
    assert list(store.chunks(wanted)) == wanted
    np.testing.assert_array_equal(store.vectors(wanted), vectors[::-1])
    (batch,) = store.document_vectors([document.id], embedder="test-model")
    assert set(zip(*batch[:2], strict=True)) == {(chunk_id, document.id) for chunk_id in wanted}
    np.testing.assert_array_equal(batch[2], store.vectors(batch[0]))
    assert list(store.document_vectors([document.id], embedder="another")) == []


def test_vectors_of_another_model_are_distinguished(store: LibraryStore, put: Put) -> None:
    stale = put("a.txt", "first")
    document = document_of("b.txt")
    chunk = chunk_of(document, "passage", 0, "second")
    store.replace_document(document, [chunk], np.ones((1, 3), dtype=np.float32), embedder="new-model")
    assert store.embedders() == ("new-model", "test-model")
    assert store.stale_ids(embedder="new-model") == [f"{stale.id}-1-passage-0"]
    assert store.vectors([chunk.id]).tolist() == [[1.0, 1.0, 1.0]]
    assert store.searchable_ids(embedder="new-model") == [chunk.id]


def test_readers_never_see_half_a_document(store: LibraryStore, engine: Engine) -> None:
    def write(worker: int) -> None:
        for version in range(8):
            document = document_of(f"{worker}.txt", version=str(version))
            chunks = [chunk_of(document, "passage", number, f"version{version}") for number in range(3 + version)]
            LibraryStore(engine).replace_document(document, chunks, unit_vectors(3 + version), embedder="test-model")

    finished = threading.Event()

    def read() -> None:
        while not finished.is_set():
            for worker in range(3):
                versions = [chunk.text for chunk in store.document_chunks(f"id-{worker}.txt")]
                assert not versions or versions == [versions[0]] * (3 + int(versions[0][-1]))

    with ThreadPoolExecutor(5) as threads:
        readers = [threads.submit(read) for _ in range(2)]
        try:
            assert list(threads.map(write, range(3))) == [None] * 3
        finally:
            finished.set()
        assert [reader.result() for reader in readers] == [None] * 2
    assert store.version() == 24
    assert store.counts() == (3, 3 * 10)


@pytest.fixture
def offered(engine: Engine) -> SuggestedQuestionStore:
    return SuggestedQuestionStore(engine)


def about(subject: str, kind: SuggestionKind = "cell", certainty: float = 0.8) -> SuggestedQuestion:
    return SuggestedQuestion(text=f"What is {subject}?", kind=kind, subject=subject, certainty=certainty)


def test_suggested_questions_are_deleted_with_their_document_version(
    store: LibraryStore, offered: SuggestedQuestionStore, put: Put
) -> None:
    first, second = put("a.txt", "one"), put("b.txt", "two")
    assert set(offered.unchecked(10)) == {first, second}
    assert len(offered.unchecked(1)) == 1
    offered.keep(first, [about("flow")])
    offered.keep(first, [about("too late")])
    offered.keep(second, [])
    assert (offered.unchecked(10), offered.examples()) == ((), ("What is flow?",))

    changed = put("a.txt", "another", version="2")
    offered.keep(first, [about("flow")])
    assert (offered.unchecked(10), offered.examples()) == ((changed,), ())
    offered.keep(changed, [about("level")])
    store.delete_document(changed.id)
    assert offered.of_documents([changed.id, second.id]) == ()
    offered.keep(changed, [about("level")])
    assert offered.examples() == ()


def test_examples_cover_several_documents_kinds_and_subjects(offered: SuggestedQuestionStore, put: Put) -> None:
    for name in ("a", "b", "c"):
        rows = [about(f"{name}{number}", certainty=0.99) for number in range(4)]
        offered.keep(put(f"{name}.txt", name), [about("PLR", "term"), about(f"Steps of {name}", "procedure"), *rows])
    assert offered.examples() == ("What is a0?", "What is PLR?", "What is Steps of c?", "What is a1?")


def test_example_questions_come_from_readable_documents_only(offered: SuggestedQuestionStore, put: Put) -> None:
    secret, plain = put("a.txt", "one", group="board"), put("b.txt", "two")
    offered.keep(secret, [about("the merger")])
    offered.keep(plain, [about("lunch")])
    everyone = frozenset({"everyone"})
    assert offered.examples(everyone) == ("What is lunch?",)
    assert [each.subject for each in offered.of_documents([secret.id, plain.id], everyone)] == ["lunch"]
    assert offered.examples(frozenset()) == ()
