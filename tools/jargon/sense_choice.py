"""Chooses the sense of a term, given the asker's picks, the context, the question's words, and uses in documents."""

import math
from collections.abc import Sequence
from dataclasses import replace

from contracts.jargon import Lookup, Mention, Reading, Sense
from contracts.question import SensePick
from tools.jargon.sense_evidence import Evidence, SenseWeights, trust_in, votes_of, weigh
from tools.jargon.sense_uses import SenseUse, stems_of
from tools.language import fold

# If the question contains nothing but the term, its context was judged by the term itself, and nothing shows which use
# in the documents is intended, so both kinds of evidence count for half.
_BARE = 0.5
# The maximum number of readings of one term in a search query.
_MAX_EACH = 5
_PICKED = "because you chose it"


def choose_senses(lookup: Lookup, evidence: Evidence, *, picks: Sequence[SensePick] = ()) -> tuple[Reading, ...]:
    """Interpret one mention: choose its sense, or report that it is ambiguous, only in the documents, or unknown.

    ``picks``, the senses that the asker chose, take precedence, the last one first. They may also mean that the asker
    wants all senses or none of them. The ``reason`` of a reading is human-readable.
    """
    pick = _last_pick(lookup.mention, picks)
    senses = _distinct(lookup.senses)
    if pick is not None and pick.decision == "each" and senses:
        reason = "because you asked for each of its meanings"
        return tuple(_chosen(lookup.mention, sense, 1.0, reason, senses) for sense in senses[:_MAX_EACH])
    if pick is not None and pick.decision == "none" and senses:
        return (_other_meaning(lookup, senses),)
    return (_one_sense(lookup, evidence, pick),)


def _one_sense(lookup: Lookup, evidence: Evidence, pick: SensePick | None) -> Reading:
    mention, senses = lookup.mention, _distinct(lookup.senses)
    weights = SenseWeights.stored()
    question, department = evidence.question, evidence.department
    if not senses:
        return _unlisted(_chosen_first(lookup, pick))
    picked = _named(senses, pick) if pick is not None else ()
    if len(picked) == 1:
        return _chosen(mention, picked[0], 1.0, _PICKED, senses)
    if len(senses) == 1:
        place = f" (context {senses[0].context})" if senses[0].context else ""
        return _chosen(mention, senses[0], 1.0, f"the only meaning in the dictionary{place}", senses)
    asked = picked or _spelt_out(senses, mention) or senses
    if len(asked) == 1:
        return _chosen(mention, asked[0], 1.0, "because the question spells it out", senses)
    bare = not any(trust_in(sense, question) for sense in asked)
    if bare and (own := [sense for sense in asked if department and fold(sense.context) == fold(department)]):
        return _chosen(mention, own[0], 1.0, f"because you asked from {own[0].context}", senses)
    if bare:
        weights = replace(weights, context=weights.context * _BARE, uses=weights.uses * _BARE)
    if not picked and (pick is None or pick.decision != "unsure"):
        return _decided(mention, asked, evidence, weights)
    # The user has already chosen as well as they could, so asking the same question again would not help.
    nearest = _decided(mention, asked, evidence, replace(weights, least=0.0))
    if picked and nearest.sense is not None:
        reason = f"{_PICKED}, {_where(nearest.sense)}, where the question fits best"
        return _chosen(mention, nearest.sense, 1.0, reason, senses)
    return nearest.model_copy(update={"reason": "the most plausible of its meanings, since you did not say which"})


def means_none(mention: Mention, picks: Sequence[SensePick]) -> bool:
    """Return whether the asker rejected all meanings of ``mention`` in the dictionary."""
    pick = _last_pick(mention, picks)
    return pick is not None and pick.decision == "none"


def _other_meaning(lookup: Lookup, ruled_out: Sequence[Sense]) -> Reading:
    """Interpret a term whose listed senses the asker rejected; the documents may contain a different one."""
    names = {stems_of(sense.extended_name) for sense in ruled_out}
    mined = tuple(sense for sense in lookup.mined if stems_of(sense.extended_name) not in names)
    reading = _unlisted(lookup.model_copy(update={"senses": (), "mined": mined}))
    if reading.status == "unknown":
        reason = "neither the dictionary nor the documents have another meaning of it"
    else:
        meaning = f" as “{reading.sense.extended_name}”" if reading.sense is not None else ""
        reason = f"you meant none of its meanings in the dictionary, but the documents use it{meaning}"
    return reading.model_copy(update={"reason": reason, "alternatives": (*reading.alternatives, *ruled_out)})


def _decided(mention: Mention, senses: Sequence[Sense], evidence: Evidence, weights: SenseWeights) -> Reading:
    gains = weigh(senses, evidence, weights)
    scores = [sum(each.values()) for each in gains]
    top = max(scores)
    shares = [math.exp(score - top) for score in scores]
    order = sorted(range(len(senses)), key=lambda at: -shares[at])
    best, runner_up = order[0], order[1]
    first = shares[best] / sum(shares)
    ordered = [senses[at] for at in order]
    if first < weights.least:
        return Reading(
            mention=mention,
            status="ambiguous",
            probability=first,
            reason=_both_plausible(ordered[0], ordered[1]),
            alternatives=tuple(ordered),
        )
    ahead = {kind: gain - gains[runner_up][kind] for kind, gain in gains[best].items()}
    reason = _reason(ordered[0], ordered[1], max(ahead, key=lambda kind: ahead[kind]), evidence, weights)
    return _chosen(mention, ordered[0], first, reason, ordered)


