"""Weighs the evidence for each sense of a term: contexts, words, similarity, uses in documents and earlier choices."""

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
# The maximum total of votes, because how often a meaning is written does not show how often it is asked about.
MAX_VOTES = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseWeights:
    """The weight of each kind of evidence.

    ``context`` is the weight of the log-probability of the sense's context, ``similarity`` of the similarity to the
    question, ``words`` of the share of the sense's words in the question, ``department`` of the asker's own context,
    and ``uses`` and ``corrections`` of the logarithm of the sense's share of the votes from documents and earlier
    askers. A use with the similarity ``typical`` has one vote; ``sharpness`` is how fast votes grow with similarity. If
    the best sense has a lower probability than ``least``, the term is ambiguous.

    Source: ``senses.json``, which contains the command, the data sets, their splits and the scores.
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
    """The evidence for the senses of a term in ``question``.

    ``similarity`` maps sense ids to the similarity to the question (0 if missing). ``uses`` are in documents that the
    asker may read; ``corrections`` are choices of earlier askers; ``department`` is the asker's context.
    """

    contexts: ContextVerdict
    similarity: Mapping[int, float]
    question: str = ""
    department: str = ""
    uses: Sequence[SenseUse] = ()
    corrections: Sequence[SenseUse] = ()


def weigh(senses: Sequence[Sense], evidence: Evidence, weights: SenseWeights) -> list[dict[str, float]]:
    """Return for each of ``senses`` what each kind of evidence adds to its score; the best sense has the highest sum.

    The kinds are named as in ``SenseWeights``.
    """
    contexts, question = evidence.contexts, evidence.question
    # The probability that no context fits is spread over the contexts, unless there is a sense without a context.
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
    """Return the values for ``similarity`` and ``words``: the trusted part of the similarity, and the shared words."""
    return trust_in(sense, question) * similarity, _shared_words(sense, question)


def trust_in(sense: Sense, question: str) -> float:
    """Return how far a similarity to ``question`` can be trusted, based on its words other than the term; 0 if there
    are none.

    "What is RMA?" is similar to the expansion that the embedding model saw most often, whatever the asker means.
    """
    if not question:
        return 1.0
    others = set(content_stems(question)) - set(content_stems(sense.term)) - MEANING_STEMS
    if _is_latin(sense.extended_name + sense.description):
        # Text in a different script shares no words with the question, and its similarity is arbitrary.
        others = set(filter(_is_latin, others))
    return min(1.0, len(others) / _ENOUGH_WORDS)


def _is_latin(text: str) -> bool:
    """Return whether ``text`` contains only Latin letters (up to U+024F)."""
    return all(character <= "\u024f" or not character.isalpha() for character in text)


def votes_of(uses: Sequence[SenseUse], weights: SenseWeights, trust: float = 1.0) -> list[float]:
    """Return the number of votes of each of ``uses``, at most ``MAX_VOTES`` in total.

    A use with the similarity ``weights.typical``, or with an unknown similarity, has one vote; if ``trust`` is 0, every
    use has one vote. Source: the kernel classifier of Nadaraya and Watson (1964), with an exponential kernel of the
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
    """Return, by sense id, the logarithm of the sense's share of the votes relative to an even share.

    Each sense gets one extra vote for smoothing, so the result is 0 for all senses if there are no votes.
    """
    of_sense: dict[int, float] = defaultdict(float)
    for use, vote in zip(uses, votes_of(uses, weights, trust), strict=True):
        of_sense[use.sense_id] += vote
    total = sum(of_sense[sense.id] for sense in senses) + len(senses)
    return {sense.id: math.log((of_sense[sense.id] + 1.0) / total * len(senses)) for sense in senses}


def _place(sense: Sense, contexts: ContextVerdict, spread: float) -> float:
    if sense.context:
        return contexts.probability_of(sense.context) + spread
    # A meaning that applies everywhere is as probable as an average context, or as "no context fits" if that is higher.
    return max(contexts.none_of_these, 1.0 / (max(1, len(contexts.contexts)) + 1))


def _shared_words(sense: Sense, question: str) -> float:
    """Return the share of the words of ``sense`` in the question; words of its description count for half."""
    asked = set(content_stems(question)) - set(content_stems(sense.term))
    name = set(content_stems(sense.extended_name))
    described = set(content_stems(sense.description)) - name
    in_name = len(asked & name) / max(1, len(name))
    return in_name + 0.5 * min(1.0, len(asked & described) / 3.0)
