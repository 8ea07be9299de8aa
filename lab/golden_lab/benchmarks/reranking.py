"""Does reranking put the right passages first? Published retrieval results, before and after reranking."""

import csv
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput
from contracts.text import Passage
from golden_lab.benchmarks.base import Benchmark, CaseSet, about, one_by_one
from golden_lab.benchmarks.corpus_library import chunk_of
from golden_lab.benchmarks.scores import ranking_values, system_scores
from golden_lab.datasets.corpora import CollectionPassage, JudgedQuestion, load_mtrag
from golden_lab.engine import Engine
from golden_lab.results import Outcome, Score
from golden_lab.run import Run

_DOMAIN = "cloud"
# The run files, with the names of their retrievers in the published results.
RUNS: Mapping[str, str] = {"bm25": "BM25", "bge": "BGE-base 1.5", "elser": "ELSER"}
_METRICS = ("Recall@1", "Recall@5", "nDCG@5", "MRR")
_AFTER = "reranked"
_SIZE = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankingCase:
    """A standalone question and, for each retriever, the passages found in the full corpus, best first, with scores."""

    id: str
    question: JudgedQuestion
    lists: Mapping[str, Sequence[tuple[CollectionPassage, float]]]


def load(run: Run) -> CaseSet[RerankingCase]:
    """Read the questions of the scored half and the retrievers' lists; a passage without text is an error."""
    collection = load_mtrag(run.data, _DOMAIN).part("score")
    passages = {passage.id: passage for passage in collection.passages}
    found = {name: read_run(run.data / f"mtrag/runs/{name}.rewrite.{_DOMAIN}.tsv.gz") for name in RUNS}
    kept = run.sample(collection.questions, _SIZE)
    cases = []
    for each in kept:
        lists = {}
        for name, system in RUNS.items():
            listed = found[name].get(each.id, ())
            lost = [id_ for id_, _ in listed if id_ not in passages]
            if lost:
                raise InvalidInput(f"mtrag: the run of {system} names {lost[0]}, which is not in the pooled corpus")
            lists[system] = [(passages[id_], score) for id_, score in listed]
        cases.append(RerankingCase(id=each.id, question=each, lists=lists))
    return CaseSet(cases=tuple(cases), note=run.sample_note(len(kept), len(collection.questions), "questions"))


async def measure(case: RerankingCase, engine: Engine) -> Outcome:
    """Rerank the passages that each retriever found in the full corpus."""
    relevant = case.question.relevant
    values: dict[str, Any] = {"group": case.question.group}
    trace = {"question": case.question.text, "relevant": ", ".join(sorted(relevant))}
    for system, listed in case.lists.items():
        ids = {chunk_of(each).id: each.id for each, _ in listed}
        passages = [
            Passage(chunk=chunk_of(each), document_name=each.document, document_title=each.title, score=score)
            for each, score in listed
        ]
        reranked = (await engine.judges.passage_reranker.rerank(case.question.text, passages)).passages
        for name, order in ((system, passages), (f"{system}, {_AFTER}", reranked)):
            ranked = [ids[passage.chunk.id] for passage in order]
            values[name] = ranking_values(ranked, relevant, _METRICS)
            trace[name] = ", ".join(ranked[:5])
    return Outcome(id=case.id, values=values, loss=1.0 - values[f"ELSER, {_AFTER}"]["nDCG@5"], trace=trace)


def read_run(path: Path) -> Mapping[str, tuple[tuple[str, float], ...]]:
    """Read a run: for each question, the ids found and their scores, in rank order.

    Raises:
        InvalidInput: the file does not exist.
    """
    if not path.is_file():
        raise InvalidInput(f"{path} does not exist: is --data the folder with one folder per data set?", field="data")
    rows: dict[str, list[tuple[int, str, float]]] = {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for question, passage, rank, score in csv.reader(file, delimiter="\t"):
            rows.setdefault(question, []).append((int(rank), passage, float(score)))
    return {
        question: tuple((passage, score) for _, passage, score in sorted(found)) for question, found in rows.items()
    }


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score every retriever's list before and after reranking; intervals resample conversations."""
    return system_scores(outcomes, _METRICS, seed)


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the passage-reranking benchmark."""
    return (Benchmark(about=about("mtrag-runs-reranking"), load=load, prepare=one_by_one(measure), score=score),)
