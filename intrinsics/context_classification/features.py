"""Numeric evidence for a context, from words, jargon, corrected questions and the documents found."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from contracts.jargon import Context, Correction, Sense
from contracts.text import Passage
from tools.embedding.base import Embedder, Matrix
from tools.language import STOP_WORDS, content_stems, find_words, fold, rarity

_MAX_SENSE_WORDS = 20_000
# The commonest words still count a little. A text with one word is weaker evidence than a text with several words.
_COMMON_WEIGHT = 0.1
_UNSAID = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFeatures:
    """The evidence for one context; each value is approximately in [0, 1].

    ``description`` and ``examples`` are the question's cosines with the description and the best example. ``contrast``,
    in [-1, 1], is their cosine after subtracting the mean of all contexts. ``words`` is the share of the question's
    words, weighted by rarity, that this context uses more than others. ``jargon`` is the share of the question's
    dictionary terms that have a sense in this context; ambiguous terms count less. ``department`` is 1 for the asker's
    own context. ``corrected`` is the share of askers who chose a meaning from this context for a similar question.
    ``documents`` is the support from the passages found, and ``earlier`` is the similarity of the conversation so far.
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
        return sum(weight * float(getattr(self, name)) for name, weight in weights.items())


class WordProfiles:
    """The words that each context uses in its name, description, examples and the senses of its terms."""

    def __init__(self, contexts: Sequence[Context], senses: Sequence[Sense]) -> None:
        self._names = [context.name for context in contexts]
        own = {each.name: " ".join((each.name, each.name, each.description, *each.examples)) for each in contexts}
        counts = {name: Counter(content_stems(text)) for name, text in own.items()}
        for sense in senses[:_MAX_SENSE_WORDS]:
            if sense.context in counts:
                counts[sense.context].update(content_stems(f"{sense.extended_name} {sense.description}"))
        self._shares: dict[str, dict[str, float]] = {}
        for stem in set().union(*counts.values()) if counts else set():
            # Square roots are used because descriptions repeat words, but questions do not.
            weights = {name: math.sqrt(counts[name][stem]) for name in self._names if counts[name][stem]}
            total = sum(weights.values()) + 0.5
            self._shares[stem] = {name: weight / total for name, weight in weights.items()}

    def shares(self, text: str) -> dict[str, float]:
        """Return for each context the share of ``text`` that its words make up, in [0, 1]; rare words count most."""
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
    """Return for each context the share of terms with a sense in it; a term in k contexts counts as 1/k in each."""
    result = dict.fromkeys(names, 0.0)
    bound = 0
    for found in senses.values():
        contexts = {sense.context for sense in found if sense.context in result}
        if contexts and not any(sense.context == "" for sense in found):
            bound += 1
        for name in contexts:
            result[name] += 1.0 / len(contexts)
    return {name: value / bound if bound else 0.0 for name, value in result.items()}


_MOST = 200
# Below this cosine, two questions have little in common except that they come from the same organisation.
_LEAST_LIKENESS = 0.4
# This many votes for no context are added, so that one click does not decide: one click alone gets a share of 0.17,
# and three clicks for the same context get 0.38.
_NOBODYS_VOTES = 5.0


class CorrectedQuestions:
    """The newest corrections (at most 200) with a context and a question, and the vectors of these questions."""

    def __init__(self, contexts: Sequence[str], vectors: Matrix) -> None:
        self._contexts = [fold(name) for name in contexts]
        self._vectors = vectors

    @classmethod
    async def read(cls, corrections: Sequence[Correction], embedder: Embedder) -> "CorrectedQuestions":
        """Embed the questions of ``corrections``, which must be sorted with the newest first."""
        telling = [each for each in corrections if each.context and each.question][:_MOST]
        if not telling:
            return cls((), np.zeros((0, 1), dtype=np.float32))
        vectors = await embedder.embed_queries([each.question for each in telling])
        return cls([each.context for each in telling], vectors)

    def shares(self, names: Sequence[str], vector: Matrix) -> dict[str, float]:
        """Return for each context its share of the votes from questions similar to ``vector``, in [0, 1).

        Votes are weighted by the similarity of their questions: 1 for the same question, 0 for a cosine of 0.4 or less.
        Votes for one context reduce the shares of the others.
        """
        votes = {fold(name): 0.0 for name in names}
        if self._contexts:
            for context, cosine in zip(self._contexts, self._vectors @ vector, strict=True):
                if context in votes:
                    votes[context] += max(0.0, (float(cosine) - _LEAST_LIKENESS) / (1.0 - _LEAST_LIKENESS))
        total = sum(votes.values()) + _NOBODYS_VOTES
        return {name: votes[fold(name)] / total for name in names}


