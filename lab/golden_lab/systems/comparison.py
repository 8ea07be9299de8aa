"""Systems compared on the same questions: asked, scored, and held against the whole bot."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from contracts.errors import InvalidInput
from evaluation.intervals import PairedDifference, paired_bootstrap
from evaluation.quiz import QuizQuestion
from evaluation.results import Score
from evaluation.scores import mean_score, rate_score
from golden_lab.statistics import holm
from golden_lab.systems.examples import Bench
from golden_lab.systems.golden import WHOLE
from golden_lab.systems.measures import CITED, METRICS, REFUSED, RIGHT, MeasuredAnswer, System, ask, measure

# System → metric → number, for one case; a metric that does not apply is None or not there.
CaseNumbers = Mapping[str, Mapping[str, float | None]]

_SHARES = (RIGHT, CITED, REFUSED)
_ABLATION = "without "


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemDifference:
    """A system minus the whole bot in one metric, on the cases where both have a number.

    ``adjusted_p`` is Holm's p-value over the ablations, None for a system that is none.
    """

    system: str
    metric: str
    difference: PairedDifference
    adjusted_p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Each system's scores in the order of the systems, and each one's differences to the whole bot."""

    scores: tuple[Score, ...]
    differences: tuple[SystemDifference, ...]


def compare(cases: Sequence[CaseNumbers], *, seed: int, baseline: str = WHOLE) -> Comparison:
    """Score every system of ``cases`` and hold it against ``baseline`` by a paired bootstrap over the cases.

    The p-values of the ablations (systems whose name begins with "without") are corrected together by Holm, metric by
    metric. Without the baseline among the systems there are no differences.
    """
    systems = list(dict.fromkeys(system for case in cases for system in case))
    scores = [score for system in systems for metric in METRICS for score in _scores(cases, system, metric, seed)]
    others = [system for system in systems if system != baseline] if baseline in systems else []
    found = []
    for metric in METRICS:
        row = [_difference(cases, system, baseline, metric, seed) for system in others]
        found += _corrected([difference for difference in row if difference is not None])
    order = {system: place for place, system in enumerate(others)}
    return Comparison(scores=tuple(scores), differences=tuple(sorted(found, key=lambda each: order[each.system])))


def difference_scores(differences: Sequence[SystemDifference]) -> tuple[Score, ...]:
    """Return differences, and their corrected p-values where they have one, as rows of a table of scores."""
    rows = []
    for each in differences:
        found = each.difference
        rows.append(
            Score(
                metric=f"{each.metric}, difference to {WHOLE}",
                value=found.difference,
                low=found.low,
                high=found.high,
                n=found.n,
                system=each.system,
            )
        )
        if each.adjusted_p is not None:
            p = each.adjusted_p
            metric = f"{each.metric}, p of the difference (Holm)"
            rows.append(
                Score(metric=metric, value=p, low=p, high=p, n=found.n, system=each.system, higher_is_better=False)
            )
    return tuple(rows)


def _scores(cases: Sequence[CaseNumbers], system: str, metric: str, seed: int) -> tuple[Score, ...]:
    values = [value for case in cases if (value := case.get(system, {}).get(metric)) is not None]
    if not values:
        return ()
    if metric in _SHARES:
        return (rate_score(metric, [value == 1.0 for value in values], system=system),)
    return (mean_score(metric, values, seed=seed, system=system),)


def _difference(
    cases: Sequence[CaseNumbers], system: str, baseline: str, metric: str, seed: int
) -> SystemDifference | None:
    ours, theirs = [], []
    for case in cases:
        first, second = case.get(system, {}).get(metric), case.get(baseline, {}).get(metric)
        if first is not None and second is not None:
            ours.append(first)
            theirs.append(second)
    if not ours:
        return None
    difference = paired_bootstrap(ours, theirs, seed=seed)
    return SystemDifference(system=system, metric=metric, difference=difference, adjusted_p=None)


def _corrected(differences: Sequence[SystemDifference]) -> list[SystemDifference]:
    ablations = {each.system: each.difference.p_value for each in differences if each.system.startswith(_ABLATION)}
    adjusted = holm(ablations) if ablations else {}
    return [replace(each, adjusted_p=adjusted.get(each.system)) for each in differences]


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
