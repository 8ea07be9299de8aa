"""Loaders of langchain_community that need no network, and some of the test's own that fail."""

import json
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document as LoadedDocument

from contracts.errors import ConfigurationError, InvalidInput, Unavailable
from contracts.text import Document
from ingestion.loaders import LoaderFolder
from ingestion.pipeline import IngestionPipeline
from ingestion.remote_folders import Fetched
from ingestion.reports import IngestionReport
from library.store import LibraryStore
from tests.hashing_embedder import HashingEmbedder

pytest.importorskip("langchain_community", reason="the extra loaders is not installed")
Load = Callable[..., Any]
# The loaders below, by name.
OWN = f"{__name__}:"


class WikiLoader(BaseLoader):
    """Gives the pages in a JSON file, each from an address; where a page's text is FAIL, it fails as a server does."""

    def __init__(self, path: str, token: str = "") -> None:
        self._path = path
        self._token = token

    def lazy_load(self) -> Iterator[LoadedDocument]:
        for name, text in json.loads(Path(self._path).read_text()).items():
            if text == "FAIL":
                raise ConnectionError(f"GET https://wiki.example/{name}?token={self._token} timed out")
            source = f"https://wiki.example/{name}"
            yield LoadedDocument(
                page_content=text, metadata={"source": source, "title": f"Page {name}", "at": os.urandom(4)}
            )


class NeedyLoader:
    """Needs a package that nobody has."""

    def lazy_load(self) -> Iterator[LoadedDocument]:
        import a_package_that_nobody_has  # noqa: F401

        yield LoadedDocument(page_content="never")


@pytest.fixture
def load(make_pipeline: Callable[..., IngestionPipeline], tmp_path: Path) -> Load:
    pipeline = make_pipeline()

    async def run(
        loader: str, *typed: str, environment: dict[str, str] | None = None, **options: Any
    ) -> tuple[IngestionReport, str]:
        folder, failure = LoaderFolder(loader, typed, environment or {}, tmp_path / "remote"), ""
        try:
            folder.fetch()
        except Unavailable as error:
            failure = str(error)
        return await pipeline.ingest([folder.copy], **options), failure

    return run


def by_name(store: LibraryStore) -> dict[str, Document]:
    return {document.name: document for document in store.documents()}


def texts(store: LibraryStore) -> str:
    found = store.chunks(store.searchable_ids(embedder=HashingEmbedder().name))
    return "\n".join(chunk.text for chunk in found.values())


async def test_loader_reads_documents_as_rows_html_or_markdown(load: Load, store: LibraryStore, tmp_path: Path) -> None:
    (tmp_path / "gate.txt").write_text("The gate opens at six.")
    await load("DirectoryLoader", f"path={tmp_path}", "glob=*.txt", "loader_cls=TextLoader")
    rooms = tmp_path / "rooms.csv"
    rooms.write_text("room,use\nA1,tools and parts\nA2,paint and brushes\n")
    await load("CSVLoader", f"file_path={rooms}", group="staff")
    assert set(by_name(store)) == {"gate.txt", "rooms.csv#row=0.txt", "rooms.csv#row=1.txt"}
    assert by_name(store)["rooms.csv#row=0.txt"].group == "staff"
    assert "tools and parts" in texts(store)
    page = tmp_path / "page.html"
    page.write_text("<html><head><title>Crane rules</title></head><body><p>Lift slowly.</p></body></html>")
    await load("BSHTMLLoader", f"file_path={page}", 'bs_kwargs={"features": "lxml"}')
    assert by_name(store)["Crane rules.txt"].title == "Crane rules"
    wiki = tmp_path / "wiki.json"
    wiki.write_text(json.dumps({"w": "# Winches\n\nTurn them.\n\n| Winch | Load |\n|---|---|\n| W1 | 2 t |"}))
    await load(OWN + "WikiLoader", f"path={wiki}")
    document = by_name(store)["Page w.md"]
    assert (document.title, "wiki.example-w" in document.path) == ("Page w", True)
    assert "Winch | Load\nW1 | 2 t" in texts(store)


