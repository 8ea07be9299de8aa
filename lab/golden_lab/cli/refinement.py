"""``golden-lab calibrate``: thresholds of one's own, found on one's own traffic."""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(help="Find thresholds on your own traffic.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Find thresholds on your own traffic."""


@app.command("refinement")
def refinement(
    drafts: Annotated[
        Path | None,
        typer.Option(help="JSON lines with draft and passages (a list of texts). Default: the kept answers."),
    ] = None,
    quantile: Annotated[float, typer.Option(help="The share of drafts that is to be written again.")] = 0.4,
    turns: Annotated[int, typer.Option(min=1, help="How many of the newest kept answers are read.")] = 10_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Find the overlap below which a draft is written again: the lowest 40 % of your own answers.

    Kept answers count where a language model wrote them. Where there are too few, the shipped threshold stands. Nothing
    is changed: the setting to make is printed.
    """
    from golden_lab.refinement.calibrating import calibrate, read_overlaps, render_calibration

    found = calibrate(read_overlaps(drafts) if drafts is not None else _kept_overlaps(turns), quantile=quantile)
    typer.echo(json.dumps(asdict(found), indent=2) if as_json else render_calibration(found))


def _kept_overlaps(turns: int) -> tuple[float, ...]:
    from golden_lab.refinement.kept_overlaps import OverlapStore
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library

    with open_library(load_settings()) as library:
        return OverlapStore(library.engine).overlaps(limit=turns)
