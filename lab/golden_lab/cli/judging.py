"""``golden-lab judge``: grades of answers, and how far they agree with people's."""

import asyncio
import json
import random
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from collections.abc import Callable

    from golden_lab.engine import Engine
    from golden_lab.judge.grades import GoldItem
    from golden_lab.judge.grading import JudgeSetting

app = typer.Typer(
    help="Grade answers as people do, and measure how far the judge agrees with them.", no_args_is_help=True
)

_SEED = 20_260
_EngineName = Annotated[
    str, typer.Option("--engine", help="Who judges: embedded, or llm (the configured chat server).")
]
_Examples = Annotated[int, typer.Option(min=0, help="Worked examples a criterion for a language model.")]
_Completions = Annotated[int, typer.Option(min=1, help="Completions a grade of a language model.")]
_How = Annotated[str, typer.Option("--aggregate", help="mean or median of several completions.")]
_Seed = Annotated[int, typer.Option(help="Equal seeds make equal draws.")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("template")
def template(
    answers: Annotated[Path, typer.Argument(help="Answers, JSONL or CSV: id, question, passage or passages, answer.")],
    out: Annotated[Path, typer.Argument(help="The gold set to make, .csv or .jsonl.")],
    seed: _Seed = _SEED,
) -> None:
    """Make a gold set without scores from answers, in an order that tells nothing about their systems."""
    from contracts.errors import InvalidInput
    from golden_lab.judge.gold import read_answers, write_gold

    if out.exists():
        raise InvalidInput(f"{out} is there already: its scores would be lost. Name another file.", field="out")
    items = list(read_answers(answers))
    random.Random(seed).shuffle(items)
    write_gold(out, items)
    typer.echo(f"{out}: {len(items)} answers to score. Next: golden-lab judge score {out}")


@app.command("agreement")
def agreement(
    gold: Annotated[Path, typer.Argument(help="A scored gold set, .csv or .jsonl.")],
    engine: _EngineName = "embedded",
    examples: _Examples = 2,
    completions: _Completions = 1,
    how: _How = "mean",
    seed: _Seed = _SEED,
    as_json: _Json = False,
) -> None:
    """Hold the judge against people's scores: rank correlations, accuracy exact and within a point, with intervals.

    A language model is first asked without examples; those answers on which it was off most, and that carry an
    explanation, become its examples and do not count.
    """
    from golden_lab.judge.gold import read_gold
    from golden_lab.judge.grading import judge_agreement
    from golden_lab.judge.reporting import render_agreement

    items = read_gold(gold)
    setting = _setting(examples, completions, how)
    with _engine(engine) as judge, _progress("Grading") as on_answer:
        reports = asyncio.run(judge_agreement(judge, items, setting, seed=seed, on_answer=on_answer))
    if as_json:
        typer.echo(json.dumps([asdict(report) for report in reports], indent=2, ensure_ascii=False))
        return
    typer.echo("\n\n".join(render_agreement(report) for report in reports))


@app.command("grade")
def grade(
    answers: Annotated[Path, typer.Argument(help="Answers, JSONL or CSV: id, question, passage or passages, answer.")],
    gold: Annotated[Path | None, typer.Option(help="A scored gold set from which a language model learns.")] = None,
    engine: _EngineName = "embedded",
    examples: _Examples = 2,
    completions: _Completions = 1,
    how: _How = "mean",
    as_json: _Json = False,
) -> None:
    """Grade answers for relevance, faithfulness and completeness, 1 to 5, weighted 0.1, 0.6 and 0.3."""
    from golden_lab.judge.gold import read_answers, read_gold
    from golden_lab.judge.grading import calibrated_grader, grade_all
    from golden_lab.judge.reporting import grades_as_json, render_grades

    items = read_answers(answers)
    scored = read_gold(gold) if gold is not None else ()
    setting = _setting(examples, completions, how)

    async def work(judge: "Engine", on_answer: "Callable[[], None]") -> str:
        grader, _ = await calibrated_grader(judge, scored, setting, on_answer=on_answer)
        graded = await grade_all(grader, items, on_answer=on_answer)
        rows = grades_as_json(items, graded)
        return json.dumps(rows, indent=2, ensure_ascii=False) if as_json else render_grades(items, graded)

    with _engine(engine) as judge, _progress("Grading") as on_answer:
        text = asyncio.run(work(judge, on_answer))
    typer.echo(text)


@app.command("check")
def check(
    answers: Annotated[
        Path, typer.Argument(help="Answers, JSONL or CSV: id, question, passage or passages, answer, reference.")
    ],
    engine: _EngineName = "embedded",
    as_json: _Json = False,
) -> None:
    """Check answers claim by claim against their passages, and against a reference answer where there is one.

    Faithfulness is the share of claims that the passages support (RAGAS-style, 0 to 1). RAD is the mean of
    faithfulness, appropriateness and completeness against the reference (RAD-Bench-style, brought to 0 to 1).
    """
    from golden_lab.judge.gold import read_answers
    from golden_lab.judge.grading import check_all
    from golden_lab.judge.reporting import checks_as_json, render_checks

    items = read_answers(answers)
    with _engine(engine) as judge, _progress("Checking") as on_answer:
        checked = asyncio.run(check_all(judge, items, on_answer=on_answer))
    if as_json:
        typer.echo(json.dumps(checks_as_json(items, checked), indent=2, ensure_ascii=False))
        return
    typer.echo(render_checks(items, checked))


@app.command("compare")
def compare(
    first: Annotated[Path, typer.Argument(help="A system's answers, JSONL or CSV; one id a question.")],
    others: Annotated[list[Path], typer.Argument(help="Other systems' answers to the same questions.")],
    engine: _EngineName = "embedded",
    seed: _Seed = _SEED,
    as_json: _Json = False,
) -> None:
    """Compare a system with others, question by question, blinded, in both positions.

    Several comparisons are corrected for their number (Holm).
    """
    from golden_lab.judge.comparing import SystemComparison, compare_systems, corrected
    from golden_lab.judge.gold import read_answers
    from golden_lab.judge.grading import comparer_of
    from golden_lab.judge.reporting import render_comparison

    ours = read_answers(first)
    theirs = [(path, read_answers(path)) for path in others]

    async def work(judge: "Engine", on_question: "Callable[[], None]") -> tuple[SystemComparison, ...]:
        comparer = comparer_of(judge)
        found = [
            await compare_systems(
                comparer, ours, answers, a=first.stem, b=path.stem, seed=seed, on_question=on_question
            )
            for path, answers in theirs
        ]
        return corrected(found)

    with _engine(engine) as judge, _progress("Comparing") as on_question:
        found = asyncio.run(work(judge, on_question))
    if as_json:
        typer.echo(json.dumps([asdict(each) for each in found], indent=2, ensure_ascii=False))
        return
    typer.echo("\n\n".join(render_comparison(each) for each in found))


@app.command("score")
def score(gold: Annotated[Path, typer.Argument(help="The gold set to score, .csv or .jsonl.")]) -> None:
    """Score the answers of a gold set one after the other, without their systems; each is in the file at once.

    A grade of 1 to 5, an empty line to leave it as it is, s to skip the answer, x to quit.
    """
    from golden_lab.judge.gold import read_gold, write_gold

    items = {item.id: item for item in read_gold(gold)}
    waiting = [item for item in items.values() if not item.scored]
    for number, item in enumerate(waiting, start=1):
        typer.echo(f"\n{number} of {len(waiting)} · {item.id}\n")
        for name in ("question", "answer", "passage", "reference"):
            if text := str(getattr(item, name)).strip():
                typer.echo(f"{name}\n{text}\n")
        changes = _asked_scores(item)
        if changes is None:
            break
        items[item.id] = item.model_copy(update=changes)
        if changes:
            write_gold(gold, tuple(items.values()))
    left = sum(not item.scored for item in items.values())
    typer.echo(f"{gold}: {len(items) - left} scored, {left} wait")


def _asked_scores(item: "GoldItem") -> dict[str, int | str] | None:
    """Ask for a grade a criterion and for the reason; None where the person quits or the input ends."""
    from golden_lab.judge.rubrics import load_rubrics

    changes: dict[str, int | str] = {}
    for rubric in load_rubrics():
        typer.echo(f"{rubric.criterion}: {rubric.asks}")
        for grade, level in enumerate(rubric.levels, start=1):
            typer.echo(f"  {grade}  {level}")
        while True:
            said = _line(f"{rubric.criterion} (now {item.score(rubric.criterion) or 'none'})").lower()
            if said == "x":
                return None
            if said == "s":
                return {}
            if said in ("", "1", "2", "3", "4", "5"):
                break
        if said:
            changes[rubric.criterion] = int(said)
    if reason := _line("why (empty: as it is)"):
        changes["explanation"] = reason
    return changes


def _line(prompt: str) -> str:
    typer.echo(f"{prompt}: ", nl=False)
    line = typer.get_text_stream("stdin").readline()
    return line.strip() if line else "x"


@contextmanager
def _engine(name: str) -> "Iterator[Engine]":
    from golden_lab.wiring.measuring import build_engine
    from golden_retriever.settings import load_settings

    yield build_engine(load_settings(), name)


def _setting(examples: int, completions: int, how: str) -> "JudgeSetting":
    from contracts.errors import InvalidInput
    from golden_lab.judge.grading import JudgeSetting

    setting = JudgeSetting(examples_each=examples, completions=completions)
    if how == "mean":
        return setting
    if how == "median":
        return replace(setting, how="median")
    raise InvalidInput(f"--aggregate {how!r}: choose mean or median", field="aggregate")


@contextmanager
def _progress(label: str) -> "Iterator[Callable[[], None]]":
    """Show on standard error how many judgements are done; how many there will be is not known beforehand."""
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda: bar.update(task, advance=1)
