"""``golden documents``: the content of the library, and the history of each file."""

import asyncio
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from contracts.errors import NotFound

if TYPE_CHECKING:
    from contracts.documents import FileRecord, HistoryEntry, RemovalProof
    from library.store import LibraryStore

app = typer.Typer(help="The library: list, show, delete, rebuild.", no_args_is_help=True)

State = Literal["reading", "ready", "poor", "duplicate", "failed", "removed"]
Named = Annotated[str, typer.Argument(help="A document's id, or its file's path.")]


@app.command("list")
def list_(
    state: Annotated[
        State | None,
        typer.Option(help="Only files in this state (poor: read badly by OCR); default: all except removed."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the documents and the files that could not be read, with their states."""
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library

    with open_library(load_settings()) as store:
        records = store.ledger.records(state=state)
    if as_json:
        rows = [record.model_dump(mode="json", by_alias=True) for record in records]
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=2))
    else:
        _print(map(_list_line, records))


@app.command("show")
def show(document: Named) -> None:
    """Show a document's state, its history, and the report of the last time it was read."""
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library

    with open_library(load_settings()) as store:
        record = find_record(store, document)
        _print(_show_lines(record, store.ledger.history(record.document_id)))


@app.command("delete")
def delete(document: Named) -> None:
    """Remove a document from the library and every index, and prove that it is gone (the file itself stays)."""
    proof = asyncio.run(_delete(document))
    _print(_proof_lines(proof))
    if proof.problems:
        raise typer.Exit(1)


async def _delete(name: str) -> "RemovalProof":
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_application
    from golden_retriever.wiring.indexes import bring_up_indexes

    settings = load_settings()
    async with open_application(settings, one_shot=True) as application:
        record = find_record(application.store, name)
        if not record.answers:
            raise NotFound(f"{name} has the state {record.state}, but the library has no version of it: nothing to do")
        proof = await application.remove_document(record.document_id)
        await bring_up_indexes(settings, application.store, application.embedder.name)
    return proof


def find_record(store: "LibraryStore", name: str) -> "FileRecord":
    """Return the record of the document with this id, or of the file at this path.

    Raises:
        NotFound: there is none.
    """
    record = store.ledger.record(name) or store.ledger.record_at(str(Path(name).expanduser().resolve()))
    record = record or store.ledger.record_at(name)
    if record is None:
        raise NotFound(f"there is no document {name} in the library: `golden documents list` shows them")
    return record


@app.command("rebuild")
def rebuild() -> None:
    """Drop the derived indexes (vectors, words) and build them again from SQL."""
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library
    from golden_retriever.wiring.indexes import build_embedder, rebuild_indexes

    settings = load_settings()
    with open_library(settings) as store:
        asyncio.run(rebuild_indexes(settings, store, build_embedder(settings).name))
    typer.echo("rebuilt")


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        typer.echo(line)


def _shown(text: str) -> str:
    # The progress-bar module is slow to load, so it is not used here.
    from golden_retriever.cli.progress import shown

    return shown(text)


def _list_line(record: "FileRecord") -> str:
    pages = f"{record.pages:>4} pages" if record.answers else " " * 10
    suffix = f": {_shown(record.reason)}" if record.reason else ""
    older = "  (an earlier version is in use)" if record.state == "failed" and record.answers else ""
    return f"{record.document_id}  {record.state:<9} {pages}  {record.group:<12} {_shown(record.path)}{suffix}{older}"


def _show_lines(record: "FileRecord", history: "Sequence[HistoryEntry]") -> Iterator[str]:
    yield _shown(record.path)
    yield f"  id       {record.document_id}"
    yield f"  state    {record.state}" + (f": {_shown(record.reason)}" if record.reason else "")
    yield f"  answers  {'yes' if record.answers else 'no'}, for the readers of {record.group}"
    if record.answers:
        yield f"  title    {_shown(record.title)}"
    read = [entry for entry in history if entry.outcome == "ready"]
    if read and record.answers:
        yield from _reading_lines(read[-1])
    yield "  history"
    for entry in history:
        suffix = f": {_shown(entry.reason)}" if entry.reason else ""
        content = f"  content {entry.content_hash[:12]}" if entry.content_hash else ""
        yield f"    {entry.finished_at:%Y-%m-%d %H:%M:%S}  {entry.outcome:<10}{content}{suffix}"


def _reading_lines(entry: "HistoryEntry") -> Iterator[str]:
    report = entry.report
    yield (
        f"  read     {report.pages} pages, {report.ocr_pages} by OCR, {report.tables} tables, {report.chunks} chunks, "
        f"{report.mined_terms} mined terms"
    )
    yield f"  seconds  {report.seconds:.1f}"
    for warning in report.warnings:
        yield f"  warning  {_shown(warning)}"
    for page in report.poor_pages:
        yield f"  poor     page {page.page}: {_shown(page.reason)}"


def _proof_lines(proof: "RemovalProof") -> Iterator[str]:
    yield f"deleted {_shown(proof.path)}: {proof.chunks} chunks, {proof.vectors} vectors"
    for problem in proof.problems:
        yield f"but {problem}: golden documents rebuild"
    if proof.gone:
        yield f"searched for {proof.searched_again} of its chunks by words and by vectors: none is found"
    for copy in proof.copies:
        what = "answers" if copy.answers else "will be read at the next ingestion"
        yield f"but {_shown(copy.path)} has the same content, and {what}"
