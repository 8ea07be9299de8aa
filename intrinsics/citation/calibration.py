"""The thresholds of the embedded citation finder, with where they come from."""

import json
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationThresholds:
    """When a passage sentence counts as evidence, all in [0, 1].

    ``first``: the least score of the best sentence; ``second``: that of a further one, which must also hold
    ``gain`` more of the claim's words. ``cosine_weight``: the share of the cosine in a score, the rest being words.
    """

    cosine_weight: float
    first: float
    second: float
    gain: float


@lru_cache(maxsize=1)
def stored_thresholds() -> CitationThresholds:
    """Return the fitted thresholds.

    Source: ``thresholds.json``, which names the data set, split and seed.
    """
    stored = json.loads(resources.files("intrinsics.citation").joinpath("thresholds.json").read_text("utf-8"))
    return CitationThresholds(**stored["thresholds"])
