"""The catalogue of files, on SQLite and PostgreSQL."""

from dataclasses import replace

import pytest

from contracts.text import Document
from library.catalogue import DocumentCatalogue
from library.store import LibraryStore
from library.values import DocumentReport, PoorPage, Reading
from tests.library.samples import document_of, unit_vectors

POOR = DocumentReport(pages=1, ocr_pages=1, poor_pages=(PoorPage(page=1, reason="faint", confidence=0.3),))


@pytest.fixture
def catalogue(store: LibraryStore) -> DocumentCatalogue:
    return DocumentCatalogue(store.engine)


def put(store: LibraryStore, document: Document, report: DocumentReport = DocumentReport()) -> None:  # noqa: B008
    store.replace_document(document, [], unit_vectors(0), embedder="m", reading=Reading(report=report))


def names(catalogue: DocumentCatalogue, **query: str) -> list[str]:
    return [record.document_id.removeprefix("id-") for record in catalogue.page(**query)]  # type: ignore[arg-type]


def test_paths_and_titles_are_sought_as_they_are_written(store: LibraryStore, catalogue: DocumentCatalogue) -> None:
    for name, title in (("rope_1.md", "100% Anchor"), ("rope-1.md", "ÜBERLAUF"), ("lamp.md", "")):
        put(store, replace(document_of(name), title=title))
    assert names(catalogue) == ["lamp.md", "rope-1.md", "rope_1.md"]
    assert names(catalogue, text="ROPE_1") == ["rope_1.md"]
    assert names(catalogue, text="%") == ["rope_1.md"]
    assert names(catalogue, text="0% anch") == ["rope_1.md"]
    assert names(catalogue, text="überlauf") == ["rope-1.md"]
    assert names(catalogue, text="\x00\ud800' OR 1=1") == []
    assert [each.path for each in catalogue.page(after="/documents/lamp.md", limit=1)] == ["/documents/rope-1.md"]


def test_a_document_has_poor_pages_as_its_last_reading_had(store: LibraryStore, catalogue: DocumentCatalogue) -> None:
    put(store, document_of("scan.pdf"), POOR)
    put(store, document_of("text.pdf"))
    assert names(catalogue, state="poor") == ["scan.pdf"]
    assert (catalogue.totals()["ready"], catalogue.totals()["poor"]) == (2, 1)
    put(store, document_of("scan.pdf"))
    assert names(catalogue, state="poor") == []
    put(store, document_of("scan.pdf"), POOR)
    store.delete_document("id-scan.pdf")
    assert names(catalogue, state="poor") == []
    assert names(catalogue, state="removed") == ["scan.pdf"]


def test_other_groups_are_not_counted(store: LibraryStore, catalogue: DocumentCatalogue) -> None:
    put(store, document_of("a.md", group="crew"), POOR)
    put(store, document_of("b.md"))
    crew = frozenset({"crew"})
    assert [each.document_id for each in catalogue.page(groups=crew)] == ["id-a.md"]
    assert {state: count for state, count in catalogue.totals(groups=crew).items() if count} == {"ready": 1, "poor": 1}
    assert not any(catalogue.totals(groups=frozenset()).values())
    assert catalogue.groups() == ("crew", "everyone")
