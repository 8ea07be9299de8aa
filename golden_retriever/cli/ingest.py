"""``golden ingest``."""

import asyncio
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

if TYPE_CHECKING:
    from golden_retriever.cli.progress import Watch

_INTERRUPTED = 130

Engine = Literal["local", "ray"]


def ingest(
    paths: Annotated[list[Path] | None, typer.Argument(help="Files, folders and archives.", exists=True)] = None,
    group: Annotated[str, typer.Option(help="Who may read them: the name of a group.")] = "everyone",
    prune: Annotated[bool, typer.Option(help="Remove documents of these folders whose files are gone.")] = False,
    check_content: Annotated[
        bool, typer.Option("--check-content", help="Look for changes in the content, not in size and time.")
    ] = False,
    loader: Annotated[
        str | None,
        typer.Option(help="Read what a LangChain document loader brings: its name, or package.module:Class."),
    ] = None,
    loader_arg: Annotated[
        list[str] | None,
        typer.Option(help="name=value for the loader, JSON or text; name=env:VARIABLE keeps a secret off the line."),
    ] = None,
    engine: Annotated[
        Engine | None,
        typer.Option(help="Read in processes of this machine, or on a Ray cluster. Default: GOLDEN_INGEST_ENGINE."),
    ] = None,
    ray_address: Annotated[
        str | None,
        typer.Option(help="The Ray cluster: auto, or ray://host:10001. Default: GOLDEN_RAY_ADDRESS."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON line for each event.")] = False,
) -> None:
    """Read documents into the library; unchanged files are skipped, moved ones recognised, bad ones reported."""
    from golden_retriever.cli.progress import summary, watching

    if bool(paths) == bool(loader) or (loader_arg and not loader):
        raise typer.BadParameter("name files or folders, or one --loader with its --loader-arg")
    if ray_address is not None and engine == "local":
        raise typer.BadParameter("--ray-address is for --engine ray")
    chosen = _chosen(engine, ray_address)
    failure = ""
    with watching(as_json=as_json) as watch:
        try:
            if loader:
                failure = asyncio.run(_ingest_loader(loader, loader_arg or [], group, prune, watch, chosen))
            else:
                asyncio.run(_ingest(paths or [], group, prune, check_content, watch, chosen))
        except KeyboardInterrupt:
            stopped = True
        else:
            stopped = False
    report = watch.report()
    if stopped:
        done = f"{summary(report)}. What was read is stored; run" if report.counts else "no file was done yet. Run"
        typer.echo(f"stopped: {done} it again to go on.", err=True)
        raise typer.Exit(_INTERRUPTED)
    watch.show_end()
    if failure:
        typer.echo(failure, err=True)
        raise typer.Exit(1)
    if report.counts and report.counts.keys() == {"failed"}:
        raise typer.Exit(1)


def _chosen(engine: Engine | None, ray_address: str | None) -> dict[str, str]:
    """Return the settings that the command line decides; an address of a cluster alone asks for it."""
    if ray_address is not None:
        return {"ingest_engine": "ray", "ray_address": ray_address}
    return {"ingest_engine": engine} if engine is not None else {}


async def _ingest(
    paths: list[Path], group: str, prune: bool, check_content: bool, watch: "Watch", chosen: dict[str, str]
) -> None:
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring.application import open_collection
    from golden_retriever.wiring.indexes import bring_up_indexes

    settings = load_settings(**chosen)
    async with open_collection(settings) as collection:
        await collection.pipeline.ingest(
            paths, group=group, prune=prune, check_content=check_content, on_event=watch.hear
        )
        await bring_up_indexes(settings, collection.store, collection.embedder.name)


async def _ingest_loader(
    loader: str, typed: list[str], group: str, prune: bool, watch: "Watch", chosen: dict[str, str]
) -> str:
    """Ingest what a loader brings; return what a person must hear of it, "" if all went well."""
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring.application import open_collection
    from golden_retriever.wiring.indexes import bring_up_indexes
    from ingestion.loaders import ingest_loader, parse_call

    call = parse_call(loader, typed, os.environ)
    settings = load_settings(**chosen)
    async with open_collection(settings) as collection:
        loaded = await ingest_loader(
            collection.pipeline, collection.store, call, group=group, prune=prune, on_event=watch.hear
        )
        await bring_up_indexes(settings, collection.store, collection.embedder.name)
    return "; ".join(each for each in (loaded.failure, loaded.not_pruned) if each)
