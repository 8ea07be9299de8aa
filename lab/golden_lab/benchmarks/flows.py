"""Four flows, with and without rewriting and an answerability check: when each answers, and how faithfully."""

from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from contracts.question import Turn
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened, about
from golden_lab.benchmarks.corpus_library import mtrag_of, open_corpus
from golden_lab.benchmarks.scores import Rows, system_scores
from golden_lab.datasets.corpora import read_history
from golden_lab.datasets.files import read_jsonl
from golden_lab.engine import Engine
from golden_lab.memory_dictionary import InMemoryJargonDictionary
from golden_lab.metrics.classification import classification_scores
from golden_lab.results import Outcome, Score
from golden_lab.run import Run
from golden_lab.scores import statistic_score
from golden_lab.splits import conversation_of, half
from golden_lab.systems.measures import FAITHFULNESS, JAFS, SystemQuestion, faithfulness_of, jafs_of, said
from golden_lab.systems.simple import FlowSystem, four_flows

_TASKS = "mtrag/tasks.jsonl.gz"
_SIZE = 80
_DOMAINS = ("govt", "cloud")
_FLOWS = ("none", "rewrite", "answerability", "rewrite and answerability")
_SIDES = ("unanswerable", "answerable")
RESPONSES = "responses"


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowCase:
    """The last turn of a conversation, the turns before it, and whether the documents contain its answer."""

    id: str
    domain: str
    question: str
    history: tuple[Turn, ...]
    answerable: bool
    reference: str


def load(run: Run) -> CaseSet[FlowCase]:
    """Read the conversations of the scored half.

    Partly answerable questions count as answerable; turns that ask nothing are left out.
    """
    rows = [
        row
        for row in read_jsonl(run.data / _TASKS)
        if row["domain"] in _DOMAINS
        and row["answerability"] != "CONVERSATIONAL"
        and half(_TASKS, conversation_of(row["task_id"])) == "score"
    ]
    kept = run.sample(rows, _SIZE)
    note = run.sample_note(len(kept), len(rows), "questions")
    return CaseSet(cases=tuple(map(_case, kept)), note="; ".join(filter(None, [note, "pooled corpora"])))


def _case(row: Mapping[str, Any]) -> FlowCase:
    return FlowCase(
        id=row["task_id"],
        domain=row["domain"],
        question=row["input"][-1]["text"].strip(),
        history=read_history(row),
        answerable=row["answerability"] != "UNANSWERABLE",
        reference=str(row["target"]),
    )


@asynccontextmanager
async def prepare(cases: CaseSet[FlowCase], engine: Engine, run: Run) -> Opened[FlowCase]:
    """Open a library for each domain, and make the flows that search it."""
    async with AsyncExitStack() as opened:
        flows: dict[str, tuple[FlowSystem, ...]] = {}
        for domain in sorted({case.domain for case in cases.cases}):
            library = await opened.enter_async_context(open_corpus(mtrag_of(run, domain), engine, run))
            services = engine.services_over(library.searcher, library.lexical, InMemoryJargonDictionary(()))
            flows[domain] = four_flows(services)

        async def measure(case: FlowCase) -> Outcome:
            return await _measure(case, flows[case.domain])

        yield measure


async def _measure(case: FlowCase, flows: Sequence[FlowSystem]) -> Outcome:
    values: dict[str, Any] = {"answerable": float(case.answerable), "group": conversation_of(case.id)}
    truth = _SIDES[case.answerable]
    trace = {"question": case.question, "gold": f"{truth}: {case.reference}"}
    loss = 0.0
    for flow in flows:
        answer = await flow.answer(SystemQuestion(text=case.question, history=case.history))
        answered = not answer.declined
        faithfulness = faithfulness_of(answer.answer.sentences) if answered and case.answerable else None
        joint = jafs_of(answered, case.answerable, faithfulness)
        values[flow.name] = {"answered": float(answered), FAITHFULNESS: faithfulness, JAFS: joint}
        trace[flow.name] = said(answer.outcome, answer.text)
        loss = 1.0 - joint  # the last flow is the complete one
    return Outcome(id=case.id, values=values, loss=loss, trace=trace)


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score each flow as Danilevsky et al. do in Tables 20 to 22; intervals of means resample whole conversations."""
    truth = np.array([_SIDES[bool(each.values["answerable"])] for each in outcomes])
    found: list[Score] = []
    for flow in _FLOWS:
        said_so = np.array([_SIDES[bool(each.values[flow]["answered"])] for each in outcomes])
        for label in _SIDES:

            def f1(rows: Rows, said_so: Any = said_so, label: str = label) -> float:
                return classification_scores(truth[rows].tolist(), said_so[rows].tolist(), [label]).classes[0].f1

            found.append(statistic_score(f"F1 {label}", f1, len(outcomes), seed=seed, system=flow))
        count = float(((truth == _SIDES[1]) & (said_so == _SIDES[1])).sum())
        found.append(Score(metric=RESPONSES, value=count, low=count, high=count, n=len(outcomes), system=flow))
        found += system_scores(outcomes, (FAITHFULNESS, JAFS), seed, systems=(flow,))
    return found


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of the four flows."""
    return (Benchmark(about=about("flows-mtrag"), load=load, prepare=prepare, score=score),)
