"""``golden-lab abbreviations``: abbreviations found in questions without a dictionary."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from evaluation.results import Outcome


def abbreviations(
    seed: Annotated[int, typer.Option(help="Draws the abbreviations; equal seeds make equal questions.")] = 0,
    questions: Annotated[int, typer.Option(min=1, help="Questions for each number of abbreviations.")] = 200,
) -> None:
    """Find random abbreviations in questions, 1 to 5 at a time, with no dictionary to help.

    Source: the abbreviation experiment of Golden-Retriever (arXiv 2408.00798, section 4.2), with fresh questions.
    """
    from golden_lab.benchmarks.abbreviations import AbbreviationBenchmark
    from golden_lab.run import Run
    from golden_lab.wiring.measuring import build_engine
    from golden_retriever.settings import load_settings

    benchmark = AbbreviationBenchmark(per_count=questions)
    run = Run(data=Path(), work=Path(), seed=seed)
    engine = build_engine(load_settings())

    async def measure() -> "list[Outcome]":
        return [await benchmark.measure(case, engine) for case in benchmark.load(run).cases]

    outcomes = asyncio.run(measure())
    typer.echo(f"questions with all abbreviations found and nothing else (seed {seed}, {questions} a count)")
    for score in benchmark.score(outcomes, run).scores:
        if score.metric == "exact set" and score.subset:
            typer.echo(f"  {score.subset[0]} abbreviations  {score.value:7.2%}")
    for outcome in outcomes:
        if outcome.loss:
            typer.echo(f"  missed: {outcome.trace['question']}  found: {outcome.trace['found']}")
