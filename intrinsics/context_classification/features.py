"""What speaks for a context, as numbers: likeness to its words, its jargon, the asker's department."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.jargon import Context, Sense
from tools.language import content_stems

_MAX_SENSE_WORDS = 20_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFeatures:
    """The evidence for one context, each in about [0, 1].

    ``description`` and ``examples`` are cosines of the question (the best example's); ``words`` the share of the
    question's weighted words that the context's texts use more than others do; ``jargon`` the share of the question's
    dictionary terms that have a sense there, an ambiguous term counting less; ``department`` 1 for the asker's own.
    ``earlier`` is the likeness of the conversation so far.
    """

    description: float
    examples: float
    words: float
    jargon: float
    department: float
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
        """Return for each context how much of ``text``'s words are its own, in [0, 1]."""
        stems = set(content_stems(text))
        result = dict.fromkeys(self._names, 0.0)
        for stem in stems:
            for name, share in self._shares.get(stem, {}).items():
                result[name] += share
        known = sum(1 for stem in stems if stem in self._shares)
        return {name: value / (known + 1.0) for name, value in result.items()}


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
