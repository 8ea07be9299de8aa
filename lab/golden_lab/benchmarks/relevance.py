"""Does a passage help with a question? The relevance judge on passages that people called relevant or not."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from agent.wording import percent
from contracts.verdicts import PassageRelevance
from evaluation.results import Outcome, Scores
from golden_lab.benchmarks.base import Benchmark, CaseBenchmark, CaseSet, sampled
from golden_lab.benchmarks.verdict_scores import (
    Sides,
    Verdict,
    class_scores,
    constant_scores,
    probability_scores,
    reliability,
    stored_verdict,
    verdict_values,
)
from golden_lab.datasets.annotated import AskedCase, excerpt, mtrag_questions
from golden_lab.engine import Engine
from golden_lab.run import Run

SIDES = Sides(true="relevant", false="irrelevant")
_SIZE = 75
_STRICT = "“relevant” only"


@dataclass(frozen=True, kw_only=True)
class Relevance(CaseBenchmark[AskedCase]):
    """Scores the judge, passage by passage, on the MT-RAG conversations that nothing is fitted on."""

    size: int

    def load(self, run: Run) -> CaseSet[AskedCase]:
        """Read the tasks of the half that is scored, ``size`` of them unless the run is full."""
        tasks = mtrag_questions(run.data)
        return sampled(tasks, self.size, run, "questions")

    async def measure(self, asked: AskedCase, engine: Engine) -> Outcome:
        return await judge_relevance(asked, engine)

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score both classes and the probabilities over all passages; intervals draw conversations.

        A second system takes only the label "relevant" for relevant, not "partial" too.
        """
        judged = [values for each in outcomes for values in each.values["passages"]]
        verdicts = [stored_verdict(values) for values in judged]
        strict = [
            replace(each, said=values["label"] == "relevant") for each, values in zip(verdicts, judged, strict=True)
        ]
        return Scores(
            scores=class_scores(verdicts, SIDES, run.seed)
            + class_scores(strict, SIDES, run.seed, system=_STRICT)
            + constant_scores(verdicts, SIDES, run.seed)
            + probability_scores(verdicts, run.seed),
            figures=(reliability(verdicts, f"Reliability: {self.about.title}"),),
        )


async def judge_relevance(asked: AskedCase, engine: Engine) -> Outcome:
    """Ask the judge of ``engine``; "relevant" and "partial" count as that. The loss is the worst passage's."""
    case = asked.case
    found = (await engine.judges.relevance_judge.judge(case.question, case.passages)).passages
    verdicts = [
        Verdict(truth=truth, said=_helps(each), probability=each.probability, group=case.group)
        for truth, each in zip(case.relevant, found, strict=True)
    ]
    losses = [abs(each.probability - float(each.truth)) for each in verdicts]
    worst = losses.index(max(losses))
    return Outcome(
        id=asked.id,
        values={
            "passages": [
                {**verdict_values(each), "label": one.label} for each, one in zip(verdicts, found, strict=True)
            ]
        },
        loss=losses[worst],
        trace={
            "question": case.question,
            "passage": excerpt(case.passages[worst].text),
            "passages": str(len(case.passages)),
            "said": f"{found[worst].label}: {percent(found[worst].probability)}",
            "truth": SIDES.true if case.relevant[worst] else SIDES.false,
        },
    )


def _helps(verdict: PassageRelevance) -> bool:
    return verdict.label in ("relevant", "partial")


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of context relevance."""
    return (Relevance(name="relevance-mtrag", size=_SIZE),)
