"""Running a comparison over a quiz, and saying what came of it."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from typing import Any

from contracts.errors import InvalidInput
from evaluation.quiz import QuizQuestion
from golden_lab.systems.comparison import Comparison, SystemDifference, compare
from golden_lab.systems.golden import WHOLE
from golden_lab.systems.library import Bench
from golden_lab.systems.measures import METRICS, RIGHT, MeasuredAnswer, ask, measure
from golden_lab.systems.values import System


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedQuestion:
    """A question with what each system made of it."""

    question: QuizQuestion
    answers: Mapping[str, MeasuredAnswer]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonReport:
    """A comparison with every question behind it; ``notes`` say what the reader of a system's row must know."""

    comparison: Comparison
    notes: Mapping[str, str]
    questions: tuple[ComparedQuestion, ...]

    def median_ms(self, system: str) -> float:
        """Return the median time of a system's answers, in milliseconds."""
        return statistics.median(each.answers[system].milliseconds for each in self.questions)


def choose_systems(systems: Sequence[System], only: Sequence[str]) -> tuple[System, ...]:
    """Return the systems that any of ``only`` names, by name or with ``*``, and always the whole bot; all for none.

    Raises:
        InvalidInput: one of ``only`` names no system; the text lists all.
    """
    for wanted in only:
        if not any(fnmatchcase(system.name, wanted) for system in systems):
            names = ", ".join(f'"{system.name}"' for system in systems)
            raise InvalidInput(f'no system is called "{wanted}": there are {names}', field="only")
    return tuple(
        system
        for system in systems
        if not only or system.name == WHOLE or any(fnmatchcase(system.name, wanted) for wanted in only)
    )


async def measure_systems(
    systems: Sequence[System], bench: Bench, question: QuizQuestion
) -> Mapping[str, MeasuredAnswer]:
    """Ask every system a question and measure what it answers, by the system's name."""
    gold = await bench.gold(question)
    return {system.name: measure(question, await ask(system, question, gold)) for system in systems}


async def run_comparison(
    systems: Sequence[System],
    bench: Bench,
    questions: Sequence[QuizQuestion],
    *,
    seed: int,
    on_question: Callable[[], None] = lambda: None,
) -> ComparisonReport:
    """Ask every system every question and compare them.

    Raises:
        InvalidInput: there is no question.
        Unavailable: something that a system needs is not there just now.
    """
    if not questions:
        raise InvalidInput("the quiz has no questions", field="path")
    compared = []
    for question in questions:
        compared.append(ComparedQuestion(question=question, answers=await measure_systems(systems, bench, question)))
        on_question()
    numbers = [{name: answer.numbers for name, answer in each.answers.items()} for each in compared]
    return ComparisonReport(
        comparison=compare(numbers, seed=seed),
        notes={system.name: system.note for system in systems},
        questions=tuple(compared),
    )


def comparison_as_json(report: ComparisonReport) -> dict[str, Any]:
    """Return scores, differences, notes and every answer as plain JSON values."""
    return {
        "scores": [asdict(score) for score in report.comparison.scores],
        "differences": [asdict(each) for each in report.comparison.differences],
        "notes": dict(report.notes),
        "questions": [
            {
                "id": each.question.id,
                "question": each.question.asked,
                "gold": f"{each.question.expect}: {each.question.answer}",
                "answers": {name: asdict(answer) for name, answer in each.answers.items()},
            }
            for each in report.questions
        ],
    }


def render_comparison(report: ComparisonReport) -> str:
    """Return the comparison as a Markdown table with its notes below."""
    rows: list[tuple[str, ...]] = [("system", *METRICS, "right, difference (95 %)", "p (Holm)", "median ms")]
    rows += [_row(report, system) for system in report.notes]
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = [
        "| " + " | ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)) + " |" for row in rows
    ]
    lines.insert(1, "|" + "|".join("-" * (width + 2) for width in widths) + "|")
    notes = [f"- {system}: {note}" for system, note in report.notes.items() if note]
    return "\n".join([*lines, "", f"{len(report.questions)} questions.", *notes])


def _row(report: ComparisonReport, system: str) -> tuple[str, ...]:
    scores = {each.metric: each for each in report.comparison.scores if each.system == system}
    cells = [f"{scores[metric].value:.3f}" if metric in scores else "–" for metric in METRICS]
    found = next(
        (each for each in report.comparison.differences if each.system == system and each.metric == RIGHT), None
    )
    return (system, *cells, *_difference_cells(found), f"{report.median_ms(system):.0f}")


def _difference_cells(found: SystemDifference | None) -> tuple[str, str]:
    if found is None:
        return "", ""
    each = found.difference
    p = "" if found.adjusted_p is None else f"{found.adjusted_p:.3f}"
    return f"{each.difference:+.3f} ({each.low:+.3f} to {each.high:+.3f})", p
