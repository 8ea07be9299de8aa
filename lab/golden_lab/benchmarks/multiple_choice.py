"""Quizzes on technical domains: multiple choice by the closed book, by plain RAG, and by the bot."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluation.benchmark import About, Benchmark, CaseSet, Measure, Outcome, Published, Scores
from evaluation.quiz import load_quiz
from evaluation.run import Run
from evaluation.splits import SplitUse
from golden_lab.benchmarks.choices import (
    ACCURACY,
    CHANCE,
    GAIN_OVER_CLOSED_BOOK,
    GAIN_OVER_RAG,
    measure_choices,
    score_choices,
)
from golden_lab.benchmarks.library import open_corpus
from golden_lab.datasets.corpora import Collection
from golden_lab.datasets.quizzes import (
    GLOSSARY,
    ORAN,
    SPECIFICATIONS,
    TELEQNA,
    ChoiceCase,
    read_explanations,
    read_glossary,
    read_oranbench,
    read_specifications,
    read_teleqna,
)
from golden_lab.engine import Engine
from golden_lab.systems.examples import find_examples, open_examples
from golden_lab.systems.golden import WHOLE, GoldenSystem
from golden_lab.systems.mining import mine_dictionary
from golden_lab.systems.simple import ClosedBookSystem, PlainRagSystem
from golden_lab.systems.values import System

_SIZE = 150
_GLOSSARY_SIZE = 30
_GOLDEN_PAPER = "An et al. 2024, Golden-Retriever (arXiv:2408.00798), Table 1 as section 4.1.3 sums it up"


def _gains(differs: str) -> tuple[Published, ...]:
    rows = (
        (GAIN_OVER_CLOSED_BOOK, 0.573, "mean of three models of 70B"),
        (GAIN_OVER_CLOSED_BOOK, 0.792, "Meta-Llama-3-70B"),
        (GAIN_OVER_RAG, 0.350, "mean of three models of 70B"),
        (GAIN_OVER_RAG, 0.407, "Meta-Llama-3-70B"),
    )
    return tuple(
        Published(metric=metric, value=value, system=system, source=_GOLDEN_PAPER, differs=differs)
        for metric, value, system in rows
    )


@dataclass(frozen=True, kw_only=True)
class ChoiceQuiz:
    """A quiz with the documents it is answered from; ``collection`` None means that there are none.

    Without documents only the closed book can answer, and without a chat model only chance is reported.
    """

    about: About
    read: Callable[[Run], Sequence[ChoiceCase]]
    collection: Callable[[Run], Collection] | None
    size: int
    note: str

    def load(self, run: Run) -> CaseSet[ChoiceCase]:
        """Read the questions, sampled.

        Raises:
            InvalidInput: a file is not there or not of its form; the text names it.
        """
        rows = self.read(run)
        kept = run.sample(rows, self.size)
        note = run.sample_note(len(kept), len(rows), "questions")
        return CaseSet(cases=kept, note="; ".join(filter(None, [note, self.note])))

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[ChoiceCase], engine: Engine, run: Run) -> AsyncIterator[Measure[ChoiceCase]]:
        """Open the library and make the systems over it."""
        if self.collection is None:
            yield _measuring([ClosedBookSystem(engine.chat)] if engine.chat else [])
            return
        collection = self.collection(run)
        async with open_corpus(collection, engine, run) as library:
            dictionary = await mine_dictionary(collection.passages, engine.term_miner)
            services = engine.services_over(library.searcher, library.lexical, dictionary)
            yield _measuring([ClosedBookSystem(engine.chat), PlainRagSystem(services), GoldenSystem(services)])

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score each system's accuracy, and the gains of the bot."""
        return score_choices(outcomes, run)


