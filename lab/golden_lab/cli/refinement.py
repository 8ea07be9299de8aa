"""``golden-lab refinement`` and ``golden-lab calibrate refinement``: which drafts are rewritten, and the benefit."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from golden_lab.refinement.analysis import Study, StudyPlan
    from golden_lab.refinement.cases import StudyCases

calibrate = typer.Typer(
    help="Fit thresholds and weights of judgements on public data or on your own answers.", no_args_is_help=True
)


@calibrate.callback()
def _group() -> None:
    """Fit thresholds and weights of judgements on public data or on your own answers."""


@calibrate.command("refinement")
def threshold(
    quantile: Annotated[float, typer.Option(help="The share of drafts to be rewritten.")] = 0.4,
) -> None:
    """Find the overlap below which a draft is rewritten; by default, 40% of your stored answers are below it.

    Only answers by a language model count. If there are too few, the built-in threshold is kept. The command changes
    nothing: it prints the setting to use.
    """
    from golden_lab.refinement.calibration import kept_overlaps, render_calibration
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library

    with open_library(load_settings()) as library:
        typer.echo(render_calibration(kept_overlaps(library.engine), quantile))


def refinement(
    data: Annotated[
        Path, typer.Option(help="A file or a folder of files in the format of ALCE or GaRAGe.", exists=True)
    ],
    judge: Annotated[
        str, typer.Option(help="Judge for blind comparisons: llm (in both positions), embedded (by grades), or none.")
    ] = "embedded",
    judge_model: Annotated[str, typer.Option(help="The name of a different model on that server for the judge.")] = "",
    seeds: Annotated[
        str, typer.Option(help="The seeds for writing, comma-separated; pairs are judged for the first.")
    ] = "1337,2024,42",
    cases: Annotated[int, typer.Option(min=0, help="Number of cases of each format, drawn by --seed; 0: all.")] = 0,
    quantile: Annotated[
        float, typer.Option(help="The share of answers with the lowest overlap (S3) that condition D rewrites.")
    ] = 0.4,
    attribution_model: Annotated[
        str,
        typer.Option(
            help="The folder or GGUF file of a causal language model that finds which passages an answer relies on, "
            "for v2a, v2b and v2c; empty: the cited passages that are labelled irrelevant."
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="Seed for cases and intervals; equal seeds give equal results.")] = 0,
    out: Annotated[Path, typer.Option(help="The folder for the report.", file_okay=False)] = Path("eval-results"),
    work: Annotated[
        Path | None, typer.Option(help="The folder for stored results; default: in the cache.", file_okay=False)
    ] = None,
) -> None:
    """Write answers under twelve conditions, score and compare them, and write JSON and Markdown reports.

    An interrupted run continues where it stopped.
    """
    from contracts.errors import InvalidInput
    from golden_lab.refinement.analysis import StudyPlan
    from golden_lab.refinement.cases import read_cases
    from golden_lab.refinement.report import to_markdown, write_study

    try:
        numbers = tuple(int(part) for part in seeds.split(","))
    except ValueError:
        raise InvalidInput(f'--seeds "{seeds}": give whole numbers separated by commas', field="seeds") from None
    asked, plan = read_cases(data, most=cases, seed=seed), StudyPlan(seeds=numbers, quantile=quantile, seed=seed)
    parts = {"judge": judge, "judge_model": judge_model, "attribution_model": attribution_model}
    study = asyncio.run(_run(asked, plan, parts, work))
    typer.echo(to_markdown(study))
    for path in write_study(study, out):
        typer.echo(str(path), err=True)


async def _run(asked: "StudyCases", plan: "StudyPlan", options: dict[str, Any], work: Path | None) -> "Study":
    from golden_lab.cli.progress import shown_progress
    from golden_lab.refinement.run import run_study
    from golden_lab.wiring.refinement import build_study
    from golden_retriever.settings import cache_folder, load_settings
    from golden_retriever.wiring.chat import serving_llm

    async with serving_llm(load_settings()) as (settings, _):
        parts, comparer = build_study(settings, **options)
        judged_by = options["judge"]
        if judged_by == "llm":
            judged_by = f"llm {options['judge_model'] or settings.llm_model}"
        with shown_progress() as show:
            return await run_study(
                asked,
                parts,
                plan,
                work=(work or cache_folder() / "eval") / "outcomes",
                comparer=comparer,
                judge=judged_by,
                on_progress=lambda stage, done, total: show(f"{stage} {done:,} of {total:,}", done, total, False),
            )
