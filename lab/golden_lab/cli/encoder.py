"""``golden-lab encoder``: what a trained encoder brings to each embedded judgement."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evaluation.run import Run
    from golden_lab.encoders.measuring import EncoderReport

_DATA = typer.Option("--data", help="The folder of the data sets, one folder a set.", exists=True, file_okay=False)


def encoder(
    data: Annotated[Path, _DATA],
    weights: Annotated[
        Path | None, typer.Option(help="The folder of the encoder; default: the one that came with the program.")
    ] = None,
    only: Annotated[list[str] | None, typer.Option("--only", help="A judgement; may be given several times.")] = None,
    most: Annotated[int | None, typer.Option(min=2, help="Measure at most so many cases of each benchmark.")] = None,
    out: Annotated[Path, typer.Option(help="The folder for the report.", file_okay=False)] = Path("eval-results"),
    work: Annotated[
        Path | None, typer.Option(help="The folder for vectors; default: in the cache.", file_okay=False)
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Draws the samples; equal seeds draw equal ones.")] = None,
) -> None:
    """Measure each embedded judgement without and with a trained encoder, on what neither was fitted on.

    Writes encoder.json and encoder.md. A judgement is better where one of its benchmarks gains more than the interval
    and none loses as much.
    """
    from evaluation.run import SEED, Run
    from golden_lab.encoders.report import report_as_json, report_as_markdown
    from golden_retriever.profiles import ENCODED
    from golden_retriever.settings import cache_folder
    from golden_retriever.wiring.encoders import shipped_weights

    if unknown := [name for name in only or [] if name not in ENCODED]:
        raise typer.BadParameter(f'"{unknown[0]}" is not one of {", ".join(sorted(ENCODED))}', param_hint="--only")
    run = Run(data=data, work=work or cache_folder() / "eval", seed=SEED if seed is None else seed)
    run.work.mkdir(parents=True, exist_ok=True)
    report = asyncio.run(_measure(run, weights or shipped_weights(), only or [], most))
    out.mkdir(parents=True, exist_ok=True)
    (out / "encoder.json").write_text(report_as_json(report), "utf-8")
    markdown = report_as_markdown(report)
    (out / "encoder.md").write_text(markdown, "utf-8")
    typer.echo(markdown, nl=False)


async def _measure(run: "Run", weights: Path, only: list[str], most: int | None) -> "EncoderReport":
    from golden_lab.encoders.measuring import measure_encoder
    from golden_lab.wiring.measuring import build_encoder_engines
    from golden_retriever.cli.measuring_progress import progress_bar
    from golden_retriever.settings import load_settings

    before, after, name = build_encoder_engines(load_settings(), weights, run.work)
    with progress_bar() as show:
        return await measure_encoder(before, after, run, weights, name, only=only, most=most, on_progress=show)
