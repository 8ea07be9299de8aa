"""A triple attributor without a language model, based on similarity, numbers, negation and modality."""

import time
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from contracts.provenance import Provenance
from golden_lab.triple_attribution.features import FEATURES, contradicts, feature_row
from golden_lab.triples.triple import AttributionVerdict, ClaimCandidates, ClaimSupport, Triple
from tools.embedding.base import Embedder
from tools.evidence.model import FittedModel, load_model

_CALIBRATION = Path(__file__).with_name("calibration.json")
_EVEN = 0.5


class EmbeddedTripleAttributor:
    """Takes the most probable candidate of each source, if the probability that it states the claim is above 0.5.

    A candidate with different numbers, or with a "not" that the claim lacks, does not count. Source: the probabilities
    are fitted on hand-labelled claims (see ``calibration.json`` next to this file).
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    @cached_property
    def _model(self) -> FittedModel:
        return load_model(_CALIBRATION, "support", FEATURES)

    async def attribute(self, claims: Sequence[ClaimCandidates]) -> AttributionVerdict:
        """Judge each claim against its own candidates; a claim without candidates has no support.

        Raises:
            ConfigurationError: the calibration file is missing or is for other features.
        """
        started = time.perf_counter()
        rows = await candidate_features(claims, self._embedder)
        supports = []
        for each, features in zip(claims, rows, strict=True):
            chances = self._model.probabilities(features) if len(features) else np.zeros(0)
            best: dict[str, int] = {}
            for number, one in enumerate(each.candidates):
                leader = best.get(one.source)
                if contradicts(features[number]):
                    continue
                if chances[number] >= _EVEN and (leader is None or chances[number] > chances[leader]):
                    best[one.source] = number
            supports.append(ClaimSupport(evidence=tuple(sorted(best.values()))))
        return AttributionVerdict(
            claims=tuple(supports),
            provenance=Provenance(
                implementation="embedded",
                model=self._embedder.name,
                milliseconds=(time.perf_counter() - started) * 1_000,
            ),
        )


async def candidate_features(claims: Sequence[ClaimCandidates], embedder: Embedder) -> tuple[NDArray[np.float64], ...]:
    """Return the features of each claim's candidates, shape ``(candidates, features)``; every text is embedded once."""
    triples = [triple for each in claims for triple in (each.claim, *(one.triple for one in each.candidates))]
    texts = list(dict.fromkeys(text for triple in triples for text in _texts(triple)))
    if not texts:
        return tuple(np.zeros((0, len(FEATURES))) for _ in claims)
    vectors = await embedder.embed_documents(texts)
    place = {text: row for row, text in enumerate(texts)}

    def cosines(first: Triple, second: Triple) -> tuple[float, float, float]:
        whole, subject, value = (
            float(vectors[place[a]] @ vectors[place[b]]) for a, b in zip(_texts(first), _texts(second), strict=True)
        )
        return whole, subject, value

    return tuple(
        np.array(
            [feature_row(each.claim, one.triple, cosines(each.claim, one.triple)) for one in each.candidates]
        ).reshape(-1, len(FEATURES))
        for each in claims
    )


def _texts(triple: Triple) -> tuple[str, str, str]:
    return triple.text, triple.subject, triple.object
