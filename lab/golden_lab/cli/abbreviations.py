"""``golden-lab abbreviations``: abbreviations found in questions without a dictionary."""

import asyncio
from typing import Annotated

import typer


def abbreviations(
    seed: Annotated[int, typer.Option(help="Draws the abbreviations; equal seeds make equal questions.")] = 0,
    questions: Annotated[int, typer.Option(min=1, help="Questions for each number of abbreviations.")] = 200,
) -> None:
    """Find random abbreviations in questions, 1 to 5 at a time, with no dictionary to help.

    Source: the abbreviation experiment of Golden-Retriever (arXiv 2408.00798, section 4.2), with fresh questions.
    """
    from golden_lab.benchmarks.abbreviations import measure_abbreviations
    from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
    from tools.jargon.memory import InMemoryJargonDictionary

    identifier = EmbeddedJargonIdentifier(InMemoryJargonDictionary(()))
    report = asyncio.run(measure_abbreviations(identifier, seed=seed, questions_per_count=questions))
    typer.echo(f"questions with all abbreviations found and nothing else (seed {seed}, {questions} a count)")
    for count, accuracy in report.accuracy.items():
        typer.echo(f"  {count} abbreviations  {accuracy:7.2%}")
    for miss in report.misses:
        typer.echo(f"  missed: {miss.question.text}  found: {', '.join(miss.found) or 'nothing'}")
