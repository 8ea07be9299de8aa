"""The four flows of rewriting and answerability on conversations: which answer, when, and how faithfully."""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from contracts.question import Turn
from evaluation.results import Outcome, Score, Scores
from evaluation.scores import mean_score, statistic_score
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened
from golden_lab.benchmarks.library import open_corpus
from golden_lab.datasets.corpora import load_mtrag, read_history
from golden_lab.datasets.files import read_jsonl
from golden_lab.engine import Engine
from golden_lab.metrics.classification import classification_scores
from golden_lab.run import Run
from golden_lab.splits import conversation_of, half
from golden_lab.systems.measures import FAITHFULNESS, JAFS, SystemQuestion, faithfulness_of, jafs_of, said
from golden_lab.systems.simple import FlowSystem, four_flows
from tools.jargon.memory import InMemoryJargonDictionary

_TASKS = "mtrag/tasks.jsonl.gz"
# The same sample as the benchmark of retrieval, so that both open one library.
_OTHERS_OF_CLOUD = 1_500
_SIZE = 80
_FLOWS = ("none", "rewrite", "answerability", "rewrite and answerability")
F1_UNANSWERABLE = "F1 unanswerable"
F1_ANSWERABLE = "F1 answerable"
RESPONSES = "responses"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowCase:
    """The last turn of a conversation, the turns before it, and whether the documents hold its answer."""

    id: str
    domain: str
    question: str
    history: tuple[Turn, ...]
    answerable: bool
    reference: str


@dataclass(frozen=True, kw_only=True)
class FlowsOnConversations(Benchmark[FlowCase]):
    """Runs the four flows over conversations on two document collections; ``size`` limits the questions."""

    size: int = _SIZE
    others: int = _OTHERS_OF_CLOUD
    domains: tuple[str, ...] = ("govt", "cloud")
    name: str = "flows-mtrag"

    def load(self, run: Run) -> CaseSet[FlowCase]:
        """Read the conversations of the half that is scored.

        Partly answerable questions count as answerable; talk that asks nothing is left out.

        Raises:
            InvalidInput: the file is not there or not of its form; the text names it.
        """
        rows = [
            row
            for row in read_jsonl(run.data / _TASKS)
            if row["domain"] in self.domains
            and row["answerability"] != "CONVERSATIONAL"
            and half(_TASKS, conversation_of(row["task_id"])) == "score"
        ]
        kept = run.sample(rows, self.size)
        note = run.sample_note(len(kept), len(rows), "questions")
        return CaseSet(cases=tuple(map(_case, kept)), note="; ".join(filter(None, [note, "pooled corpora"])))

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[FlowCase], engine: Engine, run: Run) -> Opened[FlowCase]:
        """Open a library for each domain and make the flows over it."""
        async with AsyncExitStack() as opened:
            flows: dict[str, tuple[FlowSystem, ...]] = {}
            for domain in sorted({case.domain for case in cases.cases}):
                others = None if run.full or domain == "govt" else self.others
                library = await opened.enter_async_context(
                    open_corpus(load_mtrag(run.data, domain, others=others, seed=run.seed), engine, run)
                )
                services = engine.services_over(library.searcher, library.lexical, InMemoryJargonDictionary(()))
                flows[domain] = four_flows(services)

            async def measure_case(case: FlowCase) -> Outcome:
                return await _measure(case, flows[case.domain])

            yield measure_case

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score each flow as in Tables 20 to 22 of the paper; questions of one conversation are drawn together."""
        return Scores(scores=tuple(score for flow in _FLOWS for score in _scores(flow, outcomes, run.seed)))


def _case(row: Mapping[str, Any]) -> FlowCase:
    return FlowCase(
        id=row["task_id"],
        domain=row["domain"],
        question=row["input"][-1]["text"].strip(),
        history=read_history(row),
        answerable=row["answerability"] != "UNANSWERABLE",
        reference=str(row["target"]),
    )


async def _measure(case: FlowCase, flows: Sequence[FlowSystem]) -> Outcome:
    values: dict[str, Any] = {"answerable": float(case.answerable), "conversation": conversation_of(case.id)}
    trace = {
        "question": case.question,
        "gold": f"{'answerable' if case.answerable else 'unanswerable'}: {case.reference}",
    }
    loss = 0.0
    for flow in flows:
        answer = await flow.answer(SystemQuestion(text=case.question, history=case.history))
        answered = not answer.declined
        faithfulness = faithfulness_of(answer.answer.sentences) if answered and case.answerable else None
        joint = jafs_of(answered, case.answerable, faithfulness)
        values[flow.name] = {"answered": float(answered), FAITHFULNESS: faithfulness, JAFS: joint}
        trace[flow.name] = said(answer.outcome, answer.text)
        loss = 1.0 - joint  # the last flow is the whole one
    return Outcome(id=case.id, values=values, loss=loss, trace=trace)


def _scores(flow: str, outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    truth = np.array(["answerable" if outcome.values["answerable"] else "unanswerable" for outcome in outcomes])
    said_so = np.array(["answerable" if outcome.values[flow]["answered"] else "unanswerable" for outcome in outcomes])
    conversations = [str(outcome.values["conversation"]) for outcome in outcomes]

    def f1_of(label: str) -> Score:
        def f1(rows: NDArray[np.intp]) -> float:
            return classification_scores(truth[rows].tolist(), said_so[rows].tolist(), [label]).of(label).f1

        return statistic_score(f"F1 {label}", f1, len(outcomes), seed=seed, system=flow)

    correct = [outcome for outcome in outcomes if outcome.values["answerable"] and outcome.values[flow]["answered"]]
    count = float(len(correct))
    scores = [
        f1_of("unanswerable"),
        f1_of("answerable"),
        Score(metric=RESPONSES, value=count, low=count, high=count, n=len(outcomes), system=flow),
    ]
    faithful = [(each.values[flow][FAITHFULNESS], str(each.values["conversation"])) for each in correct]
    faithful = [(value, conversation) for value, conversation in faithful if value is not None]
    if faithful:
        values, groups = zip(*faithful, strict=True)
        scores.append(mean_score(FAITHFULNESS, values, seed=seed, system=flow, groups=groups))
    joint = [outcome.values[flow][JAFS] for outcome in outcomes]
    scores.append(mean_score(JAFS, joint, seed=seed, system=flow, groups=conversations))
    return scores


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of the four flows."""
    return (FlowsOnConversations(),)
