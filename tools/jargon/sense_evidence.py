"""Weighs the evidence for each sense of a term: contexts, words, similarity, uses in documents, earlier choices."""

import json
import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from contracts.jargon import Sense
from contracts.verdicts import ContextVerdict
from tools.jargon.sense_uses import SenseUse
from tools.language import MEANING_STEMS, content_stems, fold

_LEAST_PROBABILITY = 0.02
_ENOUGH_WORDS = 3
# The maximum votes of all uses together: how often a meaning is written does not show how often it is asked about.
MAX_VOTES = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseWeights:
    """How much each kind of evidence counts.

    ``context`` weighs the logarithm of the probability of the sense's context, ``similarity`` the similarity of
    question and sense, ``words`` the share of the sense's words that the question contains, ``department`` the asker's
    own context, ``uses`` the logarithm of the sense's share of the documents' votes and ``corrections`` that of earlier
    askers'. A use with similarity ``typical`` to the question has one vote; ``sharpness`` says how fast votes grow with
    similarity. The best sense must have at least the probability ``least``; otherwise the term is ambiguous.

    Source: ``senses.json``, which names the command, the data, their splits and the figures.
    """

    context: float
    similarity: float
    words: float
    department: float
    uses: float
    corrections: float
    sharpness: float
    typical: float
    least: float

    @classmethod
    @cache
    def stored(cls) -> "SenseWeights":
        stored = json.loads(resources.files("tools.jargon").joinpath("senses.json").read_text(encoding="utf-8"))
        return cls(**stored["weights"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """The evidence for each sense of a term in ``question``.

    ``similarity`` has by sense id the similarity of the question to the sense (missing: 0); ``uses`` are those of
    documents that the asker may read, ``corrections`` choices of earlier askers; ``department`` is the asker's context.
    """

    contexts: ContextVerdict
    similarity: Mapping[int, float]
    question: str = ""
    department: str = ""
    uses: Sequence[SenseUse] = ()
    corrections: Sequence[SenseUse] = ()


def weigh(senses: Sequence[Sense], evidence: Evidence, weights: SenseWeights) -> list[dict[str, float]]:
    """Return for each of ``senses`` what each kind of evidence adds to its score: the best sense has the most in all.

    The kinds are named as in ``SenseWeights``.
    """
    contexts, question = evidence.contexts, evidence.question
    # If no context fits, the contexts differ by less than their probabilities suggest, unless a sense has no context.
    spread = contexts.none_of_these / max(1, len(contexts.contexts)) if all(each.context for each in senses) else 0.0
    trust = max(trust_in(sense, question) for sense in senses)
    by_uses = vote_shares(senses, evidence.uses, weights, trust)
    by_corrections = vote_shares(senses, evidence.corrections, weights, trust)
    found = []
    for sense in senses:
        likeness, words = sense_evidence(sense, question, evidence.similarity.get(sense.id, 0.0))
        own = bool(evidence.department) and fold(evidence.department) == fold(sense.context)
        found.append(
            {
                "context": weights.context * math.log(max(_place(sense, contexts, spread), _LEAST_PROBABILITY)),
                "department": weights.department * own,
                "words": weights.words * words,
                "uses": weights.uses * by_uses[sense.id],
                "corrections": weights.corrections * by_corrections[sense.id],
                "similarity": weights.similarity * likeness,
            }
        )
    return found


def sense_evidence(sense: Sense, question: str, similarity: float) -> tuple[float, float]:
    """Return what ``similarity`` and ``words`` weigh: the trusted part of the similarity, and the shared words."""
    return trust_in(sense, question) * similarity, _shared_words(sense, question)


def trust_in(sense: Sense, question: str) -> float:
    """Return how far a similarity to ``question`` can be trusted, by its words other than the term: without any, not at
    all.

    "What is RMA?" is similar to the expansion that the embedding model saw most often, whatever is meant.
    """
    if not question:
        return 1.0
    others = set(content_stems(question)) - set(content_stems(sense.term)) - MEANING_STEMS
    if _is_latin(sense.extended_name + sense.description):
        # Text in another script shares no words with the question, and its similarity is arbitrary.
        others = set(filter(_is_latin, others))
    return min(1.0, len(others) / _ENOUGH_WORDS)


def _is_latin(text: str) -> bool:
    """Return whether ``text`` contains only Latin letters: U+024F is the last of them."""
    return all(character <= "\u024f" or not character.isalpha() for character in text)


def votes_of(uses: Sequence[SenseUse], weights: SenseWeights, trust: float = 1.0) -> list[float]:
    """Return how many votes each of ``uses`` has, at most ``MAX_VOTES`` in total.

    A use with similarity ``weights.typical``, or with unknown similarity, has one; so has every use if the question
    cannot be trusted at all. Source: the kernel classifier of Nadaraya and Watson (1964), exponential kernel on the
    cosine.
    """
    votes = [
        1.0 if use.likeness is None else math.exp(weights.sharpness * trust * (use.likeness - weights.typical))
        for use in uses
    ]
    total = sum(votes)
    return [vote * MAX_VOTES / total for vote in votes] if total > MAX_VOTES else votes


def vote_shares(
    senses: Sequence[Sense], uses: Sequence[SenseUse], weights: SenseWeights, trust: float = 1.0
) -> dict[int, float]:
    """Return by sense id the logarithm of its share of the votes, smoothed by one each, against an even share.

    So it is 0 for every sense if nothing is known about any, and how often a sense is used counts too.
    """
    of_sense: dict[int, float] = defaultdict(float)
    for use, vote in zip(uses, votes_of(uses, weights, trust), strict=True):
        of_sense[use.sense_id] += vote
    total = sum(of_sense[sense.id] for sense in senses) + len(senses)
    return {sense.id: math.log((of_sense[sense.id] + 1.0) / total * len(senses)) for sense in senses}


def _place(sense: Sense, contexts: ContextVerdict, spread: float) -> float:
    if sense.context:
        return contexts.probability_of(sense.context) + spread
    # A meaning that applies everywhere is as probable as an average context, or as none of them being correct.
    return max(contexts.none_of_these, 1.0 / (max(1, len(contexts.contexts)) + 1))


def _shared_words(sense: Sense, question: str) -> float:
    """Return the share of the words of ``sense`` in the question; those of its description count for half."""
    asked = set(content_stems(question)) - set(content_stems(sense.term))
    name = set(content_stems(sense.extended_name))
    described = set(content_stems(sense.description)) - name
    in_name = len(asked & name) / max(1, len(name))
    return in_name + 0.5 * min(1.0, len(asked & described) / 3.0)
