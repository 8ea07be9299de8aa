"""Passage reranking without a language model: late interaction, terms and answer type beside the search's own score."""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from contracts.text import Passage
from contracts.verdicts import Reranked
from tools.embedding.base import Embedder
from tools.evidence.features import PASSAGE_FEATURES, passage_features
from tools.evidence.matching import Scores
from tools.evidence.model import load_model
from tools.evidence.reading import EvidenceReader
from tools.judges import provenance_since

_CALIBRATION = Path(__file__).with_name("calibration.json")

RANKING_FEATURES = (*PASSAGE_FEATURES, "search_score", "search_rank")


class EmbeddedPassageReranker:
    """Orders passages by a linear score of features that are compared within the one question.

    Source: coefficients fitted by ``golden-lab calibrate reranking``; see the calibration file.
    """

    def __init__(self, embedder: Embedder, calibration: Path = _CALIBRATION) -> None:
        self._reader = EvidenceReader(embedder)
        self._model_name = embedder.name
        self._model = load_model(calibration, "reranking", RANKING_FEATURES)

    async def rerank(self, question: str, passages: Sequence[Passage]) -> Reranked:
        """Order ``passages`` by how well they help to answer ``question``; none is added or lost."""
        started = time.perf_counter()
        ordered = tuple(passages)
        if len(ordered) > 1:
            features = await self._reader.read_and(passage_features, question, ordered)
            scores = self._model.logits(ranking_rows(features, ordered))
            ordered = tuple(ordered[index] for index in np.argsort(-scores, kind="stable").tolist())
        return Reranked(
            passages=ordered,
            provenance=provenance_since(started, self._model_name),
        )


def ranking_rows(features: Scores, passages: Sequence[Passage]) -> Scores:
    """Put the search's score and rank beside ``features`` and standardise each column within the question."""
    scores = np.array([passage.score for passage in passages])
    ranks = np.empty(len(passages))
    ranks[np.argsort(-scores, kind="stable")] = np.arange(len(passages))
    rows = np.column_stack([features, scores, -np.log2(ranks + 2)])
    spread = rows.std(axis=0)
    return np.asarray((rows - rows.mean(axis=0)) / np.where(spread > 1e-6, spread, 1.0), dtype=np.float64)
