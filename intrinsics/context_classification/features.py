"""What speaks for a context, as numbers: likeness to its words, its jargon, the asker's department."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.jargon import Context, Sense
from tools.language import content_stems, find_words, rarity

_MAX_SENSE_WORDS = 20_000
# The commonest word still counts a little; and a text of one word says less than one of several.
_COMMON_WEIGHT = 0.1
_UNSAID = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFeatures:
    """The evidence for one context, each in about [0, 1].

    ``description`` and ``examples`` are cosines of the question (the best example's); ``contrast`` is the cosine of
    what sets the question and the context apart from all contexts together, in [-1, 1]; ``words`` the share of the
    question's words, the rare ones before all, that the context's texts use more than others do; ``jargon`` the share
    of the question's dictionary terms that have a sense there, an ambiguous term counting less; ``department`` 1 for
    the asker's own; ``corrected`` the share of askers who chose a meaning of this context for a question like this one.
    ``documents`` is how far the passages that the question finds speak for it, ``earlier`` the likeness of the
    conversation so far.
    """

    description: float
    examples: float
    contrast: float
    words: float
    jargon: float
    department: float
    corrected: float
    documents: float
    earlier: float

    def weighted(self, weights: Mapping[str, float]) -> float:
        """Return the sum of the features under ``weights``."""
        return sum(weight * float(getattr(self, name)) for name, weight in weights.items())


class WordProfiles:
    """Which words each context uses: in its name, description, examples and the senses of its terms."""

    def __init__(self, contexts: Sequence[Context], senses: Sequence[Sense]) -> None:
        self._names = [context.name for context in contexts]
        counts = {context.name: Counter(content_stems(_own_text(context))) for context in contexts}
        for sense in senses[:_MAX_SENSE_WORDS]:
            if sense.context in counts:
                counts[sense.context].update(content_stems(f"{sense.extended_name} {sense.description}"))
        self._shares: dict[str, dict[str, float]] = {}
        for stem in set().union(*counts.values()) if counts else set():
            # Add-one over square roots: a word said often is not said for as many questions.
            weights = {name: math.sqrt(counts[name][stem]) for name in self._names if counts[name][stem]}
            total = sum(weights.values()) + 0.5
            self._shares[stem] = {name: weight / total for name, weight in weights.items()}

    def shares(self, text: str) -> dict[str, float]:
        """Return for each context how much of ``text`` is in its own words, in [0, 1]; rare words count most."""
        weights: dict[str, float] = {}
        for word in find_words(text):
            weight = rarity(word.text) + _COMMON_WEIGHT
            for stem in content_stems(word.text):
                weights[stem] = max(weight, weights.get(stem, 0.0))
        result = dict.fromkeys(self._names, 0.0)
        for stem, weight in weights.items():
            for name, share in self._shares.get(stem, {}).items():
                result[name] += share * weight
        total = sum(weights.values()) + _UNSAID
        return {name: value / total for name, value in result.items()}


def jargon_shares(names: Sequence[str], senses: Mapping[str, Sequence[Sense]]) -> dict[str, float]:
    """Return for each context the share of terms with a sense there; a term of k contexts gives each 1/k."""
    result = dict.fromkeys(names, 0.0)
    bound = 0
    for found in senses.values():
        contexts = {sense.context for sense in found if sense.context in result}
        if contexts and not any(sense.context == "" for sense in found):
            bound += 1
        for name in contexts:
            result[name] += 1.0 / len(contexts)
    return {name: value / bound if bound else 0.0 for name, value in result.items()}


def _own_text(context: Context) -> str:
    return " ".join((context.name, context.name, context.description, *context.examples))
