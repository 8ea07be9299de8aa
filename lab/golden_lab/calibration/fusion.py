"""Fit and measure the fusion of dense and lexical search."""

import itertools
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from golden_lab.benchmarks.corpus_library import CorpusLibrary, open_library
from golden_lab.calibration.fitting import CalibrationRun
from golden_lab.datasets.corpora import Collection, load_eda, load_mtrag
from golden_lab.metrics.ranking import ndcg_at
from golden_lab.results import SplitUse
from golden_lab.splits import Half
from tools.search.fusion import FoundLists, FusionWeights, fuse

_FITS = tuple(
    SplitUse(file=file, part="fit")
    for file in ("mtrag/retrieval/govt", "mtrag/tasks.jsonl.gz", "mtrag/retrieval/cloud", "eda_corpus/qa.jsonl")
)
_SAMPLE_OF_CLOUD = 3_000
_SHARES = tuple(round(0.35 + 0.05 * step, 2) for step in range(9))
_SLOPES = (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)
_TYPICAL_COSINES = (0.5, 0.6, 0.7)
# Weights whose score is within this difference of the best count as equally good; the smallest slope wins.
_EQUAL = 0.003


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchedQuestion:
    """The results of both indexes for a question, the unit of each chunk, and the units that answer the question."""

    lists: FoundLists
    unit_of: dict[str, str]
    relevant: frozenset[str]


async def searched(collection: Collection, part: Half, library: CorpusLibrary) -> list[SearchedQuestion]:
    """Search both indexes for the questions of one half of ``collection``."""
    found = []
    for question in collection.part(part).questions:
        lists = await library.searcher.lists(question.text)
        units = {chunk_id: library.unit_of[chunk_id] for chunk_id in {*lists.dense, *lists.lexical}}
        found.append(SearchedQuestion(lists=lists, unit_of=units, relevant=question.relevant))
    return found


def mean_ndcg(questions: Sequence[SearchedQuestion], weights: FusionWeights) -> float:
    """Return the mean nDCG@5 of the lists fused with ``weights``."""
    gains = []
    for each in questions:
        scores = fuse(each.lists, weights)
        ranked = dict.fromkeys(each.unit_of[chunk_id] for chunk_id in sorted(scores, key=lambda key: -scores[key]))
        gains.append(ndcg_at(list(ranked)[:5], each.relevant, 5))
    return float(np.mean(gains))


def choose(sets: Sequence[Sequence[SearchedQuestion]], start: FusionWeights) -> FusionWeights:
    """Return the weights from the grid with the best mean nDCG@5; all sets count equally."""
    grid = [
        replace(start, dense=dense, slope=slope, typical_cosine=typical)
        for dense, slope, typical in itertools.product(_SHARES, _SLOPES, _TYPICAL_COSINES)
    ]
    scored = [(float(np.mean([mean_ndcg(each, weights) for each in sets])), weights) for weights in grid]
    best = max(score for score, _ in scored)
    good = [weights for score, weights in scored if score >= best - _EQUAL]
    return min(good, key=lambda weights: (weights.slope, abs(weights.dense - 0.6), weights.typical_cosine))


async def calibrate(run: CalibrationRun) -> dict[str, Any]:
    """Choose weights from a grid on the fit halves of MT-RAG and EDA Corpus, and measure on the other halves."""
    collections = {
        "mtrag_govt": load_mtrag(run.data, "govt"),
        "mtrag_cloud": load_mtrag(run.data, "cloud", others=_SAMPLE_OF_CLOUD),
        "eda": load_eda(run.data),
    }
    fit: dict[str, list[SearchedQuestion]] = {}
    other: dict[str, list[SearchedQuestion]] = {}
    for name, collection in collections.items():
        async with open_library(collection, run.embedder, run.scratch) as library:
            fit[name] = await searched(collection, "fit", library)
            other[name] = await searched(collection, "score", library)
    former = FusionWeights.stored()
    weights = choose(list(fit.values()), former)
    systems = {
        "chosen": weights,
        "dense alone": replace(weights, dense=1.0, slope=0.0, least=1.0, most=1.0),
        "lexical alone": replace(weights, dense=0.0, slope=0.0, least=0.0, most=0.0),
        "half and half": replace(weights, dense=0.5, slope=0.0),
    }
    figures = {
        f"{name}, other half (n={len(questions)}), nDCG@5": {
            system: round(mean_ndcg(questions, each), 4) for system, each in systems.items()
        }
        for name, questions in other.items()
    }
    run.write(
        "tools.search",
        "fusion.json",
        {"weights": asdict(weights)},
        fits=_FITS,
        fitted_on="MT-RAG govt and cloud (questions made standalone by people, pooled corpora, Apache-2.0) and EDA "
        "Corpus (CC BY 4.0), half of the conversations and answers of each",
        n=sum(map(len, fit.values())),
        figures=figures,
        method="grid over dense, slope and typical_cosine for nDCG@5, every set counting alike; the flattest within "
        f"{_EQUAL} of the best",
        set_by_judgement="jargon, least, most, limit, summary",
    )
    return figures
