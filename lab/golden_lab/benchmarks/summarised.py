"""Does search find more where summaries and the questions that they answer are indexed beside the passages?

The offline part of Golden-Retriever, on and off: the same passages and questions, the same search. Sections are made of
the passages of a document that the pooled corpus holds, which are fewer than a whole document's.
"""

from collections.abc import Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from evaluation.results import Outcome, Scores
from evaluation.scores import mean_score
from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened
from golden_lab.benchmarks.library import open_library
from golden_lab.benchmarks.retrieval import ranking_values, system_scores
from golden_lab.datasets.corpora import Collection, JudgedQuestion, load_mtrag
from golden_lab.engine import Engine
from golden_lab.run import Run

WITH, WITHOUT = "with summaries and questions", "passages alone"
_METRICS = ("Recall@1", "Recall@5", "Recall@10", "nDCG@10")
_GAINS = ("Recall@5", "nDCG@10")
_DEPTH = 25
# Summaries take a third of a second a document: a sample of the passages that answer nothing keeps the run short.
_OTHERS = 150


@dataclass(frozen=True, kw_only=True)
class SummarisedRetrieval(Benchmark[JudgedQuestion]):
    """Scores hybrid search over the same passages with and without augmentation, and what it gains, paired."""

    domain: str

    def load(self, run: Run) -> CaseSet[JudgedQuestion]:
        """Read the questions of the half that is scored, made standalone by people."""
        collection = self._open(run).part("score")
        return CaseSet(cases=collection.questions, note=collection.note)

    @asynccontextmanager
    async def prepare(self, cases: CaseSet[JudgedQuestion], engine: Engine, run: Run) -> Opened[JudgedQuestion]:
        """Put the collection into two libraries, one of them with summaries, and yield what searches both."""
        collection = self._open(run)
        work, name = run.work, f"{engine.name} {engine.model}"
        async with (
            open_library(collection, engine.embedder, work) as plain,
            open_library(
                collection, engine.embedder, work, summariser=engine.summariser, summariser_name=name
            ) as augmented,
        ):

            async def measure(case: JudgedQuestion) -> Outcome:
                values: dict[str, object] = {"group": case.group}
                found_share = 0.0
                trace = {"question": case.text, "relevant": ", ".join(sorted(case.relevant))}
                for system, library in ((WITHOUT, plain), (WITH, augmented)):
                    found = await library.searcher.search([case.text], _DEPTH)
                    ranked = list(dict.fromkeys(library.unit_of[each.chunk.id] for each in found))
                    scored = ranking_values(ranked, case.relevant, _METRICS)
                    values[system], found_share = scored, scored["Recall@5"]
                    trace[f"found by {system}"] = ", ".join(ranked[:5])
                return Outcome(id=case.id, values=values, loss=1.0 - found_share, trace=trace)

            yield measure

    def score(self, outcomes: Sequence[Outcome], run: Run) -> Scores:
        """Score both, and the gain of augmentation over conversations drawn whole."""
        groups = [str(each.values["group"]) for each in outcomes]
        gains = tuple(
            mean_score(
                f"{metric} gained",
                [each.values[WITH][metric] - each.values[WITHOUT][metric] for each in outcomes],
                seed=run.seed,
                groups=groups,
            )
            for metric in _GAINS
        )
        return Scores(scores=(*system_scores(outcomes, _METRICS, run.seed), *gains))

    def _open(self, run: Run) -> Collection:
        return load_mtrag(run.data, self.domain, others=None if run.full else _OTHERS, seed=run.seed)


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of document augmentation."""
    return (SummarisedRetrieval(name="retrieval-augmentation", domain="govt"),)
