"""Does a passage help with a question? The relevance judge on passages that people called relevant or not."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace

from agent.wording import percent
from contracts.verdicts import PassageRelevance
from evaluation.benchmark import About, Benchmark, CaseSet, Outcome, Published, Scores
from evaluation.run import Run
from evaluation.splits import SplitUse
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

SIDES = Sides(true="relevant", false="irrelevant")
_SIZE = 75
_STRICT = "“relevant” only"
_PAPER = "Danilevsky et al., A Library of LLM Intrinsics for Retrieval-Augmented Generation"
_DIFFERS = (
    "four domains, their retrieved passages and last turns; ours: two domains, annotated passages, rewritten turns"
)
# Precision on relevant passages and recall on irrelevant ones, in the setting "RAG".
_TABLES_10_11 = {
    "Llama 3.3 70B": (0.93, 0.41),
    "Granite Guardian 3.1 5B": (0.90, 0.21),
    "Granite 3.3 8B, prompted": (0.93, 0.29),
    "Granite 3.3 8B, adapter": (0.96, 0.73),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Relevance:
    """Scores the judge, passage by passage, on the MT-RAG conversations that nothing is fitted on."""

    about: About
    size: int

    def load(self, run: Run) -> CaseSet[AskedCase]:
        """Read the tasks of the half that is scored, ``size`` of them unless the run is full."""
        tasks = mtrag_questions(run.data)
        kept = run.sample(tasks, self.size)
        return CaseSet(cases=kept, note=run.sample_note(len(kept), len(tasks), "questions"))

    @asynccontextmanager
    async def prepare(
        self, cases: CaseSet[AskedCase], engine: Engine, run: Run
    ) -> AsyncIterator[Callable[[AskedCase], Awaitable[Outcome]]]:
        """Yield what has the passages of one question judged."""

        async def measure(asked: AskedCase) -> Outcome:
            return await judge_relevance(asked, engine)

        yield measure

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


def benchmarks() -> tuple[Benchmark[AskedCase], ...]:
    """Return the benchmark of context relevance."""
    about = About(
        name="relevance-mtrag",
        title="Context relevance, passage by passage (MT-RAG)",
        intrinsic="context_relevance",
        metric="weighted F1",
        source="MT-RAG (Katsis et al. 2025, “MTRAG: A multi-turn conversational benchmark”)",
        licence="Apache-2.0",
        split="domains cloud and govt, half of the conversations; people's yes or no to each passage they saw",
        uses=(SplitUse(file="mtrag/tasks.jsonl.gz", part="score"),),
        published=tuple(
            Published(metric=metric, value=value, system=system, source=f"{_PAPER}, Table {table}", differs=_DIFFERS)
            for system, values in _TABLES_10_11.items()
            for metric, table, value in zip(
                ("precision relevant", "recall irrelevant"), ("10", "11"), values, strict=True
            )
        ),
    )
    return (Relevance(about=about, size=_SIZE),)
