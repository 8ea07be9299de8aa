"""Asks systems the same questions, scores the answers, and compares the systems with the whole bot."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from fnmatch import fnmatchcase
from typing import Any

from contracts.errors import InvalidInput
from evaluation.quiz import QuizQuestion
from golden_lab.outcomes import OutcomeLog
from golden_lab.results import Outcome, Score
from golden_lab.scores import mean_score, rate_score
from golden_lab.statistics import PairedDifference, holm, paired_bootstrap
from golden_lab.systems.golden import WHOLE
from golden_lab.systems.measures import CITED, METRICS, REFUSED, RIGHT, MeasuredAnswer, System, ask, measure
from golden_lab.tables import text_table

# System → metric → number, for one case; a metric that does not apply is None or missing.
CaseNumbers = Mapping[str, Mapping[str, float | None]]

_SHARES = (RIGHT, CITED, REFUSED)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemDifference:
    """The score of a system minus that of the whole bot in one metric, on the cases where both have a value.

    ``adjusted_p`` is the p-value with Holm's correction across the ablations; None if the system is not an ablation.
    """

    system: str
    metric: str
    difference: PairedDifference
    adjusted_p: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Each system's scores, in the order of the systems, and its differences from the whole bot."""

    scores: tuple[Score, ...]
    differences: tuple[SystemDifference, ...]


def compare(cases: Sequence[CaseNumbers], *, seed: int) -> Comparison:
    """Score every system of ``cases`` and compare it with the whole bot by a paired bootstrap on the cases.

    The p-values of the ablations (systems whose name begins with "without") are corrected together with Holm's method,
    separately for each metric. If the whole bot is not among the systems, there are no differences.
    """
    systems = list(dict.fromkeys(system for case in cases for system in case))
    columns = {
        (system, metric): [case.get(system, {}).get(metric) for case in cases]
        for system in systems
        for metric in METRICS
    }
    scores = []
    for (system, metric), column in columns.items():
        values = [value for value in column if value is not None]
        if values and metric in _SHARES:
            scores.append(rate_score(metric, [value == 1.0 for value in values], system=system))
        elif values:
            scores.append(mean_score(metric, values, seed=seed, system=system))
    found = {}
    for (system, metric), column in columns.items() if WHOLE in systems else ():
        both = [
            (ours, whole)
            for ours, whole in zip(column, columns[WHOLE, metric], strict=True)
            if ours is not None and whole is not None
        ]
        if both and system != WHOLE:
            found[system, metric] = paired_bootstrap(*zip(*both, strict=True), seed=seed)
    adjusted: dict[tuple[str, str], float] = {}
    for metric in METRICS:
        ablations = {name: each.p_value for (name, of), each in found.items() if of == metric and _is_ablation(name)}
        adjusted |= {(name, metric): p for name, p in holm(ablations).items()}
    return Comparison(
        scores=tuple(scores),
        differences=tuple(
            SystemDifference(system=name, metric=metric, difference=each, adjusted_p=adjusted.get((name, metric)))
            for (name, metric), each in found.items()
        ),
    )


def _is_ablation(system: str) -> bool:
    return system.startswith("without ")


def difference_scores(differences: Sequence[SystemDifference]) -> tuple[Score, ...]:
    """Return differences, and corrected p-values where they exist, as rows of a score table."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedQuestion:
    """A question with the measured answer of each system."""

    question: QuizQuestion
    answers: Mapping[str, MeasuredAnswer]


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonReport:
    """A comparison with all questions; ``notes`` contain what a reader of each system's row must know."""

    comparison: Comparison
    notes: Mapping[str, str]
    questions: tuple[ComparedQuestion, ...]

    def median_ms(self, system: str) -> float:
        """Return the median time of a system's answers, in milliseconds."""
        return statistics.median(each.answers[system].milliseconds for each in self.questions)

    def degraded(self, system: str) -> int:
        """Return the number of a system's answers for which the embedded engine replaced the language model."""
        return sum(bool(each.answers[system].degraded) for each in self.questions)


def choose_systems(systems: Sequence[System], only: Sequence[str]) -> tuple[System, ...]:
    """Return the systems whose names match ``only`` (``*`` allowed), and the whole bot; all if ``only`` is empty.

    Raises:
        InvalidInput: one of ``only`` matches no system; the message lists all systems.
    """
    for wanted in only:
        if not any(fnmatchcase(system.name, wanted) for system in systems):
            names = ", ".join(f'"{system.name}"' for system in systems)
            raise InvalidInput(f'no system is called "{wanted}"; the systems are {names}', field="only")
    return tuple(
        system
        for system in systems
        if not only or system.name == WHOLE or any(fnmatchcase(system.name, wanted) for wanted in only)
    )


async def measure_systems(systems: Sequence[System], question: QuizQuestion) -> Mapping[str, MeasuredAnswer]:
    """Ask every system a question, and return the measured answers by the system's name."""
    return {system.name: measure(question, await ask(system, question)) for system in systems}


async def run_comparison(
    systems: Sequence[System],
    questions: Sequence[QuizQuestion],
    *,
    seed: int,
    log: OutcomeLog,
    on_question: Callable[[], None] = lambda: None,
) -> ComparisonReport:
    """Ask every system every question and compare the systems; answers already in ``log`` are reused.

    Raises:
        InvalidInput: there are no questions.
        Unavailable: something that a system needs is not available.
    """
    if not questions:
        raise InvalidInput("the quiz has no questions", field="path")
    compared = []
    for question in questions:
        answers = {}
        for system in systems:
            id_ = f"{system.name} / {question.model_dump_json()}"
            if id_ not in log.stored:
                log.append(Outcome(id=id_, values=asdict(measure(question, await ask(system, question)))), 0.0)
            answers[system.name] = MeasuredAnswer(**log.stored[id_].outcome.values)
        compared.append(ComparedQuestion(question=question, answers=answers))
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
    """Return the comparison as a table with its notes below."""
    rows: list[tuple[str, ...]] = [
        ("system", *METRICS, "right, difference (95 %)", "p (Holm)", "stood in", "median ms")
    ]
    rows += [_row(report, system) for system in report.notes]
    notes = [f"- {system}: {note}" for system, note in report.notes.items() if note]
    counted = f"{len(report.questions)} questions. Stood in: answers with a step that the embedded engine took over."
    return "\n".join([*text_table(rows), "", counted, *notes])


def _row(report: ComparisonReport, system: str) -> tuple[str, ...]:
    scores = {
        each.metric: f"{each.value:.3f} ({each.low:.3f} to {each.high:.3f})"
        for each in report.comparison.scores
        if each.system == system
    }
    found = [each for each in report.comparison.differences if (each.system, each.metric) == (system, RIGHT)]
    difference = [
        f"{each.difference:+.3f} ({each.low:+.3f} to {each.high:+.3f})" for each in (d.difference for d in found)
    ]
    p = [f"{each.adjusted_p:.3f}" for each in found if each.adjusted_p is not None]
    cells = [scores.get(metric, "–") for metric in METRICS]
    ends = (f"{report.degraded(system)}", f"{report.median_ms(system):.0f}")
    return (system, *cells, "".join(difference), "".join(p), *ends)
