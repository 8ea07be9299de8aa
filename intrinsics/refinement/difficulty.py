"""Estimates how noisy retrieval was, without labels, as the mean of six cheap proxies."""

import math
import re
import statistics
import sys
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from itertools import combinations

from contracts.text import Passage
from intrinsics.refinement.overlap import content_words

_TOKEN = re.compile(r"\S+")
_EDGES = ".,;:!?()[]{}\"'“”‘’"
_QUOTED = re.compile(r"[\"“”‘«][^\"“”’»]{2,80}[\"“”’»]")
_OPEN_ENDED = re.compile(
    r"\b(?:overview|summar\w+|implications?|compare|comparison|discuss|describe|explain|advantages|disadvantages|"
    r"pros and cons|best practices|in general|everything)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProxyScale:
    """The values of a proxy that count as clean and as noisy, and the weight of the proxy."""

    clean: float
    noisy: float
    weight: float

    def noise(self, value: float) -> float:
        """Return the position of ``value`` on the scale, in [0, 1]: 0 is clean, 1 is noisy."""
        return min(1.0, max(0.0, (value - self.clean) / (self.noisy - self.clean)))


@dataclass(frozen=True, slots=True, kw_only=True)
class DifficultyScale:
    """The scales of all proxies; at or above the ``threshold``, retrieval counts as noisy."""

    version: str
    threshold: float
    proxies: Mapping[str, ProxyScale]


@dataclass(frozen=True, slots=True, kw_only=True)
class Difficulty:
    """The estimated noise of retrieval: the mean ``value`` in [0, 1], and the value and noise of each proxy."""

    value: float
    threshold: float
    proxies: tuple[tuple[str, float, float], ...]

    @property
    def noisy(self) -> bool:
        """Whether retrieval counts as noisy; if no proxy has a value, it does."""
        return self.value >= self.threshold

    @property
    def reason(self) -> str:
        parts = ", ".join(f"{name} {value:.2f} ({noise:.0%})" for name, value, noise in self.proxies)
        relation = "at or above" if self.noisy else "below"
        word = "noisy" if self.noisy else "clean"
        return f"retrieval looks {word}, {self.value:.2f} is {relation} {self.threshold:.2f}: {parts}"


def gauge_difficulty(question: str, passages: Sequence[Passage], *, overlap: float) -> Difficulty:
    """Estimate how noisy the retrieval of ``passages`` for ``question`` was; ``overlap`` is S3 of the draft.

    A proxy without a value (such as the flatness of a single score) is left out.
    Source: the report on refinement policies for retrieval-augmented answers, appendix B.2.
    """
    scale = stored_scale()
    values = {
        "flatness": flatness([each.dense for each in passages]),
        "passages": float(len(passages)),
        "sources": source_spread([each.chunk.document_id for each in passages]) if passages else None,
        "agreement": mean_similarity([each.text for each in passages]),
        "specificity": float(specificity(question)),
        "overlap": overlap,
    }
    measured = [(name, value, scale.proxies[name]) for name, value in values.items() if value is not None]
    weight = sum(each.weight for _, _, each in measured)
    mean = sum(each.weight * each.noise(value) for _, value, each in measured) / weight
    return Difficulty(
        value=round(mean, 4),
        threshold=scale.threshold,
        proxies=tuple((name, round(value, 4), round(each.noise(value), 4)) for name, value, each in measured),
    )


def flatness(scores: Sequence[float]) -> float | None:
    """Return the median of all scores except the best, divided by the best; None if fewer than two are above 0.

    A passage that was found only by its words has the score 0, and is ignored.
    """
    known = sorted((score for score in scores if score > 0), reverse=True)
    return statistics.median(known[1:]) / known[0] if len(known) > 1 else None


def source_spread(document_ids: Sequence[str]) -> float:
    """Return the effective number of documents (1 or more): the exponential of the passage entropy over documents."""
    total = len(document_ids)
    shares = [count / total for count in Counter(document_ids).values()]
    return math.exp(-sum(share * math.log(share) for share in shares))


def mean_similarity(texts: Sequence[str]) -> float | None:
    """Return the mean cosine, in [0, 1], of the content-word counts of all pairs of texts; None for a single text."""
    pairs = list(combinations([_count_words(text) for text in texts], 2))
    if not pairs:
        return None
    return sum(_cosine(one, other) for one, other in pairs) / len(pairs)


def specificity(question: str) -> int:
    """Return how many words or quotations in ``question`` name one thing; 0 if it asks for an overview.

    Such a word contains a digit, or has a capital not explained by its position at the start of a sentence.
    """
    if _OPEN_ENDED.search(question):
        return 0
    found, begins = len(_QUOTED.findall(question)), True
    for token in _TOKEN.findall(_QUOTED.sub(" ", question)):
        word = token.strip(_EDGES)
        capitals = sum(letter.isupper() for letter in word)
        named = capitals > 1 or (capitals == 1 and not begins and len(word) > 1)
        found += named or any(letter.isdigit() for letter in word)
        begins = token.endswith((".", "!", "?", ":"))
    return found


@lru_cache(maxsize=1)
def stored_scale() -> DifficultyScale:
    """Return the default scales, from ``difficulty.toml``."""
    stored = tomllib.loads(resources.files("intrinsics.refinement").joinpath("difficulty.toml").read_text("utf-8"))
    return DifficultyScale(
        version=str(stored["version"]),
        threshold=float(stored["threshold"]),
        proxies={name: ProxyScale(**values) for name, values in stored["proxies"].items()},
    )


# Consecutive questions often find the same passages.
@lru_cache(maxsize=1_024)
def _count_words(text: str) -> Counter[str]:
    return Counter(map(sys.intern, content_words(text)))


def _cosine(one: Counter[str], other: Counter[str]) -> float:
    norms = math.hypot(*one.values()) * math.hypot(*other.values())
    return sum(one[word] * other[word] for word in one.keys() & other.keys()) / norms if norms else 0.0
