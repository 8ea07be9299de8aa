"""Does reranking put the right passages first? Other retrievers' lists over the full corpus, before and after."""

import csv
import gzip
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.errors import InvalidInput
from contracts.text import Passage
from evaluation.results import Outcome, Score
from golden_lab.benchmarks.base import Benchmark, CaseSet, about, one_by_one
from golden_lab.benchmarks.library import chunk_of
from golden_lab.benchmarks.scores import ranking_values, system_scores
from golden_lab.datasets.corpora import CollectionPassage, JudgedQuestion, load_mtrag
from golden_lab.engine import Engine
from golden_lab.run import Run

_DOMAIN = "cloud"
# Files of the runs, and what their retrievers are called in print.
RUNS: Mapping[str, str] = {"bm25": "BM25", "bge": "BGE-base 1.5", "elser": "ELSER"}
_METRICS = ("Recall@1", "Recall@5", "nDCG@5", "MRR")
_AFTER = "reranked"
_SIZE = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedList:
    """What one retriever found in the full corpus, best first, with its scores."""

    system: str
    passages: tuple[CollectionPassage, ...]
    scores: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankingCase:
    """A standalone question with the list of each retriever."""

    id: str
    question: JudgedQuestion
    lists: tuple[RankedList, ...]


def load(run: Run) -> CaseSet[RerankingCase]:
    """Read the questions of the half that is scored, with the lists; a passage without text is an error."""
    collection = load_mtrag(run.data, _DOMAIN).part("score")
    passages = {passage.id: passage for passage in collection.passages}
    found = {name: read_run(run.data / f"mtrag/runs/{name}.rewrite.{_DOMAIN}.tsv.gz") for name in RUNS}
    kept = run.sample(collection.questions, _SIZE)
    cases = tuple(
        RerankingCase(
            id=each.id,
            question=each,
            lists=tuple(_ranked(name, found[name].get(each.id, ()), passages) for name in RUNS),
        )
        for each in kept
    )
    return CaseSet(cases=cases, note=run.sample_note(len(kept), len(collection.questions), "questions"))


async def measure(case: RerankingCase, engine: Engine) -> Outcome:
    """Rerank the first ten passages that others' retrievers found in the full corpus."""
    relevant = case.question.relevant
    values: dict[str, Any] = {"group": case.question.group}
    trace = {"question": case.question.text, "relevant": ", ".join(sorted(relevant))}
    for each in case.lists:
        before = [passage.id for passage in each.passages]
        ids = {chunk_of(passage).id: passage.id for passage in each.passages}
        ranked = await engine.judges.passage_reranker.rerank(case.question.text, _as_found(each))
        after = [ids[passage.chunk.id] for passage in ranked.passages]
        values[each.system] = dict(ranking_values(before, relevant, _METRICS))
        values[f"{each.system}, {_AFTER}"] = dict(ranking_values(after, relevant, _METRICS))
        trace[each.system] = ", ".join(before[:5])
        trace[f"{each.system}, {_AFTER}"] = ", ".join(after[:5])
    return Outcome(id=case.id, values=values, loss=1.0 - values[f"ELSER, {_AFTER}"]["nDCG@5"], trace=trace)


def _as_found(found: RankedList) -> tuple[Passage, ...]:
    return tuple(
        Passage(chunk=chunk_of(each), document_name=each.document, document_title=each.title, score=score)
        for each, score in zip(found.passages, found.scores, strict=True)
    )


def read_run(path: Path) -> Mapping[str, tuple[tuple[str, float], ...]]:
    """Read a run: for each question the ids found, with their scores, in the order of their ranks.

    Raises:
        InvalidInput: the file is not there or not of its form; the text names it.
    """
    if not path.is_file():
        raise InvalidInput(f"{path} is not there: is --data the folder with one folder a data set?", field="data")
    rows: dict[str, list[tuple[int, str, float]]] = {}
    try:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            for question, passage, rank, score in csv.reader(file, delimiter="\t"):
                rows.setdefault(question, []).append((int(rank), passage, float(score)))
    except (ValueError, EOFError, gzip.BadGzipFile) as error:
        raise InvalidInput(f"{path}: a line is not question, passage, rank and score: {error}") from error
    return {
        question: tuple((passage, score) for _, passage, score in sorted(found)) for question, found in rows.items()
    }


def _ranked(name: str, found: Sequence[tuple[str, float]], passages: Mapping[str, CollectionPassage]) -> RankedList:
    lost = [id_ for id_, _ in found if id_ not in passages]
    if lost:
        raise InvalidInput(f"mtrag: the run of {RUNS[name]} names {lost[0]}, whose text the pooled corpus lacks")
    return RankedList(
        system=RUNS[name], passages=tuple(passages[id_] for id_, _ in found), scores=tuple(score for _, score in found)
    )


def score(outcomes: Sequence[Outcome], seed: int) -> list[Score]:
    """Score every retriever's list as it was and reranked; intervals draw conversations."""
    return system_scores(outcomes, _METRICS, seed)


def benchmarks() -> tuple[Benchmark[Any], ...]:
    """Return the benchmark of passage reranking."""
    return (Benchmark(about=about("mtrag-runs-reranking"), load=load, prepare=one_by_one(measure), score=score),)