@dataclass(frozen=True, kw_only=True)
class ExamplesQuiz:
    """The multiple-choice questions of the examples; ``folder`` None means the examples beside the package."""

    about: About
    folder: Path | None = None

    def load(self, run: Run) -> CaseSet[ChoiceCase]:
        """Read the questions with options.

        Raises:
            InvalidInput: the examples are not there, or a line of the quiz is wrong.
        """
        quiz = load_quiz(self._folder() / "quiz.jsonl")
        cases = tuple(
            ChoiceCase(
                id=each.id,
                text=each.question,
                options=tuple(each.choices),
                right=each.choices.index(each.answer),
                subset="examples",
            )
            for each in quiz
            if each.choices
        )
        return CaseSet(cases=cases)

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[ChoiceCase], engine: Engine, run: Run) -> AsyncIterator[Measure[ChoiceCase]]:
        """Ingest the examples and make the systems over them."""
        async with open_examples(engine, run, self._folder()) as bench:
            systems = (ClosedBookSystem(bench.chat), PlainRagSystem(bench.services), GoldenSystem(bench.services))
            yield _measuring(systems)

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score each system's accuracy, and the gains of the bot."""
        return score_choices(outcomes, run)

    def _folder(self) -> Path:
        return find_examples() if self.folder is None else self.folder


def _measuring(systems: Sequence[System]) -> Measure[ChoiceCase]:
    async def measure_case(case: ChoiceCase) -> Outcome:
        return await measure_choices(case, systems)

    return measure_case


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the quizzes: telecommunications, open radio access, abbreviations of hardware, the examples."""
    return (_teleqna(), _oranbench(), _hardware(), _examples())


def _teleqna() -> ChoiceQuiz:
    differs = (
        "another set (telecommunications, not new-hire training), read open-book over the explanations of its own "
        "questions, and another engine"
    )
    about = About(
        name="quiz-teleqna",
        title="Multiple choice on telecommunications, open book over the set's own explanations",
        intrinsic="bot",
        metric=ACCURACY,
        metric_system=WHOLE,
        source="TeleQnA: Maatouk et al. 2023 (arXiv:2310.15051), netop-team/TeleQnA; every fifth question",
        licence="MIT",
        split="half of the questions: the others were questions of no context in a fit",
        uses=(SplitUse(file=TELEQNA, part="score"),),
        published=_gains(differs),
    )
    note = (
        "open book: the explanations of all 2,000 questions are the library, so that no figure compares with published "
        "closed-book ones"
    )
    return ChoiceQuiz(about=about, read=read_teleqna, collection=read_explanations, size=_SIZE, note=note)


def _oranbench() -> ChoiceQuiz:
    about = About(
        name="quiz-oranbench",
        title="Multiple choice on open radio access networks, closed book",
        intrinsic="bot",
        metric=ACCURACY,
        metric_system=CHANCE,
        source="ORAN-Bench-13K: Gajjar and Shah 2024 (arXiv:2407.06245); every fifth question",
        licence="MIT",
        split="all",
        uses=tuple(SplitUse(file=file) for file in ORAN.values()),
        published=(
            Published(
                metric=ACCURACY,
                value=0.776,
                system="ORANSight, weighted",
                source="Gajjar and Shah 2024, ORAN-Bench-13K (arXiv:2407.06245), abstract",
                differs="they answer all 13,952 questions from 116 specifications, we have no documents for them",
            ),
        ),
    )
    note = "no documents come with it: closed book only, and without a chat model only chance"
    return ChoiceQuiz(about=about, read=read_oranbench, collection=None, size=_SIZE, note=note)


def _hardware() -> ChoiceQuiz:
    about = About(
        name="quiz-hwspecs",
        title="What abbreviations of hardware specifications stand for, from the specifications",
        intrinsic="bot",
        metric=ACCURACY,
        metric_system=WHOLE,
        source="glossaries and text of Caliptra, OCP L.O.C.K., RISC-V IOMMU and SBI; questions made by the bench",
        licence="Apache-2.0, OWFa 0.9, CC BY 4.0",
        split="all",
        uses=(SplitUse(file=GLOSSARY), SplitUse(file=SPECIFICATIONS)),
        published=_gains("another set (abbreviations only, questions made by the bench), and another engine"),
    )
    note = "three meanings of other terms as distractors; the library holds the glossaries too"
    return ChoiceQuiz(about=about, read=read_glossary, collection=read_specifications, size=_GLOSSARY_SIZE, note=note)


def _examples() -> ExamplesQuiz:
    about = About(
        name="quiz-examples",
        title="The multiple-choice questions of the examples",
        intrinsic="bot",
        metric=ACCURACY,
        metric_system=WHOLE,
        source="examples/ of this project, all made up",
        licence="that of the project",
        split="all",
        uses=(),
        published=_gains("another set, made up, of six questions, and another engine"),
    )
    return ExamplesQuiz(about=about)
