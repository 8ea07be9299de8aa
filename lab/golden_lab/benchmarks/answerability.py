"""Do the passages hold the answer? The answerability judge on questions that people called answerable or not."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from agent.wording import percent
from evaluation.benchmark import About, Benchmark, CaseSet, Outcome, Published, Score, Scores
from evaluation.run import Run
from evaluation.scores import mean_score
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
from golden_lab.datasets.annotated import (
    AskedCase,
    first_passage,
    mtrag_questions,
    sample_by_kind,
    squad2_questions,
)
from golden_lab.engine import Engine

SIDES = Sides(true="answerable", false="unanswerable")
_PAPER = "Danilevsky et al., A Library of LLM Intrinsics for Retrieval-Augmented Generation"
# System: precision, recall, F1 of unanswerable; of answerable; weighted F1.
_Row = tuple[float, float, float, float, float, float, float]
_TABLE_12: Mapping[str, _Row] = {
    "BigBird with MLP": (0.492, 0.685, 0.573, 0.480, 0.292, 0.363, 0.468),
    "Llama-2-7B": (0.722, 0.710, 0.716, 0.714, 0.726, 0.720, 0.718),
    "Granite 3.3 8B, adapter": (0.881, 0.593, 0.709, 0.693, 0.920, 0.790, 0.750),
}
_TABLE_13: Mapping[str, _Row] = {
    "BigBird with MLP": (0.696, 0.776, 0.734, 0.701, 0.608, 0.652, 0.696),
    "Llama-2-7B": (0.869, 0.894, 0.882, 0.873, 0.845, 0.859, 0.871),
    "Granite 3.3 8B, adapter": (0.898, 0.918, 0.908, 0.903, 0.879, 0.891, 0.900),
}
_METRICS = (
    "precision unanswerable",
    "recall unanswerable",
    "F1 unanswerable",
    "precision answerable",
    "recall answerable",
    "F1 answerable",
    "weighted F1",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answerability:
    """Scores the judge on the questions that ``read`` brings of the half that is scored.

    ``sizes`` says how many of each kind, unless the run is full.
    """

    about: About
    read: Callable[[Path], Sequence[AskedCase]]
    sizes: Mapping[str, int]

    def load(self, run: Run) -> CaseSet[AskedCase]:
        """Read the questions."""
        cases, note = sample_by_kind(self.read(run.data), self.sizes, run)
        return CaseSet(cases=cases, note=note)

    @asynccontextmanager
    async def prepare(
        self, cases: CaseSet[AskedCase], engine: Engine, run: Run
    ) -> AsyncIterator[Callable[[AskedCase], Awaitable[Outcome]]]:
        """Yield what asks the judge one question."""

        async def measure(asked: AskedCase) -> Outcome:
            return await judge_answerability(asked, engine)

        yield measure

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score both classes, the probabilities, and the share of each kind that is called answerable."""
        verdicts = [stored_verdict(each.values) for each in outcomes]
        scores = class_scores(verdicts, SIDES, run.seed) + constant_scores(verdicts, SIDES, run.seed)
        scores += probability_scores(verdicts, run.seed)
        return Scores(
            scores=scores + _by_kind(outcomes, verdicts, run.seed),
            figures=(reliability(verdicts, f"Reliability: {self.about.title}"),),
        )


async def judge_answerability(asked: AskedCase, engine: Engine) -> Outcome:
    """Ask the judge of ``engine``; at the policy's threshold or above it is said to be answerable."""
    case, services = asked.case, engine.judges
    question = await services.question_augmenter.augment(case.question, "", ())
    found = await services.answerability_judge.judge(question, case.passages)
    verdict = Verdict(
        truth=case.answerable,
        said=services.policy.is_answerable(found.probability),
        probability=found.probability,
        group=case.group,
    )
    return Outcome(
        id=asked.id,
        values={**verdict_values(verdict), "kind": case.kind},
        loss=abs(found.probability - float(case.answerable)),
        trace={
            "question": case.question,
            "passage": first_passage(case.passages, case.relevant),
            "passages": str(len(case.passages)),
            "said": f"answerable: {percent(found.probability)}",
            "truth": f"{SIDES.true if case.answerable else SIDES.false} ({case.kind})",
            "gold answers": "; ".join(dict.fromkeys(case.answers)),
            "reason": f"not mentioned: {', '.join(found.missing)}" if found.missing else "every term is mentioned",
        },
    )


def _by_kind(outcomes: Sequence[Outcome], verdicts: Sequence[Verdict], seed: int) -> tuple[Score, ...]:
    kinds = list(dict.fromkeys(str(each.values["kind"]) for each in outcomes))
    if len(kinds) <= len({each.truth for each in verdicts}):
        return ()
    found = []
    for kind in kinds:
        of_kind = [one for each, one in zip(outcomes, verdicts, strict=True) if each.values["kind"] == kind]
        called = [float(each.said) for each in of_kind]
        groups = [each.group for each in of_kind]
        higher = of_kind[0].truth
        found.append(
            mean_score("called answerable", called, seed=seed, subset=kind, groups=groups, higher_is_better=higher)
        )
    return tuple(found)


def _published(table: Mapping[str, _Row], name: str, differs: str) -> tuple[Published, ...]:
    return tuple(
        Published(metric=metric, value=value, system=system, source=f"{_PAPER}, Table {name}", differs=differs)
        for system, row in table.items()
        for metric, value in zip(_METRICS, row, strict=True)
    )


def benchmarks() -> tuple[Benchmark[AskedCase], ...]:
    """Return the benchmarks of answerability."""
    squad2 = About(
        name="answerability-squad2",
        title="Answerability, one paragraph a question (SQuAD 2.0)",
        intrinsic="answerability",
        metric="weighted F1",
        source="SQuAD 2.0 (Rajpurkar et al. 2018, “Know What You Don't Know”)",
        licence="CC BY-SA 4.0",
        split="8 articles of dev that nothing is fitted on",
        uses=(SplitUse(file="squad2/dev_v2.0_half.jsonl.gz", part="score"),),
        published=_published(_TABLE_12, "12", "all of SQuAD 2.0 dev; ours is a sample of 8 of its articles"),
    )
    mtrag = About(
        name="answerability-mtrag",
        title="Answerability, several passages a question (MT-RAG)",
        intrinsic="answerability",
        metric="weighted F1",
        source="MT-RAG (Katsis et al. 2025, “MTRAG: A multi-turn conversational benchmark”)",
        licence="Apache-2.0",
        split="domains cloud and govt, conversations that nothing is fitted on; questions made standalone by people; "
        "partly answerable counts as answerable",
        uses=(SplitUse(file="mtrag/tasks.jsonl.gz", part="score"),),
        published=_published(
            _TABLE_13,
            "13",
            "four domains, the whole conversation as input, classes about equal; ours: two domains, the question "
            "rewritten by people, 15 unanswerable ones, some of them with a passage marked relevant",
        ),
    )
    return (
        Answerability(about=squad2, read=squad2_questions, sizes={"present": 215, "adversarial": 235}),
        Answerability(about=mtrag, read=mtrag_questions, sizes={"answerable": 60, "partial": 20}),
    )
