"""A small benchmark with its own data: is a word in capitals found as jargon? It can be made slow or faulty."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from golden_lab.benchmarks.base import Benchmark, CaseSet, one_by_one, sampled
from golden_lab.benchmarks.scores import verdicts_of
from golden_lab.datasets.files import read_jsonl
from golden_lab.engine import Engine
from golden_lab.results import About, Outcome, Score, SplitUse
from golden_lab.run import Run
from golden_lab.scores import rate_score
from lab.tests.benchmarks.annotated_sets import write_rows

QUESTIONS = (
    ("q0", "What does KPU stand for?", "KPU"),
    ("q1", "What does VMT stand for?", "VMT"),
    ("q2", "How does ODV depend on load?", "ODV"),
    ("q3", "What is a cat?", "cat"),
    ("q4", "Which level does SLBG have?", "SLBG"),
    ("q5", "Is the dog awake?", "dog"),
    ("q6", "What is the full form of ROSN?", "ROSN"),
    ("q7", "Could you explain QMB?", "QMB"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WordCase:
    id: str
    question: str
    word: str


def words_benchmark(
    name: str = "words",
    pause_s: float = 0.0,
    hangs_at: str = "",
    breaks_at: str = "",
    intrinsic: str = "jargon_identification",
    uses: tuple[SplitUse, ...] = (SplitUse(file="words/words.jsonl"),),
) -> Benchmark[WordCase]:
    """Scores whether the identifier finds ``word``; ``q3`` and ``q5`` contain ordinary words that it cannot find."""

    async def measure(case: WordCase, engine: Engine) -> Outcome:
        if case.id == breaks_at:
            raise RuntimeError("the engine is broken")
        if case.id == hangs_at:
            await asyncio.Event().wait()
        await asyncio.sleep(pause_s)
        mentions = (await engine.judges.jargon_identifier.identify(case.question)).mentions
        found = case.word in {each.text for each in mentions}
        return Outcome(
            id=case.id,
            values={"found": found, "pair": (1, 2), "truth": True, "probability": float(found)},
            loss=float(not found),
            trace={"question": case.question, "markup": '<script>alert("x")</script> | *bold*'},
        )

    about = About(
        name=name,
        title="Words in capitals",
        intrinsic=intrinsic,
        metric="found",
        source="made for the tests",
        licence="Apache-2.0",
        split="all",
        uses=uses,
    )
    return Benchmark(about=about, load=_load, prepare=one_by_one(measure), score=_score, verdicts=verdicts_of)


def _load(run: Run) -> CaseSet[WordCase]:
    rows = [WordCase(**row) for row in read_jsonl(run.data / "words" / "words.jsonl")]
    return sampled(rows, 6, run, "words")


def _score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    found = [bool(each.values["found"]) for each in outcomes]
    none = Score(metric="nothing", value=float("nan"), low=0.0, high=0.0, n=0)
    errors = rate_score("errors", [not each for each in found], higher_is_better=False)
    return [rate_score("found", found), errors, none]


def write_words(data: Path) -> None:
    rows = ({"id": key, "question": question, "word": word} for key, question, word in QUESTIONS)
    write_rows(data / "words" / "words.jsonl", rows)