_LONGEST_NAME = 6
# A name that is a single ordinary word occurs in passages from every context.
_TELLING_RARITY = 0.5
# A passage with a lower cosine was found only because the search always returns something.
_LEAST_DENSE = 0.3
# The weight of "no context", so that a single, slightly similar passage is weak evidence.
_NOBODYS_LIKENESS = 0.3
# A meaning whose source is the document is weaker evidence than a meaning in the passage itself.
_SOURCE_SHARE = 0.5
_MOST_KEPT = 1_000


class DocumentContexts:
    """Determines which contexts passages support, from the meanings that they spell out or abbreviate.

    A term counts if all of its meanings are in one context. If a passage contains no meanings, the contexts of the
    meanings whose source is the passage's document count instead.
    """

    def __init__(self, contexts: Sequence[str], senses: Sequence[Sense]) -> None:
        self._contexts = tuple(contexts)
        self._names: dict[tuple[str, ...], set[str]] = defaultdict(set)
        of_spelling: dict[str, set[str]] = defaultdict(set)
        self._sources: list[tuple[str, str]] = []
        for sense in senses:
            stems = content_stems(sense.extended_name)
            if len(stems) > 1 or (stems and rarity(sense.extended_name) >= _TELLING_RARITY):
                self._names[stems].add(sense.context)
            for spelling in (sense.term, *sense.aliases):
                of_spelling[spelling].add(sense.context)
            if sense.source and sense.context:
                self._sources.append((fold(sense.source), sense.context))
        self._terms = {
            spelling: next(iter(contexts))
            for spelling, contexts in of_spelling.items()
            if len(contexts) == 1 and any(letter.isupper() for letter in spelling[1:])
        }
        # Consecutive questions often find the same passages, so the supported contexts are cached (about 2 KB each).
        self._spoken_for = lru_cache(maxsize=_MOST_KEPT)(self._read)

    def shares(self, passages: Sequence[Passage]) -> dict[str, float]:
        """Return for each context its share of the support from ``passages``, in [0, 1); similar passages count most.

        Passages that are not similar to the question do not count; similar passages that support no context lower all
        shares.
        """
        votes, total = dict.fromkeys(self._contexts, 0.0), _NOBODYS_LIKENESS
        for passage in passages:
            weight = max(0.0, passage.dense - _LEAST_DENSE)
            total += weight
            for name, share in self._spoken_for(passage.document_name, passage.text).items() if weight else ():
                votes[name] += weight * share
        return {name: vote / total for name, vote in votes.items()}

    def _read(self, document: str, text: str) -> Mapping[str, float]:
        """Return the share of each context among the meanings found in one passage."""
        stems = content_stems(text)
        found: set[tuple[tuple[str, ...], str]] = set()
        for start in range(len(stems)):
            for size in range(1, min(_LONGEST_NAME, len(stems) - start) + 1):
                name = stems[start : start + size]
                found.update((name, context) for context in self._names.get(name, ()))
        for word in find_words(text):
            if word.text in self._terms:
                found.add(((word.text,), self._terms[word.text]))
        if found:
            return self._shared(context for _, context in sorted(found))
        named = fold(document)
        of_source = self._shared(context for source, context in self._sources if named and source.startswith(named))
        return {name: _SOURCE_SHARE * share for name, share in of_source.items()}

    def _shared(self, contexts: Iterable[str]) -> dict[str, float]:
        """Return the share of each context; meanings without a context, or from other contexts, lower the shares."""
        counts = Counter(contexts)
        total = counts.total()
        return {name: counts[name] / total for name in self._contexts if counts[name]}


_MAX_TERM_WORDS = 4
# A word this common (Zipf 4) refers to a term only if it is spelt with the same capitals as the term.
_COMMON_RARITY = 0.5


def folded_terms(terms: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
    """Return the spellings of ``terms`` by their folded forms, with hyphens replaced by spaces."""
    result: dict[str, tuple[str, ...]] = {}
    for spelling in terms:
        key = fold(spelling.replace("-", " "))
        result[key] = (*result.get(key, ()), spelling)
    return result


def terms_in(question: str, spellings: Mapping[str, tuple[str, ...]]) -> set[str]:
    """Return the dictionary spellings that ``question`` uses; common words must have the same capitals as the term."""
    words = find_words(question)
    found: set[str] = set()
    for start in range(len(words)):
        for size in range(min(_MAX_TERM_WORDS, len(words) - start), 0, -1):
            text = question[words[start].span.start : words[start + size - 1].span.end]
            key = fold(text.replace("-", " "))
            candidates = spellings.get(key) or spellings.get(key.removesuffix("s")) or ()
            common = size == 1 and (key in STOP_WORDS or rarity(key) < _COMMON_RARITY)
            found.update(each for each in candidates if not common or text.startswith(each))
    return found
