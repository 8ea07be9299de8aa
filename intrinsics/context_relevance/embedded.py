"""Context relevance without a language model: calibrated features, and the trained encoder where there is one."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.text import Passage
from contracts.verdicts import PassageRelevance, RelevanceLabel, RelevanceVerdict
from tools.embedding.base import Embedder
from tools.encoder import TextPair
from tools.encoder.joining import clipped_logit
from tools.evidence.features import PASSAGE_FEATURES, best_excerpts, passage_features
from tools.evidence.model import load_model
from tools.evidence.reading import Evidence, EvidenceReader
from tools.judges import JoinedEncoder, provenance_since

_CALIBRATION = Path(__file__).with_name("calibration.json")
_RELEVANT = 0.5
_PARTIAL = 0.2
_ON_TOPIC = 0.45

HEAD = "relevance"
# Within so many logits of helping or not (a probability of 0.2) the features may be wrong; beyond, they hardly are.
DOUBT = 2.0
# An excerpt takes some 10 ms of a core.
MOST_PAIRS = 6
_HELPS = 0.2


@dataclass(frozen=True, slots=True, kw_only=True)
class WeighedPassage:
    """The verdict on a passage, and the few sentences of it that speak to the question most ("" without any text)."""

    verdict: PassageRelevance
    excerpt: str


class EmbeddedRelevanceJudge:
    """Labels each passage by its calibrated probability of helping, and by names and numbers that clash.

    ``misleading`` is a passage on the question's topic that speaks of another code, version or number than the asker
    named (DDR4 for DDR5). With a trained encoder, the verdicts in doubt are joined with its own; ``misleading`` stays.

    Source: coefficients fitted by ``golden-lab calibrate relevance``; see the calibration file.
    """

    def __init__(
        self, embedder: Embedder, calibration: Path = _CALIBRATION, *, joined: JoinedEncoder | None = None
    ) -> None:
        self._reader = EvidenceReader(embedder)
        self._model_name = embedder.name
        self._model = load_model(calibration, "relevance", PASSAGE_FEATURES)
        self._joined = joined

    async def judge(self, question: str, passages: Sequence[Passage]) -> RelevanceVerdict:
        """Judge each passage's relevance to ``question``: one verdict a passage, in their order."""
        started = time.perf_counter()
        weighed = await self.weigh(question, passages)
        verdicts = [each.verdict for each in weighed]
        asked = doubtful(weighed) if self._joined is not None else []
        if self._joined is not None and asked:
            pairs = [TextPair(question, weighed[index].excerpt) for index in asked]
            for index, logit in zip(asked, await self._joined.logits(HEAD, pairs), strict=True):
                probability = self._joined.model.probability(verdicts[index].probability, logit)
                verdicts[index] = PassageRelevance(label=label_of(probability), probability=probability)
        return RelevanceVerdict(
            passages=tuple(verdicts), provenance=provenance_since(started, self._model_name, joined=self._joined)
        )

    async def weigh(self, question: str, passages: Sequence[Passage]) -> tuple[WeighedPassage, ...]:
        """Judge each passage, with what of it is worth reading again."""
        return await self._reader.read_and(self._weighed, question, passages) if passages else ()

    def _weighed(self, evidence: Evidence) -> tuple[WeighedPassage, ...]:
        rows = passage_features(evidence)
        probabilities, excerpts = self._model.probabilities(rows).tolist(), best_excerpts(evidence)
        return tuple(
            WeighedPassage(
                verdict=_verdict(evidence, index, rows[index].tolist(), probability), excerpt=excerpts[index]
            )
            for index, probability in enumerate(probabilities)
        )


def _verdict(evidence: Evidence, index: int, row: list[float], probability: float) -> PassageRelevance:
    if not len(evidence.units_of(index)):
        return PassageRelevance(label="irrelevant", probability=0.0)
    value = dict(zip(PASSAGE_FEATURES, row, strict=True))
    if value["conflict"] > 0 and max(value["best_cosine"], value["passage_cosine"]) >= _ON_TOPIC:
        # It speaks of the topic, but not of the very thing that was named: the likeliest source of a wrong answer.
        return PassageRelevance(label="misleading", probability=min(probability, _PARTIAL))
    return PassageRelevance(label=label_of(probability), probability=probability)


def label_of(probability: float) -> RelevanceLabel:
    """Return the label of a passage that helps with this probability, and that speaks of no other thing."""
    if probability >= _RELEVANT:
        return "relevant"
    return "partial" if probability >= _PARTIAL else "irrelevant"


def doubtful(weighed: Sequence[WeighedPassage]) -> list[int]:
    """Return the indexes of the passages that the encoder is asked about, those nearest to the line first."""
    found = []
    for index, each in enumerate(weighed):
        distance = abs(clipped_logit(each.verdict.probability) - clipped_logit(_HELPS))
        if each.verdict.label != "misleading" and each.excerpt and distance < DOUBT:
            found.append((distance, index))
    return [index for _, index in sorted(found)[:MOST_PAIRS]]
