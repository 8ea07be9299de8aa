"""``golden documents``: what is in the library, what became of each file, and the proof that the indexes agree."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from contracts.errors import NotFound

if TYPE_CHECKING:
    from contracts.documents import FileRecord, RemovalProof
    from library.store import LibraryStore

app = typer.Typer(help="The library: list, show, report, delete, verify, rebuild.", no_args_is_help=True)

State = Literal["reading", "ready", "duplicate", "failed", "removed"]
Named = Annotated[str, typer.Argument(help="A document's id, or its file's path.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_(
    state: Annotated[State | None, typer.Option(help="Only files in this state; else all but the removed.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the documents and the files that could not be read, with their states."""
    from golden_retriever.cli.documents_rendering import list_line, record_values
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library

    with open_library(load_settings()) as store:
        records = store.ledger.records(state=state)
        names = {document.id: document for document in store.documents()} if as_json else {}
    if as_json:
        rows = [record_values(record, names.get(record.document_id)) for record in records]
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    for record in records:
        typer.echo(list_line(record))


@app.command("show")
def show(document: Named, as_json: AsJson = False) -> None:
    """Show a document's state, its history, and the report of its last reading."""
    from golden_retriever.cli.documents_rendering import entry_values, record_values, show_lines
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library

    with open_library(load_settings()) as store:
        record = _find(store, document)
        history = store.ledger.history(record.document_id)
        stored = store.document(record.document_id)
    if as_json:
        values = {**record_values(record, stored), "history": [entry_values(entry) for entry in history]}
        typer.echo(json.dumps(values, ensure_ascii=False, indent=2))
        return
    for line in show_lines(record, history):
        typer.echo(line)


@app.command("report")
def report(
    as_json: AsJson = False,
    poor_pages: Annotated[
        Path | None, typer.Option(file_okay=False, help="Write pictures of the poor pages into this folder, as PNG.")
    ] = None,
) -> None:
    """Report what was read: sums, failed files, warnings, and the pages that a person should look at."""
    from golden_retriever.cli.documents_rendering import report_lines
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library
    from golden_retriever.wiring.library_checks import report_library

    with open_library(load_settings()) as store:
        found = report_library(store, pictures=poor_pages)
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False, indent=2))
        return
    for line in report_lines(found):
        typer.echo(line)


@app.command("delete")
def delete(document: Named, as_json: AsJson = False) -> None:
    """Remove a document from the library and every index, and prove that it is gone (the file itself stays)."""
    proof = asyncio.run(_delete(document))
    from golden_retriever.cli.documents_rendering import proof_lines, proof_values

    if as_json:
        typer.echo(json.dumps(proof_values(proof), ensure_ascii=False, indent=2))
    else:
        for line in proof_lines(proof):
            typer.echo(line)
    if proof.problems:
        raise typer.Exit(1)


async def _delete(name: str) -> "RemovalProof":
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_application
    from golden_retriever.wiring.indexes import bring_up_indexes

    settings = load_settings()
    async with open_application(settings, one_shot=True) as application:
        record = _find(application.store, name)
        if not record.answers:
            raise NotFound(f"{name} is known as {record.state}, but no version of it is in the library: nothing to do")
        proof = await application.remover.remove(record.document_id)
        await bring_up_indexes(settings, application.store, application.embedder.name)
    return proof


def _find(store: "LibraryStore", name: str) -> "FileRecord":
    record = store.ledger.record(name) or store.ledger.record_at(str(Path(name).expanduser().resolve()))
    record = record or store.ledger.record_at(name)
    if record is None:
        raise NotFound(f"there is no document {name} in the library: `golden documents list` shows them")
    return record


@app.command("verify")
def verify() -> None:
    """Prove that SQL, the vectors, the lexical index and the ledger hold the same, and nothing that was removed."""
    problems = asyncio.run(_verify())
    for problem in problems:
        typer.echo(problem)
    if problems:
        typer.echo("mend indexes with: golden documents rebuild; what is left, by deleting and ingesting the document")
        raise typer.Exit(1)
    typer.echo("the indexes agree with SQL")


async def _verify() -> list[str]:
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library
    from golden_retriever.wiring.indexes import build_embedder
    from golden_retriever.wiring.library_checks import verify_indexes

    settings = load_settings()
    with open_library(settings) as store:
        return await verify_indexes(settings, store, build_embedder(settings).name)


@app.command("rebuild")
def rebuild() -> None:
    """Drop the derived indexes (vectors, words) and build them again from SQL."""
    asyncio.run(_rebuild())
    typer.echo("rebuilt")


async def _rebuild() -> None:
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library
    from golden_retriever.wiring.indexes import build_embedder, rebuild_indexes

    settings = load_settings()
    with open_library(settings) as store:
        await rebuild_indexes(settings, store, build_embedder(settings).name)