def _chosen_first(lookup: Lookup, pick: SensePick | None) -> Lookup:
    """Move the mined meaning that the asker chose to the front, before the most used one."""
    chosen = _named(lookup.mined, pick) if pick is not None else ()
    rest = tuple(sense for sense in lookup.mined if sense not in chosen)
    return lookup.model_copy(update={"mined": (*chosen, *rest)})


def _unlisted(lookup: Lookup) -> Reading:
    """Interpret a term that is not in the dictionary, using the documents if they contain it."""
    best = lookup.mined[0] if lookup.mined else None
    count = lookup.document_frequency
    if best is not None:
        source = f" ({best.source})" if best.source else ""
        reason = f"not in the dictionary yet, but the documents say so{source}"
    elif count:
        reason = f"not in the dictionary, but {count} passage{'s' if count != 1 else ''} of the documents use it"
    else:
        reason = "it is neither in the dictionary nor in the documents"
    return Reading(
        mention=lookup.mention,
        status="documents" if best is not None or count else "unknown",
        sense=best,
        reason=reason,
        alternatives=tuple(lookup.mined[1:]),
        suggestions=lookup.suggestions,
        probability=1.0 if best is not None or count else lookup.mention.probability,
    )


def _distinct(senses: Sequence[Sense]) -> tuple[Sense, ...]:
    """Keep one published sense for each context and extended name, ignoring hyphens, letter case and endings."""
    kept: dict[tuple[tuple[str, ...], str], Sense] = {}
    for sense in senses:
        if sense.state == "published":
            kept.setdefault((stems_of(sense.extended_name), fold(sense.context)), sense)
    return tuple(kept.values())


def _spelt_out(senses: Sequence[Sense], mention: Mention) -> tuple[Sense, ...]:
    """Return the senses whose extended name or alias (but not the term) occurs in the question."""
    said = stems_of(mention.text)
    if named := tuple(sense for sense in senses if stems_of(sense.extended_name) == said):
        return named
    if any(stems_of(sense.term) == said for sense in senses):
        return ()
    return tuple(sense for sense in senses if said in map(stems_of, sense.aliases))


def _last_pick(mention: Mention, picks: Sequence[SensePick]) -> SensePick | None:
    spellings = (fold(mention.term), fold(mention.text))
    return next((pick for pick in reversed(picks) if fold(pick.term) in spellings), None)


def _named(senses: Sequence[Sense], pick: SensePick) -> tuple[Sense, ...]:
    """Return the senses that ``pick`` names: several if they differ only in their contexts and it names no context."""
    if pick.decision != "one":
        return ()
    named = tuple(sense for sense in senses if fold(sense.extended_name) == fold(pick.extended_name))
    if pick.context is not None:
        if placed := tuple(sense for sense in named if fold(sense.context) == fold(pick.context)):
            return placed
        # "Library (shared)" may be a name and its context, or only a name.
        whole = fold(f"{pick.extended_name} ({pick.context})")
        named = tuple(sense for sense in senses if fold(sense.extended_name) == whole) or named
    # If the context has been renamed since, the choice is still valid.
    return named


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


def _both_plausible(best: Sense, runner_up: Sense) -> str:
    first, second = best.extended_name, runner_up.extended_name
    if fold(first) == fold(second):
        return f"“{first}” is plausible here both {_where(best)} and {_where(runner_up)}"
    return f"“{first}” and “{second}” are both plausible here"


def _where(sense: Sense) -> str:
    return f"in {sense.context}" if sense.context else "outside of any context"


def _reason(sense: Sense, runner_up: Sense, kind: str, evidence: Evidence, weights: SenseWeights) -> str:
    """Describe the kind of evidence that favours ``sense`` most over ``runner_up``."""
    if kind == "context" and sense.context:
        return f"because context = {sense.context} {round(100 * evidence.contexts.probability_of(sense.context))} %"
    if kind == "context":
        return f"because nothing points to {runner_up.context}, and this meaning applies everywhere"
    if kind == "uses":
        return _reason_by_uses(sense, evidence.uses, weights)
    return {
        "department": f"because you asked from {sense.context}",
        "words": "because the question uses words of its meaning",
        "corrections": "because it was chosen for questions like this before",
        "similarity": "because its meaning is closest to the question",
    }[kind]


def _reason_by_uses(sense: Sense, uses: Sequence[SenseUse], weights: SenseWeights) -> str:
    votes: dict[str, float] = {}
    for use, vote in zip(uses, votes_of(uses, weights), strict=True):
        if use.sense_id == sense.id:
            votes[use.document] = votes.get(use.document, 0.0) + vote
    first = max(votes, key=lambda document: votes[document])
    if len(votes) == 1:
        return f"because {first} uses it this way"
    others = "another document" if len(votes) == 2 else f"{len(votes) - 1} other documents"
    return f"because {first} and {others} use it this way"
