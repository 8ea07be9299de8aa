"""``golden ingest``."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from golden_retriever.cli.progress import Watch

_INTERRUPTED = 130


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders.", exists=True)],
    group: Annotated[str, typer.Option(help="Who may read them: the name of a group.")] = "everyone",
    prune: Annotated[bool, typer.Option(help="Remove documents of these folders whose files are gone.")] = False,
    check_content: Annotated[
        bool, typer.Option("--check-content", help="Look for changes in the content, not in size and time.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON line for each event.")] = False,
) -> None:
    """Read documents into the library; unchanged files are skipped, moved ones recognised, bad ones reported."""
    from golden_retriever.cli.progress import summary, watching

    with watching(as_json=as_json) as watch:
        try:
            asyncio.run(_ingest(paths, group, prune, check_content, watch))
        except KeyboardInterrupt:
            stopped = True
        else:
            stopped = False
    report = watch.report()
    if stopped:
        typer.echo(f"stopped: {summary(report)}. What was read is stored; run it again to go on.", err=True)
        raise typer.Exit(_INTERRUPTED)
    watch.show_end()
    if report.counts and report.counts.keys() == {"failed"}:
        raise typer.Exit(1)


async def _ingest(paths: list[Path], group: str, prune: bool, check_content: bool, watch: "Watch") -> None:
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_application
    from golden_retriever.wiring.indexes import bring_up_indexes

    settings = load_settings()
    async with open_application(settings, one_shot=True) as application:
        await application.pipeline.ingest(
            paths, group=group, prune=prune, check_content=check_content, on_event=watch.hear
        )
        await bring_up_indexes(settings, application.store, application.embedder.name)
