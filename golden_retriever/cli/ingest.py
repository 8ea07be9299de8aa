"""``golden ingest``."""

import asyncio
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from contracts.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from golden_retriever.cli.progress import Watch
    from ingestion.loaders import LoaderFolder
    from ingestion.remote_folders import RemoteFolder

_INTERRUPTED = 130

Engine = Literal["local", "ray"]


def ingest(
    paths: Annotated[
        list[str] | None,
        typer.Argument(help="Files, folders and archives, or addresses of folders such as s3://bucket/manuals."),
    ] = None,
    group: Annotated[str, typer.Option(help="Who may read them: the name of a group.")] = "everyone",
    prune: Annotated[bool, typer.Option(help="Remove documents of these folders whose files are gone.")] = False,
    loader: Annotated[
        str | None, typer.Option(help="Read the documents of a LangChain loader: its name, or package.module:Class.")
    ] = None,
    loader_arg: Annotated[
        list[str] | None,
        typer.Option(
            help="name=value for the loader, JSON or text; name=env:VARIABLE keeps a secret off the command line."
        ),
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Keep running and ingest changes until Ctrl+C.")] = False,
    engine: Annotated[
        Engine | None,
        typer.Option(help="Read in processes on this machine, or on a Ray cluster. Default: GOLDEN_INGEST_ENGINE."),
    ] = None,
) -> None:
    """Read documents into the library; unchanged files are skipped, moved ones recognised, bad ones reported."""
    from golden_retriever.cli.progress import summary, watching
    from ingestion.remote_folders import is_remote

    if not (paths or loader) or (loader_arg and not loader):
        raise typer.BadParameter("name files or folders, or one --loader with its --loader-arg")
    for path in paths or []:
        if not is_remote(path) and not Path(path).exists():
            raise typer.BadParameter(f"{path} does not exist")
    stopped, failure = False, ""
    with watching() as console:
        try:
            failure = asyncio.run(
                _ingest(paths or [], loader, loader_arg or [], group, prune, console, engine, watch=watch)
            )
        except KeyboardInterrupt:
            stopped = True
    report = console.report()
    if stopped and not watch:
        done = f"{summary(report)}. What was read is stored; run" if report.counts else "no file was finished yet. Run"
        typer.echo(f"stopped: {done} it again to continue.", err=True)
        raise typer.Exit(_INTERRUPTED)
    console.show_end()
    if failure:
        typer.echo(failure, err=True)
        raise typer.Exit(1)
    if report.counts and report.counts.keys() == {"failed"}:
        raise typer.Exit(1)


async def _ingest(
    paths: list[str],
    loader: str | None,
    typed: list[str],
    group: str,
    prune: bool,
    console: "Watch",
    engine: Engine | None,
    *,
    watch: bool,
) -> str:
    """Ingest files and a loader's documents; return a message to show at the end, "" if all went well."""
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring.application import open_collection
    from golden_retriever.wiring.indexes import bring_up_indexes
    from ingestion.loaders import LoaderFolder
    from ingestion.remote_folders import RemoteFolder, is_remote
    from ingestion.watched_folders import FolderWatcher

    settings = load_settings(**({"ingest_engine": engine} if engine is not None else {}))
    root = settings.data_dir / "remote"
    remote: list[RemoteFolder | LoaderFolder] = [RemoteFolder(path, root) for path in paths if is_remote(path)]
    if loader is not None:
        remote.append(LoaderFolder(loader, typed, os.environ, root))
    folders = [*(Path(path) for path in paths if not is_remote(path)), *(each.copy for each in remote)]
    messages: tuple[str, ...] = ()
    async with open_collection(settings) as collection:
        pipeline, store = collection.pipeline, collection.store
        if watch:
            after = partial(bring_up_indexes, settings, store, collection.embedder.name)
            before = partial(_fetch_again, remote, set())
            watcher = FolderWatcher(pipeline, folders, group=group, prune=prune, before=before, after=after)
            await watcher.watch(partial(typer.echo, err=True), console.hear)
        else:
            messages = await _fetch(remote)
            # A folder that was never fetched does not exist; its error is reported at the end.
            folders = [each for each in folders if each.exists()]
            await pipeline.ingest(folders, group=group, prune=prune, on_event=console.hear)
        await bring_up_indexes(settings, store, collection.embedder.name)
    return "; ".join(messages)


async def _fetch(folders: "Sequence[RemoteFolder | LoaderFolder]") -> tuple[str, ...]:
    """Update the local copies of remote folders, print what changed, and return what could not be fetched."""
    failures = []
    for folder in folders:
        try:
            fetched = await asyncio.to_thread(folder.fetch)
        except Unavailable as error:
            failures.append(str(error))
            continue
        failures += [f"{folder.address}: {name} was not fetched: {why}" for name, why in fetched.failed.items()]
        if fetched.new or fetched.gone:
            typer.echo(f"{folder.address}: {fetched.new} new or changed, {fetched.gone} gone", err=True)
    return tuple(failures)


async def _fetch_again(folders: "Sequence[RemoteFolder | LoaderFolder]", shown: set[str]) -> None:
    """Fetch again for ``--watch``: each failure is reported once, until it changes."""
    failures = await _fetch(folders)
    for each in failures:
        if each not in shown:
            typer.echo(each, err=True)
    shown.clear()
    shown.update(failures)
