"""``golden ingest``."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from ingestion.reports import IngestionReport


def ingest(
    paths: Annotated[list[Path], typer.Argument(help="Files and folders.", exists=True)],
    group: Annotated[str, typer.Option(help="Who may read them: the name of a group.")] = "everyone",
    prune: Annotated[bool, typer.Option(help="Remove documents of these folders whose files are gone.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Read documents into the library; unchanged files are skipped, bad ones reported."""
    report = asyncio.run(_ingest(paths, group, prune))
    from golden_retriever.cli.progress import print_report, report_as_json

    if as_json:
        typer.echo(json.dumps(report_as_json(report), ensure_ascii=False, indent=2))
    else:
        print_report(report)
    if report.files and all(file.status == "failed" for file in report.files):
        raise typer.Exit(1)


async def _ingest(paths: list[Path], group: str, prune: bool) -> "IngestionReport":
    from golden_retriever.cli.progress import progress_bar
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_application
    from golden_retriever.wiring.indexes import bring_up_indexes

    settings = load_settings()
    async with open_application(settings, one_shot=True) as application:
        with progress_bar() as show:
            report = await application.pipeline.ingest(paths, group=group, prune=prune, on_progress=show)
        await bring_up_indexes(settings, application.store, application.embedder.name)
    return report
