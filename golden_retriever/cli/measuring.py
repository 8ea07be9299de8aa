"""``golden eval``: scores that anyone can repeat."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from golden_retriever.cli import attribution, benchmarks, cases, encoder, judging, refinement_study, systems, trifex

if TYPE_CHECKING:
    from evaluation.quiz import QuizReport

app = typer.Typer(help="Measure the bot.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Measure the bot."""


app.command("list")(benchmarks.list_benchmarks)
app.command("all")(benchmarks.run_all)
app.command("retrieval")(benchmarks.run_retrieval)
app.command("show")(benchmarks.show)
app.command("systems")(systems.systems)
app.command("cases")(cases.measure)
app.command("generate")(cases.generate)
app.command("accept")(cases.accept)
app.command("trifex")(trifex.trifex)
app.command("refinement")(refinement_study.refinement)
app.command("attribution")(attribution.attribution)
app.command("encoder")(encoder.encoder)
app.add_typer(judging.app, name="judge")


@app.command("quiz")
def quiz(
    path: Annotated[Path, typer.Argument(help="A quiz: JSONL, a question a line.", exists=True, dir_okay=False)],
    details: Annotated[bool, typer.Option(help="Print each question that went wrong.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Ask every question of a quiz and score answers, citations, refusals and readings."""
    from evaluation.quiz import render_report, report_as_json

    report = asyncio.run(_quiz(path))
    typer.echo(json.dumps(report_as_json(report), indent=2) if as_json else render_report(report, details=details))


async def _quiz(path: Path) -> "QuizReport":
    from evaluation.quiz import load_quiz, run_quiz
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_application

    questions = load_quiz(path)
    async with open_application(load_settings()) as application:
        with typer.progressbar(length=len(questions), label="Asking") as bar:
            return await run_quiz(application.chatbot, questions, on_question=lambda: bar.update(1))


@app.command("abbreviations")
def abbreviations(
    seed: Annotated[int, typer.Option(help="Draws the abbreviations; equal seeds make equal questions.")] = 0,
    questions: Annotated[int, typer.Option(min=1, help="Questions for each number of abbreviations.")] = 200,
) -> None:
    """Find random abbreviations in questions, 1 to 5 at a time, with no dictionary to help.

    Source: the abbreviation experiment of Golden-Retriever (arXiv 2408.00798, section 4.2), with fresh questions.
    """
    from evaluation.benchmarks.abbreviations import measure_abbreviations
    from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
    from tools.jargon.memory import InMemoryJargonDictionary

    identifier = EmbeddedJargonIdentifier(InMemoryJargonDictionary(()))
    report = asyncio.run(measure_abbreviations(identifier, seed=seed, questions_per_count=questions))
    typer.echo(f"questions with all abbreviations found and nothing else (seed {seed}, {questions} a count)")
    for count, accuracy in report.accuracy.items():
        typer.echo(f"  {count} abbreviations  {accuracy:7.2%}")
    for miss in report.misses:
        typer.echo(f"  missed: {miss.question.text}  found: {', '.join(miss.found) or 'nothing'}")
