"""``golden-lab judge``: grades answers, and measures how far the grades agree with people."""

import asyncio
import json
from collections.abc import Awaitable, Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

if TYPE_CHECKING:
    from golden_lab.engine import Engine

app = typer.Typer(
    help="Grade answers on rubrics, and measure how well the judge agrees with people.", no_args_is_help=True
)

Found = TypeVar("Found")
OnAnswer = Callable[[], None]

_SEED = 20_260
_ANSWERS = "Answers, JSONL or CSV: id, question, passage or passages, answer, system."
_EngineName = Annotated[str, typer.Option("--engine", help="Judge: embedded, or llm (the configured chat server).")]
_Examples = Annotated[int, typer.Option(min=0, help="Worked examples per criterion for a language model.")]
_Seed = Annotated[int, typer.Option(help="Seed for the samples; equal seeds give equal samples.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("agreement")
def agreement(
    gold: Annotated[
        Path,
        typer.Argument(
            help="A gold set, .csv (from a spreadsheet) or .jsonl: answers, and a person's relevance, faithfulness, "
            "completeness (1 to 5) and explanation."
        ),
    ],
    engine: _EngineName = "embedded",
    examples: _Examples = 2,
    seed: _Seed = _SEED,
    as_json: _Json = False,
) -> None:
    """Compare the judge with scores from people: rank correlations, and exact and within-one-point accuracy.

    A language model is first asked without examples. Of the answers with an explanation, those with the largest errors
    become its examples and are not counted.
    """
    from golden_lab.judge.gold import read_gold
    from golden_lab.judge.judges import judge_agreement
    from golden_lab.judge.report import render_agreement

    items = read_gold(gold)
    reports = _judge(engine, lambda judge, step: judge_agreement(judge, items, examples, seed=seed, on_answer=step))
    _print(as_json, [asdict(each) for each in reports], "\n\n".join(render_agreement(each) for each in reports))


@app.command("grade")
def grade(
    answers: Annotated[Path, typer.Argument(help=_ANSWERS)],
    gold: Annotated[Path | None, typer.Option(help="A scored gold set as examples for a language model.")] = None,
    engine: _EngineName = "embedded",
    examples: _Examples = 2,
    as_json: _Json = False,
) -> None:
    """Grade answers from 1 to 5 for relevance, faithfulness and completeness, with weights of 0.1, 0.6 and 0.3."""
    from golden_lab.judge.gold import read_answers, read_gold
    from golden_lab.judge.grades import Grades
    from golden_lab.judge.judges import calibrated_grader, grade_all
    from golden_lab.judge.report import grades_as_json, render_grades

    items = read_answers(answers)
    scored = read_gold(gold) if gold is not None else ()

    async def work(judge: "Engine", step: OnAnswer) -> dict[str, Grades]:
        grader, _ = await calibrated_grader(judge, scored, examples, on_answer=step)
        return await grade_all(grader, items, on_answer=step)

    graded = _judge(engine, work)
    _print(as_json, grades_as_json(items, graded), render_grades(items, graded))


@app.command("compare")
def compare(
    first: Annotated[Path, typer.Argument(help="A system's answers, JSONL or CSV, with an id for each question.")],
    others: Annotated[list[Path], typer.Argument(help="Other systems' answers to the same questions.")],
    engine: _EngineName = "embedded",
    seed: _Seed = _SEED,
    as_json: _Json = False,
) -> None:
    """Compare a system with others, question by question: blind, and in both positions.

    The p-values of several comparisons are corrected with Holm's method.
    """
    from golden_lab.judge.comparison import SystemComparison, compare_systems, corrected
    from golden_lab.judge.gold import read_answers
    from golden_lab.judge.judges import comparer_of
    from golden_lab.judge.report import render_comparison

    ours = read_answers(first)
    theirs = {path.stem: read_answers(path) for path in others}

    async def work(judge: "Engine", step: OnAnswer) -> tuple[SystemComparison, ...]:
        comparer = comparer_of(judge)
        return corrected([
            await compare_systems(comparer, ours, answers, a=first.stem, b=name, seed=seed, on_question=step)
            for name, answers in theirs.items()
        ])  # fmt: skip

    found = _judge(engine, work)
    _print(as_json, [asdict(each) for each in found], "\n\n".join(render_comparison(each) for each in found))


def _judge(engine: str, work: "Callable[[Engine, OnAnswer], Awaitable[Found]]") -> Found:
    """Run ``work`` with the engine, and show the number of judgements so far."""
    from itertools import count

    from golden_lab.cli.progress import shown_progress
    from golden_lab.wiring.engines import build_engine
    from golden_retriever.settings import load_settings

    done = count(1)
    with shown_progress() as show:

        async def run() -> Found:
            return await work(build_engine(load_settings(), engine), lambda: show(f"judged {next(done)}", 0, 0, False))

        return asyncio.run(run())


def _print(as_json: bool, values: list[dict[str, Any]], text: str) -> None:
    typer.echo(json.dumps(values, indent=2, ensure_ascii=False) if as_json else text)
