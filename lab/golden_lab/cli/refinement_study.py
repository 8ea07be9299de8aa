"""``golden-lab refinement``: what refinement after the draft is worth, on one's own model and data."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from golden_lab.refinement.analysing import Study, StudyPlan


def refinement(
    data: Annotated[Path, typer.Option(help="A file, or a folder of files, shaped like ALCE or GaRAGe.", exists=True)],
    writer: Annotated[
        str, typer.Option(help="Who writes: llm (the configured chat server), or simulated (no model: a trial run).")
    ] = "llm",
    judge: Annotated[
        str, typer.Option(help="Who compares answers blindly: llm (in both positions), embedded (by grades), or none.")
    ] = "embedded",
    judge_model: Annotated[str, typer.Option(help="Another model's name on that server for the judge.")] = "",
    seeds: Annotated[str, typer.Option(help="The seeds of writing, comma-separated.")] = "1337,2024,42",
    judged_seeds: Annotated[int, typer.Option(min=1, help="How many of the seeds are compared, from the first.")] = 1,
    cases: Annotated[int, typer.Option(min=0, help="Cases of each shape, drawn by --seed; 0: all.")] = 0,
    quantile: Annotated[float, typer.Option(help="The share of lowest overlap (S3) that D writes again.")] = 0.4,
    temperature: Annotated[float, typer.Option(min=0, max=2, help="The temperature of writing.")] = 0.7,
    s2: Annotated[bool, typer.Option("--s2", help="Ask for S2 too: log-probabilities of prompts (vLLM).")] = False,
    attribution_model: Annotated[
        str,
        typer.Option(
            help="The folder of a causal language model (transformers) that says which passages an answer leans on, "
            "for v2a, v2b and v2c; empty: the cited passages that are labelled irrelevant."
        ),
    ] = "",
    seed: Annotated[int, typer.Option(help="Draws cases and intervals; equal seeds draw equal ones.")] = 0,
    out: Annotated[Path, typer.Option(help="The folder for the report.", file_okay=False)] = Path("eval-results"),
    work: Annotated[
        Path | None, typer.Option(help="The folder for stored outcomes; default: in the cache.", file_okay=False)
    ] = None,
) -> None:
    """Write each question's answer under twelve conditions, score and compare them, and report as JSON and Markdown.

    Writer and prompts are the product's. An interrupted run goes on where it stopped.
    """
    from golden_lab.refinement.analysing import StudyPlan
    from golden_lab.refinement.report import SIMULATED, to_markdown, write_study

    plan = StudyPlan(seeds=_seeds(seeds), judged_seeds=judged_seeds, quantile=quantile, seed=seed)
    study = asyncio.run(_run(data, plan, cases, work, writer, judge, judge_model, temperature, s2, attribution_model))
    paths = write_study(study, out)
    if study.model == SIMULATED:
        typer.echo("no model wrote: these figures prove that the study runs, and nothing else", err=True)
    typer.echo(to_markdown(study))
    for path in paths:
        typer.echo(str(path), err=True)


async def _run(
    data: Path,
    plan: "StudyPlan",
    cases: int,
    work: Path | None,
    writer: str,
    judge: str,
    judge_model: str,
    temperature: float,
    s2: bool,
    attribution_model: str,
) -> "Study":
    from golden_lab.refinement.cases import read_cases
    from golden_lab.refinement.running import run_study
    from golden_lab.wiring.refinement import build_study
    from golden_retriever.settings import cache_folder, load_settings

    found = read_cases(data, most=cases, seed=plan.seed)
    settings = load_settings()
    parts, comparer = build_study(
        settings,
        writer=writer,
        judge=judge,
        judge_model=judge_model,
        temperature=temperature,
        with_s2=s2,
        attribution_model=attribution_model,
    )
    named = f"{judge} {judge_model or settings.llm_model}".strip() if judge == "llm" else judge
    with _progress() as show:
        return await run_study(
            found,
            parts,
            plan,
            work=(work or cache_folder() / "eval") / "outcomes",
            comparer=comparer,
            judge=named,
            on_progress=show,
        )


def _seeds(text: str) -> tuple[int, ...]:
    from contracts.errors import InvalidInput

    try:
        return tuple(int(part) for part in text.split(","))
    except ValueError:
        raise InvalidInput(f'--seeds "{text}": give whole numbers with commas between', field="seeds") from None


@contextmanager
def _progress() -> Iterator[Callable[[str, int, int], None]]:
    """Show on standard error which stage runs, and how much of it is done."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        tasks = {stage: bar.add_task(stage, total=None) for stage in ("writing", "judging")}
        yield lambda stage, done, total: bar.update(tasks[stage], completed=done, total=total)
