"""Choosing among a term's senses: by the asker, by context, by the words of the question."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib import resources

from contracts.jargon import Lookup, Mention, Reading, Sense
from contracts.question import SensePick
from contracts.verdicts import ContextVerdict
from tools.language import MEANING_STEMS, content_stems, fold

_LEAST_PROBABILITY = 0.02
_ENOUGH_WORDS = 3
# How much clearer the evidence must be for a question that says nothing beside the term.
_VAGUE_MARGIN = 0.2
# Of a question that says nothing beside the term, the context was judged by the term itself: half of that counts.
_BARE_CONTEXT = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class SenseWeights:
    """How much each kind of evidence counts.

    ``context`` weighs the logarithm of the probability of the sense's context, ``similarity`` the cosine of question
    and sense, ``words`` the share of the sense's words that the question says, ``department`` the asker's own context.
    The best sense must have at least ``least`` probability and be ``margin`` above the next; else it is ambiguous.

    Source: ``senses.json``, which names the command, the data, their splits and the figures.
    """

    context: float
    similarity: float
    words: float
    department: float
    least: float
    margin: float

    @classmethod
    def stored(cls) -> "SenseWeights":
        """Read the weights that come with the product."""
        return _stored_weights()


@lru_cache(maxsize=1)
def _stored_weights() -> SenseWeights:
    stored = json.loads(resources.files("tools.jargon").joinpath("senses.json").read_text(encoding="utf-8"))
    return SenseWeights(**stored["weights"])


def choose_sense(
    lookup: Lookup,
    contexts: ContextVerdict,
    question_similarity: Mapping[int, float],
    *,
    question: str = "",
    department: str = "",
    picks: Sequence[SensePick] = (),
    weights: SenseWeights | None = None,
) -> Reading:
    """Read one mention: choose its sense, or say that it is ambiguous, only in the documents, or unknown.

    ``question_similarity`` has by sense id the cosine of the question with "extended name: description" (missing: 0).
    ``picks`` are senses that the asker chose: they win. The reading's ``reason`` says why, in words for people.
    """
    mention, senses = lookup.mention, _distinct(lookup.senses)
    weights = weights or SenseWeights.stored()
    if not senses:
        return _unlisted(lookup)
    if picked := _picked(mention, senses, picks):
        return _chosen(mention, picked, 1.0, "because you chose it", senses)
    if len(senses) == 1:
        place = f" (context {senses[0].context})" if senses[0].context else ""
        return _chosen(mention, senses[0], 1.0, f"the only meaning in the dictionary{place}", senses)
    bare = not any(_said(sense, question) for sense in senses)
    if bare and (own := [sense for sense in senses if department and fold(sense.context) == fold(department)]):
        return _chosen(mention, own[0], 1.0, f"because you asked from {own[0].context}", senses)
    if bare:
        weights = replace(weights, context=weights.context * _BARE_CONTEXT)
    # Where none of the contexts fits, they differ by less than their probabilities say, unless a sense is of none.
    spread = contexts.none_of_these / max(1, len(contexts.contexts)) if all(each.context for each in senses) else 0.0
    scores = [_score(sense, contexts, question_similarity, question, department, weights, spread) for sense in senses]
    top = max(scores)
    shares = [math.exp(score - top) for score in scores]
    ranked = sorted(zip((share / sum(shares) for share in shares), senses, strict=True), key=lambda pair: -pair[0])
    (first, best), (second, runner_up) = ranked[0], ranked[1]
    ordered = [sense for _, sense in ranked]
    margin = weights.margin + _VAGUE_MARGIN * (1.0 - _said(best, question))
    if first < weights.least or first - second < margin:
        return Reading(
            mention=mention,
            status="ambiguous",
            probability=first,
            reason=f"“{best.extended_name}” and “{runner_up.extended_name}” are both plausible here",
            alternatives=tuple(ordered),
        )
    return _chosen(mention, best, first, _reason(best, contexts, question, department), ordered)


def sense_text(sense: Sense) -> str:
    """Return the text of ``sense`` that a question is compared with."""
    return f"{sense.extended_name}: {sense.description}" if sense.description else sense.extended_name


def _unlisted(lookup: Lookup) -> Reading:
    if lookup.mined:
        best = lookup.mined[0]
        return Reading(
            mention=lookup.mention,
            status="documents",
            sense=best,
            reason=f"not in the dictionary yet, but the documents say so ({best.source})"
            if best.source
            else "not in the dictionary yet, but the documents say so",
            alternatives=tuple(lookup.mined[1:]),
            suggestions=lookup.suggestions,
        )
    if lookup.document_frequency:
        count = lookup.document_frequency
        places = "passage" if count == 1 else "passages"
        return Reading(
            mention=lookup.mention,
            status="documents",
            reason=f"not in the dictionary, but {count} {places} of the documents use it",
            suggestions=lookup.suggestions,
        )
    return Reading(
        mention=lookup.mention,
        status="unknown",
        probability=lookup.mention.probability,
        reason="neither the dictionary nor the documents know it",
        suggestions=lookup.suggestions,
    )


def _distinct(senses: Sequence[Sense]) -> tuple[Sense, ...]:
    """Keep published senses, one for each context and extended name, whatever its hyphens, case and endings."""
    kept: dict[tuple[tuple[str, ...], str], Sense] = {}
    for sense in senses:
        if sense.state == "published":
            name = content_stems(sense.extended_name) or (fold(sense.extended_name),)
            kept.setdefault((name, fold(sense.context)), sense)
    return tuple(kept.values())


def _picked(mention: Mention, senses: Sequence[Sense], picks: Sequence[SensePick]) -> Sense | None:
    for pick in reversed(picks):
        if fold(pick.term) in (fold(mention.term), fold(mention.text)):
            for sense in senses:
                if fold(sense.extended_name) == fold(pick.extended_name):
                    return sense
    return None


def _score(
    sense: Sense,
    contexts: ContextVerdict,
    similarity: Mapping[int, float],
    question: str,
    department: str,
    weights: SenseWeights,
    spread: float,
) -> float:
    count = max(1, len(contexts.contexts))
    if sense.context:
        place = contexts.probability_of(sense.context) + spread
    else:
        # A meaning that holds everywhere is as probable as an average context, or as none of them being right.
        place = max(contexts.none_of_these, 1.0 / (count + 1))
    own = bool(department) and fold(department) == fold(sense.context)
    likeness, words = sense_evidence(sense, question, similarity.get(sense.id, 0.0))
    return (
        weights.context * math.log(max(place, _LEAST_PROBABILITY))
        + weights.similarity * likeness
        + weights.words * words
        + weights.department * own
    )


def sense_evidence(sense: Sense, question: str, similarity: float) -> tuple[float, float]:
    """Return what ``similarity`` and ``words`` weigh: the cosine as far as it can be trusted, and the shared words."""
    return _said(sense, question) * similarity, _shared_words(sense, question)


def _said(sense: Sense, question: str) -> float:
    """Return how far a likeness to ``question`` can be trusted, by its words beside the term: none say nothing.

    "What is RMA?" is like the expansion that the embedding model saw most often, whatever is meant.
    """
    if not question:
        return 1.0
    others = set(content_stems(question)) - set(content_stems(sense.term)) - MEANING_STEMS
    return min(1.0, len(others) / _ENOUGH_WORDS)


def _shared_words(sense: Sense, question: str) -> float:
    """Return how much of the words of ``sense`` the question says: those of its name whole, of its description half."""
    asked = set(content_stems(question)) - set(content_stems(sense.term))
    name = set(content_stems(sense.extended_name))
    described = set(content_stems(sense.description)) - name
    in_name = len(asked & name) / max(1, len(name))
    return in_name + 0.5 * min(1.0, len(asked & described) / 3.0)


def _chosen(mention: Mention, sense: Sense, probability: float, reason: str, senses: Sequence[Sense]) -> Reading:
    if mention.corrected:
        reason = f"read “{mention.text}” as {mention.term}; {reason}"
    return Reading(
        mention=mention,
        status="chosen",
        sense=sense,
        probability=probability,
        reason=reason,
        alternatives=tuple(other for other in senses if other is not sense),
    )


def _reason(sense: Sense, contexts: ContextVerdict, question: str, department: str) -> str:
    place = contexts.probability_of(sense.context) if sense.context else 0.0
    if place >= 0.3:
        return f"because context = {sense.context} {place:.0%}".replace("%", " %")
    if department and fold(department) == fold(sense.context):
        return f"because you asked from {sense.context}"
    if _shared_words(sense, question) > 0:
        return "because the question uses words of its meaning"
    if not sense.context:
        return "because this meaning holds everywhere"
    return "because its meaning comes nearest to the question"
