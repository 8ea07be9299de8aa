"""``golden-lab calibrate NAME``: fit the parameters of the embedded judgements on public data."""

import asyncio
import json
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated

import typer

NAMES: Mapping[str, str] = {
    "citation": "the thresholds of the embedded citation finder",
    "contexts": "the embedded context classifier",
    "faithfulness": "the embedded faithfulness judge",
    "fusion": "the fusion of dense and lexical search",
    "senses": "the choice among the senses of an abbreviation",
    "triples": "the attribution of triples to their sources (on hand labels that are part of the laboratory)",
}
_DATA = typer.Option("--data", help="The folder with one folder for each data set.", exists=True, file_okay=False)
_SCRATCH = typer.Option("--scratch", help="A folder for vectors, outside the repository.", file_okay=False)
_SEED = typer.Option("--seed", help="Seed for the samples; equal seeds give equal samples.")


def register(app: typer.Typer) -> None:
    """Add a command for each calibration."""
    for name, what in NAMES.items():
        app.command(name, help=f"Fit and measure {what}.")(_command(name))


def _command(name: str) -> Callable[..., None]:
    def command(
        data: Annotated[Path, _DATA],
        scratch: Annotated[Path, _SCRATCH],
        out: Annotated[
            Path | None, typer.Option(help="The file for the fitted values; default: next to the judgement.")
        ] = None,
        seed: Annotated[int, _SEED] = 7,
    ) -> None:
        from golden_lab.calibration.fitting import open_run

        calibrate = import_module(f"golden_lab.calibration.{name}").calibrate
        figures = asyncio.run(calibrate(open_run(name, data, scratch, seed=seed, out=out)))
        typer.echo(json.dumps(figures, indent=1))

    return command
