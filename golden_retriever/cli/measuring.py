"""``golden eval``: scores that anyone can repeat."""

import asyncio
import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from golden_retriever.cli import cases

if TYPE_CHECKING:
    from evaluation.quiz import QuizReport

app = typer.Typer(help="Measure the bot.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Measure the bot."""


app.command("cases")(cases.measure)
app.command("generate")(cases.generate)
app.command("accept")(cases.accept)
app.command("show")(cases.show)


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
