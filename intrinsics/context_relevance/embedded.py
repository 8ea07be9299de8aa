"""Context relevance without a language model: calibrated features of each passage."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import PassageRelevance, RelevanceLabel, RelevanceVerdict
from tools.embedding.base import Embedder
from tools.evidence.features import PASSAGE_FEATURES, passage_features
from tools.evidence.model import load_model
from tools.evidence.reading import Evidence, EvidenceReader

_CALIBRATION = Path(__file__).with_name("calibration.json")
_RELEVANT = 0.5
_PARTIAL = 0.2
_ON_TOPIC = 0.45


class EmbeddedRelevanceJudge:
    """Labels each passage by its calibrated probability of helping, and by names and numbers that clash.

    ``misleading`` is a passage on the question's topic that speaks of another code, version or number than the asker
    named (DDR4 for DDR5).

    Source: coefficients fitted by ``python -m evaluation.calibration.relevance``; see the calibration file.
    """

    def __init__(self, embedder: Embedder, calibration: Path = _CALIBRATION) -> None:
        self._reader = EvidenceReader(embedder)
        self._model_name = embedder.name
        self._model = load_model(calibration, "relevance", PASSAGE_FEATURES)

    async def judge(self, question: str, passages: Sequence[Passage]) -> RelevanceVerdict:
        """Judge each passage's relevance to ``question``: one verdict a passage, in their order."""
        started = time.perf_counter()
        verdicts: list[PassageRelevance] = []
        if passages:
            evidence = await self._reader.read(question, passages)
            rows = await asyncio.to_thread(passage_features, evidence)
            for index, probability in enumerate(self._model.probabilities(rows).tolist()):
                verdicts.append(_verdict(evidence, index, rows[index].tolist(), probability))
        return RelevanceVerdict(
            passages=tuple(verdicts),
            provenance=Provenance(
                implementation="embedded",
                model=self._model_name,
                milliseconds=(time.perf_counter() - started) * 1000,
            ),
        )


def _verdict(evidence: Evidence, index: int, row: list[float], probability: float) -> PassageRelevance:
    if not len(evidence.units_of(index)):
        return PassageRelevance(label="irrelevant", probability=0.0)
    value = dict(zip(PASSAGE_FEATURES, row, strict=True))
    label: RelevanceLabel
    if value["conflict"] > 0 and max(value["best_cosine"], value["passage_cosine"]) >= _ON_TOPIC:
        # It speaks of the topic, but not of the very thing that was named: the likeliest source of a wrong answer.
        return PassageRelevance(label="misleading", probability=min(probability, _PARTIAL))
    if probability >= _RELEVANT:
        label = "relevant"
    elif probability >= _PARTIAL:
        label = "partial"
    else:
        label = "irrelevant"
    return PassageRelevance(label=label, probability=probability)
