"""``golden documents``: what is in the library, and the proof that its indexes agree."""

import asyncio
import json
from pathlib import Path
from typing import Annotated

import typer

from contracts.errors import NotFound

app = typer.Typer(help="The library: list, delete, verify, rebuild.", no_args_is_help=True)


@app.command("list")
def list_(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """List the documents."""
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library

    with open_library(load_settings()) as store:
        documents = store.documents()
    if as_json:
        import dataclasses

        rows = [dataclasses.asdict(document) for document in documents]
        typer.echo(json.dumps(rows, ensure_ascii=False, indent=2))
        return
    for document in documents:
        typer.echo(f"{document.id}  {document.pages:>4} pages  {document.group:<12} {document.path}")


@app.command("delete")
def delete(document: Annotated[str, typer.Argument(help="A document's number, or its file's path.")]) -> None:
    """Remove a document from the library and every index (the file itself stays)."""
    asyncio.run(_delete(document, str(Path(document).resolve())))


async def _delete(name: str, path: str) -> None:
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_application
    from golden_retriever.wiring.indexes import bring_up_indexes

    settings = load_settings()
    async with open_application(settings, one_shot=True) as application:
        store = application.store
        found = store.document(name) or store.document_at(path)
        if found is None:
            raise NotFound(f"there is no document {name} in the library: `golden documents list` shows them")
        store.delete_document(found.id)
        await bring_up_indexes(settings, application.store, application.embedder.name)
    typer.echo(f"deleted {found.path}")


@app.command("verify")
def verify() -> None:
    """Prove that SQL, the vector index and the lexical index hold the same chunks."""
    problems = asyncio.run(_verify())
    for problem in problems:
        typer.echo(problem)
    if problems:
        typer.echo("mend it with: golden documents rebuild")
        raise typer.Exit(1)
    typer.echo("the indexes agree with SQL")


async def _verify() -> list[str]:
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library
    from golden_retriever.wiring.indexes import build_embedder, verify_indexes

    settings = load_settings()
    with open_library(settings) as store:
        return await verify_indexes(settings, store, build_embedder(settings).name)


@app.command("rebuild")
def rebuild() -> None:
    """Drop the derived vector indexes and build them again from SQL."""
    asyncio.run(_rebuild())
    typer.echo("rebuilt")


async def _rebuild() -> None:
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library
    from golden_retriever.wiring.indexes import build_embedder, rebuild_indexes

    settings = load_settings()
    with open_library(settings) as store:
        await rebuild_indexes(settings, store, build_embedder(settings).name)
