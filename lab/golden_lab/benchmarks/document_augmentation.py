"""Does search find more if summaries, and questions that the text answers, are indexed with the passages?

This compares the same search with and without the offline part of Golden-Retriever. Sections are made of the passages
in the pooled corpus, which does not contain whole documents.
"""

from collections.abc import Sequence
from contextlib import asynccontextmanager
from typing import Any

from golden_lab.benchmarks.base import Benchmark, CaseSet, Opened, about
from golden_lab.benchmarks.corpus_library import open_corpus, open_library
from golden_lab.benchmarks.scores import gain_score, ranking_values, system_scores
from golden_lab.datasets.corpora import Collection, JudgedQuestion, load_mtrag
from golden_lab.engine import Engine
from golden_lab.results import Outcome, Score
from golden_lab.run import Run

WITH, WITHOUT = "with summaries and questions", "passages alone"
_METRICS = ("Recall@1", "Recall@5", "Recall@10", "nDCG@10")
_GAINS = ("Recall@5", "nDCG@10")
_DEPTH = 25
# Summaries take a third of a second per document, so only a sample of the passages that answer no question is used.
_OTHERS = 150


def load(run: Run) -> CaseSet[JudgedQuestion]:
    """Read the questions of the scored half, which people rewrote to stand alone."""
    collection = _collection(run).part("score")
    return CaseSet(cases=collection.questions, note=collection.note)


def _collection(run: Run) -> Collection:
    return load_mtrag(run.data, "govt", others=None if run.full else _OTHERS, seed=run.seed)


@asynccontextmanager
async def prepare(cases: CaseSet[JudgedQuestion], engine: Engine, run: Run) -> Opened[JudgedQuestion]:
    """Put the collection into two libraries, one with summaries, and yield the function that searches both."""
    collection, name = _collection(run), f"{engine.name} {engine.model}"
    with_summaries = open_library(
        collection, engine.embedder, run.work, summariser=engine.summariser, summariser_name=name
    )
    async with open_corpus(collection, engine, run) as plain, with_summaries as augmented:

        async def measure(case: JudgedQuestion) -> Outcome:
            values: dict[str, Any] = {"group": case.group}
            trace = {"question": case.text, "relevant": ", ".join(sorted(case.relevant))}
            for system, library in ((WITHOUT, plain), (WITH, augmented)):
                ranked = library.units(await library.searcher.search([case.text], _DEPTH))
                values[system] = ranking_values(ranked, case.relevant, _METRICS)
                trace[f"found by {system}"] = ", ".join(ranked[:5])
            return Outcome(id=case.id, values=values, loss=1.0 - values[WITH]["Recall@5"], trace=trace)

        yield measure


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score both systems, and the gain from augmentation; intervals resample whole conversations."""
    gains = [gain_score(f"{metric} gained", outcomes, metric, WITH, WITHOUT, seed) for metric in _GAINS]
    return [*system_scores(outcomes, _METRICS, seed), *gains]


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the document-augmentation benchmark."""
    return (Benchmark(about=about("retrieval-augmentation"), load=load, prepare=prepare, score=score),)
