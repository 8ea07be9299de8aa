"""A small benchmark of its own data: is a word in capitals found as jargon? With a door for being slow or broken."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evaluation.intervals import wilson
from evaluation.results import About, Figure, Outcome, Published, Score, Scores, SplitUse
from golden_lab.benchmarks.base import CaseBenchmark, CaseSet
from golden_lab.datasets.files import read_jsonl
from golden_lab.engine import Engine
from golden_lab.run import Run

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


@dataclass(frozen=True, kw_only=True)
class WordsBenchmark(CaseBenchmark[WordCase]):
    """Scores whether the identifier finds ``word``; ``q3`` and ``q5`` hold ordinary words that it cannot find."""

    name: str = "words"
    pause_s: float = 0.0
    hangs_at: str = ""
    breaks_at: str = ""
    metric: str = "found"
    intrinsic: str = "jargon_identification"
    uses: tuple[SplitUse, ...] = (SplitUse(file="words/words.jsonl"),)

    @property
    def about(self) -> About:
        return About(
            name=self.name,
            title="Words in capitals",
            intrinsic=self.intrinsic,
            metric=self.metric,
            source="made for the tests",
            licence="Apache-2.0",
            split="all",
            uses=self.uses,
            published=(
                Published(
                    metric="found",
                    value=0.9,
                    system="somebody's",
                    source="Somebody 2024, table 3",
                    differs="fewer words",
                ),
                Published(metric="other", value=0.5, system="theirs", source="Else 2023, table 1"),
            ),
        )

    def load(self, run: Run) -> CaseSet[WordCase]:
        rows = list(read_jsonl(run.data / "words" / "words.jsonl"))
        kept = run.sample(rows, 6)
        cases = tuple(WordCase(id=row["id"], question=row["question"], word=row["word"]) for row in kept)
        return CaseSet(cases=cases, note=run.sample_note(len(kept), len(rows), "words"))

    async def measure(self, case: WordCase, engine: Engine) -> Outcome:
        if case.id == self.breaks_at:
            raise RuntimeError("the engine is broken")
        if case.id == self.hangs_at:
            await asyncio.Event().wait()
        await asyncio.sleep(self.pause_s)
        mentions = (await engine.judges.jargon_identifier.identify(case.question)).mentions
        found = case.word in {each.text for each in mentions}
        return Outcome(
            id=case.id,
            values={"found": found, "pair": (1, 2)},
            loss=float(not found),
            trace={"question": case.question, "markup": '<script>alert("x")</script> | *bold*'},
        )

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        share = wilson(sum(each.values["found"] for each in outcomes), len(outcomes))
        score = Score(metric="found", value=share.value, low=share.low, high=share.high, n=len(outcomes))
        errors = Score(
            metric="errors", value=1 - share.value, low=1 - share.high, high=1 - share.low, n=len(outcomes),
            higher_is_better=False,
        )  # fmt: skip
        none = Score(metric="nothing", value=float("nan"), low=0.0, high=0.0, n=0)
        svg = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 4 4"><circle r="2"/></svg>'
        return Scores(scores=(score, errors, none), figures=(Figure(title="A dot", svg=svg, description="One dot."),))


def write_words(data: Path) -> None:
    """Write the benchmark's data set below ``data``."""
    (data / "words").mkdir(parents=True, exist_ok=True)
    lines = (json.dumps({"id": key, "question": question, "word": word}) for key, question, word in QUESTIONS)
    (data / "words" / "words.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
