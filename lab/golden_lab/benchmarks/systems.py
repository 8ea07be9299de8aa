"""Systems compared on the examples: the bot, the bot without single parts, and plain RAG."""

from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from evaluation.case_file import load_quiz
from evaluation.quiz import QuizQuestion
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened, about
from golden_lab.engine import Engine
from golden_lab.results import Outcome, Score
from golden_lab.run import Run
from golden_lab.systems.comparison import CaseNumbers, compare, difference_scores, measure_systems
from golden_lab.systems.examples import find_examples, open_examples
from golden_lab.systems.golden import WHOLE
from golden_lab.systems.measures import CITED, JAFS, RIGHT, MeasuredAnswer

# The metrics whose differences are shown in the table; a complete comparison includes every metric.
_COMPARED = (RIGHT, JAFS)


def load(run: Run, folder: Path | None = None) -> CaseSet[QuizQuestion]:
    """Read the quiz on the examples; by default, the examples next to the package."""
    return CaseSet(cases=tuple(load_quiz((folder or find_examples()) / "quiz.jsonl")))


@asynccontextmanager
async def prepare(
    cases: CaseSet[QuizQuestion], engine: Engine, run: Run, folder: Path | None = None
) -> Opened[QuizQuestion]:
    """Ingest the examples, and make every system that answers from them."""
    async with open_examples(engine, run, folder or find_examples()) as bench:
        systems = bench.systems()

        async def measure(question: QuizQuestion) -> Outcome:
            return outcome_of(question, await measure_systems(systems, question))

        yield measure


def outcome_of(question: QuizQuestion, measured: Mapping[str, MeasuredAnswer]) -> Outcome:
    """Combine the results of the systems; the loss is that of the whole bot: 1 if wrong, 0.5 if wrongly cited."""
    whole = measured.get(WHOLE)
    numbers: Mapping[str, Any] = whole.numbers if whole else {}
    loss = 0.0 if numbers.get(RIGHT) else 1.0
    if loss == 0.0 and numbers.get(CITED) == 0.0:
        loss = 0.5
    return Outcome(
        id=question.id,
        values={"kind": question.kind, **{name: dict(each.numbers) for name, each in measured.items()}},
        loss=loss if whole else 0.0,
        trace={
            "question": " / ".join([*question.history, question.asked]),
            "gold": f"{question.expect}: {question.answer}",
            **{name: each.said for name, each in measured.items()},
        },
    )


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score every system and its differences from the whole bot."""
    found = compare([_numbers_of(outcome) for outcome in outcomes], seed=seed)
    shown = [each for each in found.differences if each.metric in _COMPARED]
    return [*found.scores, *difference_scores(shown)]


def _numbers_of(outcome: Outcome) -> CaseNumbers:
    return {name: numbers for name, numbers in outcome.values.items() if isinstance(numbers, Mapping)}


def benchmarks(folder: Path | None = None) -> tuple[Benchmark[Any], ...]:
    """Return the comparison of systems on the examples in ``folder``; by default, on those next to the package."""
    return (
        Benchmark(
            about=about("systems-examples"),
            load=partial(load, folder=folder),
            prepare=partial(prepare, folder=folder),
            score=score,
        ),
    )