async def test_loader_failure_keeps_earlier_documents(load: Load, store: LibraryStore, tmp_path: Path) -> None:
    wiki = tmp_path / "wiki.json"
    arguments = (OWN + "WikiLoader", f"path={wiki}", "token=env:WIKI")

    async def load_pages(pages: dict[str, str], **options: Any) -> tuple[IngestionReport, str]:
        wiki.write_text(json.dumps(pages))
        loaded: tuple[IngestionReport, str] = await load(*arguments, environment={"WIKI": "s3cr3t-t0ken"}, **options)
        return loaded

    await load_pages({"a": "First page of three.", "b": "Second page of three.", "c": "Third page of three."})
    report, failure = await load_pages({"a": "New first page.", "b": "FAIL"}, prune=True)
    assert report.count("ingested") == 1
    for told in ("ConnectionError", "timed out", "documents are kept"):
        assert told in failure
    assert "s3cr3t" not in failure
    assert set(by_name(store)) == {"Page a.txt", "Page b.txt", "Page c.txt"}
    assert "New first page" in texts(store)
    assert "First page of three" not in texts(store)
    assert f"{OWN}WikiLoader failed" in (await load_pages({"a": "FAIL"}, prune=True))[1]
    assert "no documents at all" in (await load_pages({}, prune=True))[1]
    assert len(by_name(store)) == 3
    assert (await load_pages({"a": "New first page."}, prune=True))[0].count("unchanged") == 1
    assert set(by_name(store)) == {"Page a.txt"}


def test_invalid_loader_call_is_explained(tmp_path: Path) -> None:
    for loader, typed, error, reason in [
        ("ConfluenceLoadr", [], InvalidInput, "no document loader 'ConfluenceLoadr'"),
        ("no_such.module:Loader", [], Unavailable, "No module named 'no_such'"),
        (OWN + "NoSuch", [], InvalidInput, "no document loader"),
        (OWN + "Path", [], InvalidInput, "it has no lazy_load"),
        ("TextLoader", ["file=x"], InvalidInput, r"it takes \(file_path"),
        (OWN + "NeedyLoader", [], Unavailable, "a_package_that_nobody_has"),
        ("TextLoader", ["file_path"], InvalidInput, "name=value"),
        ("TextLoader", ["file_path=a", "file_path=b"], InvalidInput, "each name once"),
        ("TextLoader", ["file_path=env:NOT_SET"], ConfigurationError, "NOT_SET"),
    ]:
        with pytest.raises(error, match=reason):
            LoaderFolder(loader, typed, {}, tmp_path).fetch()


def test_copies_are_named_by_arguments_without_secrets(tmp_path: Path) -> None:
    environment = {"ONE": "first-secret", "TWO": "second-secret"}
    one = LoaderFolder("L", ["space=ENG", "limit=5", "token=env:ONE"], environment, tmp_path)
    two = LoaderFolder("L", ["limit=5", "space=ENG", "token=env:TWO"], environment, tmp_path)
    other = LoaderFolder("L", ["space=OPS", "limit=5", "token=env:ONE"], environment, tmp_path)
    assert one.copy == two.copy != other.copy


def test_names_of_documents_are_names_of_files_without_secrets(tmp_path: Path) -> None:
    wiki = tmp_path / "wiki.json"
    wiki.write_text(json.dumps({"../../s3cr3t/.x": "The hatch opens.", "b?": "<p>The <b>valve</b> s3cr3t.</p>"}))
    folder = LoaderFolder(OWN + "WikiLoader", [f"path={wiki}", "token=env:T"], {"T": "s3cr3t"}, tmp_path / "remote")
    assert folder.fetch().new == 2
    assert folder.fetch() == Fetched()
    copied = [each for each in (tmp_path / "remote").rglob("*") if each.is_file()]
    assert sorted(each.name for each in copied) == ["Page ..-..-•••-.x.txt", "Page b-.html"]
    assert all(len(each.relative_to(folder.copy).parts) == 2 for each in copied)
    assert not any("s3cr3t" in f"{each}{each.read_text()}" for each in copied)
