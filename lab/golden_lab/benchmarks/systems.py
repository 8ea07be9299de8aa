"""Systems compared on the examples: the bot, the bot without each of its parts, and plain RAG."""

from collections.abc import Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.case_file import load_quiz
from evaluation.quiz import QuizQuestion
from evaluation.results import Outcome, Scores
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened
from golden_lab.engine import Engine
from golden_lab.plots import bars_with_intervals
from golden_lab.run import Run
from golden_lab.systems.comparison import CaseNumbers, compare, difference_scores, measure_systems
from golden_lab.systems.examples import find_examples, open_examples
from golden_lab.systems.golden import WHOLE
from golden_lab.systems.measures import CITED, JAFS, RIGHT, MeasuredAnswer

# The differences that the table shows; a whole comparison has those of every metric.
_COMPARED = (RIGHT, JAFS)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuizCase:
    """One question of a quiz."""

    question: QuizQuestion

    @property
    def id(self) -> str:
        """The question's id."""
        return self.question.id


@dataclass(frozen=True, kw_only=True)
class SystemsOnExamples(Benchmark[QuizCase]):
    """Asks every system the quiz of the examples; ``folder`` None means the examples beside the package."""

    folder: Path | None = None
    name: str = "systems-examples"

    def load(self, run: Run) -> CaseSet[QuizCase]:
        """Read the quiz of the examples.

        Raises:
            InvalidInput: the examples are not there, or a line of the quiz is wrong.
        """
        questions = load_quiz(self._folder() / "quiz.jsonl")
        return CaseSet(cases=tuple(QuizCase(question=question) for question in questions))

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[QuizCase], engine: Engine, run: Run) -> Opened[QuizCase]:
        """Ingest the examples and make every system over them."""
        async with open_examples(engine, run, self._folder()) as bench:
            systems = bench.systems()

            async def measure_case(case: QuizCase) -> Outcome:
                return outcome_of(case.question, await measure_systems(systems, case.question))

            yield measure_case

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score every system, and its differences to the whole bot."""
        found = compare([numbers_of(outcome) for outcome in outcomes], seed=run.seed)
        shown = [each for each in found.differences if each.metric in _COMPARED]
        rows = [(each.system, each.value, each.low, each.high) for each in found.scores if each.metric == RIGHT]
        plot = bars_with_intervals(rows, "Questions answered or refused right, by system")
        return Scores(scores=(*found.scores, *difference_scores(shown)), figures=(plot,))

    def _folder(self) -> Path:
        return find_examples() if self.folder is None else self.folder


def outcome_of(question: QuizQuestion, measured: Mapping[str, MeasuredAnswer]) -> Outcome:
    """Put what the systems came to together; the loss is the whole bot's: 1 for wrong, a half for cited wrong."""
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


def numbers_of(outcome: Outcome) -> CaseNumbers:
    """Return an outcome's numbers by system and metric."""
    return {name: numbers for name, numbers in outcome.values.items() if isinstance(numbers, Mapping)}


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the comparison of systems on the examples."""
    return (SystemsOnExamples(),)
