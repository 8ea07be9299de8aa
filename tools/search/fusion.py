"""Fuses a dense and a lexical list of hits into one score per chunk."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources

import numpy as np
from numpy.typing import NDArray

from tools.language import STOP_WORDS, fold, word_texts


@dataclass(frozen=True, slots=True, kw_only=True)
class FusionWeights:
    """The weight of the dense list relative to the lexical list; the two shares add up to 1.

    The dense share is ``dense`` for a question whose best cosine is ``typical_cosine``. It increases by ``slope`` for
    each unit of cosine above that (because close matches are more reliable), decreases by ``jargon`` times the share of
    jargon in the question, and stays between ``least`` and ``most``. Standardised scores are limited to ``limit``. If a
    passage has a lower score than the summary of its section, its score is raised by the share ``summary`` of the
    difference.

    Source: ``fusion.json``, which contains the command, the data sets, their splits and the scores; models with
    different cosines need a different ``typical_cosine``.
    """

    dense: float
    slope: float
    typical_cosine: float
    jargon: float
    least: float
    most: float
    limit: float
    summary: float

    @classmethod
    def stored(cls) -> "FusionWeights":
        stored = json.loads(resources.files("tools.search").joinpath("fusion.json").read_text(encoding="utf-8"))
        return cls(**stored["weights"])

    def dense_share(self, best_cosine: float, jargon_share: float) -> float:
        share = self.dense + self.slope * (best_cosine - self.typical_cosine) - self.jargon * jargon_share
        return min(max(share, self.least), self.most)


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundLists:
    """The results for one wording of a question: scores by chunk id, with each list limited to ``depth``.

    ``cosines`` contains the true cosine of each chunk in either list, if it has one.
    """

    dense: Mapping[str, float]
    lexical: Mapping[str, float]
    cosines: Mapping[str, float]
    depth: int


def fuse(found: FoundLists, weights: FusionWeights, *, jargon_share: float = 0.0) -> dict[str, float]:
    """Return one score for each chunk in either list: the weighted sum of its standardised scores.

    Each list is standardised with its own mean and deviation. A chunk that is not in the lexical list gets the lowest
    score in this list if the list was cut off, and otherwise 0, because it contains none of the words.

    Source: the score-based fusion of Bruch et al. 2023, "An Analysis of Fusion Functions for Hybrid Retrieval".
    """
    ids = list(dict.fromkeys([*found.dense, *found.lexical]))
    if not ids:
        return {}
    floor = min(found.lexical.values()) if len(found.lexical) >= found.depth else 0.0
    # It is made as long as the dense list, so that a word in one of many chunks stands out, but a word in all does not.
    lexical = [*found.lexical.values(), *[floor] * (len(found.dense) - len(found.lexical))]
    dense = list(found.dense.values())
    lowest = min(dense, default=0.0)
    dense_scores = _standardised([found.cosines.get(id, lowest) for id in ids], dense, weights.limit)
    lexical_scores = _standardised([found.lexical.get(id, floor) for id in ids], lexical, weights.limit)
    share = weights.dense_share(max(dense, default=0.0), jargon_share)
    scores = share * dense_scores + (1.0 - share) * lexical_scores
    return dict(zip(ids, scores.tolist(), strict=True))


def jargon_share_of(question: str, jargon: Sequence[str]) -> float:
    """Return the share of content words in ``question`` that belong to the terms ``jargon``, from 0 to 1."""
    words = [fold(word) for word in word_texts(question)]
    terms = {fold(word) for term in jargon for word in word_texts(term)}
    content = [word for word in words if word in terms or word not in STOP_WORDS]
    return sum(word in terms for word in content) / len(content) if content else 0.0


def _standardised(scores: list[float], of_list: list[float], limit: float) -> NDArray[np.float64]:
    values = np.asarray(scores, dtype=np.float64)
    mean, deviation = (float(np.mean(of_list)), float(np.std(of_list))) if of_list else (0.0, 0.0)
    # Dividing by nearly zero would turn rounding errors into evidence.
    if deviation < 1e-6:
        return np.zeros_like(values)
    standardised: NDArray[np.float64] = np.minimum(np.maximum((values - mean) / deviation, -limit), limit)
    return standardised
