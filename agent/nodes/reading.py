"""Nodes that read the question: its conversation, its jargon, its context, its senses."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.answers import begin_answer
from agent.clarification import ask_back, offer, resume
from agent.corrections import corrections_of, record_corrections
from agent.mined_senses import readable_drafts
from agent.questions import remove_markers
from agent.recording import Work
from agent.rereading import reread
from agent.services import Services
from agent.state import State, Update
from agent.wording import percent, unknown_terms_text
from contracts.answer import Answer
from contracts.jargon import Lookup, Mention, Reading, Sense
from contracts.question import SensePick, Turn
from contracts.text import Passage
from tools.jargon.choosing import choose_senses, means_none
from tools.jargon.likeness import sense_likeness
from tools.jargon.spelling import NearSpellings
from tools.jargon.usage import SenseUse, find_corrections, find_uses
from tools.language import fold, rarity, split_choices

# A Zipf frequency of 3.6: four times in a million words of English.
_COMMON_RARITY = 0.55
_SHORT = 2
# So many passages are looked at for what they say of the context; more would be less and less about the question.
_TELLING_PASSAGES = 8


async def rewrite_question(state: State, runtime: Runtime[Services]) -> Work:
    """Make the question stand alone; a reply to a question back, or a correction, continues the question before."""
    services = runtime.context
    resumed = resume(state.question, state.history)
    resumed = resumed or await reread(state.question, state.history, services.dictionary)
    question, picks, history = state.question, state.picks, state.history
    if resumed is not None:
        question, history = resumed.question, resumed.history
        picks = (*state.picks, *resumed.picks)
    standalone, choices = split_choices(question)
    update = Update(picks=picks, history=history, standalone=standalone, choices=choices)
    if not history:
        return Work(update=update, finding=f"goes on with: {standalone}")
    plain = [Turn(role=turn.role, text=remove_markers(turn.text)) for turn in history]
    rewritten = await services.question_rewriter.rewrite(standalone, plain)
    update["standalone"] = rewritten.text
    finding = f"read as: {rewritten.text}" if rewritten.changed or resumed else "stands alone"
    return Work(update=update, finding=finding, provenance=rewritten.provenance)


async def identify_jargon(state: State, runtime: Runtime[Services]) -> Work:
    """Find the abbreviations and jargon in the question."""
    jargon = await runtime.context.jargon_identifier.identify(state.standalone)
    terms = [
        f"{mention.text} → {mention.term}" if mention.corrected else mention.term
        for mention in _first_mentions(jargon.mentions)
    ]
    finding = f"jargon: {', '.join(terms)}" if terms else "no jargon"
    return Work(update=Update(jargon=jargon), finding=finding, provenance=jargon.provenance)


async def classify_context(state: State, runtime: Runtime[Services]) -> Work:
    """Judge in which context the question is asked."""
    services, groups = runtime.context, state.asker.groups
    contexts = await services.dictionary.contexts()
    found: Sequence[Passage] = ()
    if contexts:
        # The search looks for the question's words while the question is embedded.
        found = await services.searcher.search([state.standalone], _TELLING_PASSAGES, groups=groups)
    else:
        # The question's vector is wanted whatever contexts there are.
        await services.embedder.embed_queries([state.standalone])
    verdict = await services.context_classifier.classify(
        state.standalone, contexts, history=state.history, department=state.asker.department, passages=found
    )
    best = verdict.best
    finding = f"context: {best} {percent(verdict.probability_of(best))}" if best else "no context stands out"
    return Work(update=Update(contexts=verdict), finding=finding, provenance=verdict.provenance)


async def look_up_jargon(state: State, runtime: Runtime[Services]) -> Work:
    """Look each term up in the dictionary and the documents, and choose its sense."""
    services = runtime.context
    mentions = _first_mentions(state.jargon.mentions)
    if not mentions:
        return Work(finding="nothing to look up")
    terms = [mention.term for mention in mentions]
    senses = await services.dictionary.senses(terms)
    lacking = [each.term for each in mentions if not senses.get(each.term) or means_none(each, state.picks)]
    drafts = await services.dictionary.drafts(lacking)
    lookups = [
        await _look_up(mention, senses.get(mention.term, ()), drafts.get(mention.term, ()), state, services)
        for mention in mentions
    ]
    similarity = await _similarity(state.standalone, lookups, services)
    # No term needs another's.
    uses = await asyncio.gather(*(_uses(lookup, state, services) for lookup in lookups))

    def read(picks: Sequence[SensePick]) -> list[tuple[Reading, ...]]:
        return [
            choose_senses(
                lookup,
                state.contexts,
                similarity,
                question=state.standalone,
                department=state.asker.department,
                picks=picks,
                uses=in_documents,
                corrections=corrected,
            )
            for lookup, (in_documents, corrected) in zip(lookups, uses, strict=True)
        ]

    of_terms = read(state.picks)
    if state.picks:
        first, unaided = [each[0] for each in of_terms], [each[0] for each in read(())]
        await record_corrections(corrections_of(state, first, unaided), services.dictionary)
    readings = [reading for of_term in of_terms for reading in of_term]
    kept = tuple(each for each in readings if not _is_doubtful(each, services.policy.unknown_jargon_threshold))
    return Work(update=Update(readings=kept), finding="; ".join(map(_describe, kept)) or "no term of ours")


async def report_unknown_terms(state: State, runtime: Runtime[Services]) -> Work:
    """Answer that a term is unknown, and put it on the manager's list."""
    unknown = tuple(reading for reading in state.readings if reading.status == "unknown")
    known = tuple(reading for reading in state.readings if reading.status in ("chosen", "documents"))
    context = state.asker.department or state.contexts.best
    for reading in unknown:
        await runtime.context.dictionary.record_unknown(reading.mention.text, state.standalone, context)
    text = unknown_terms_text(unknown, known, runtime.context.policy.contact)
    answer = replace(begin_answer(state, "unknown_term", text), unknown_terms=unknown)
    names = ", ".join(reading.mention.text for reading in unknown)
    return Work(update=Update(answer=answer), finding=f"unknown: {names}")


async def ask_which_sense(state: State, runtime: Runtime[Services]) -> Work:
    """Ask one short question back; where several terms are ambiguous, the first one."""
    reading = next(reading for reading in state.readings if reading.status == "ambiguous")
    options = offer(reading)
    answer: Answer = replace(
        begin_answer(state, "clarify", ask_back(reading.mention.term, options)),
        options=options,
    )
    return Work(update=Update(answer=answer), finding=f"{reading.mention.term}: {len(options)} senses are plausible")


async def _look_up(
    mention: Mention, senses: Sequence[Sense], drafts: Sequence[Sense], state: State, services: Services
) -> Lookup:
    if senses and not means_none(mention, state.picks):
        return Lookup(mention=mention, senses=tuple(senses))
    frequency = await services.lexical.document_frequency(mention.term, groups=state.asker.groups)
    if frequency:
        mined = await readable_drafts(drafts, services.lexical, state.asker.groups)
        return Lookup(mention=mention, senses=tuple(senses), mined=mined, document_frequency=frequency)
    limit = services.policy.suggestions
    in_dictionary = await services.dictionary.near_spellings(mention.term, limit)
    in_documents = await services.lexical.near_spellings(mention.term, limit, groups=state.asker.groups)
    near = NearSpellings((*in_dictionary, *in_documents)).nearest(mention.term, limit)
    return Lookup(mention=mention, senses=tuple(senses), suggestions=near)


async def _similarity(question: str, lookups: Sequence[Lookup], services: Services) -> Mapping[int, float]:
    """Return the likeness of the question to each sense, for the terms that have several."""
    senses = {sense.id: sense for lookup in lookups if len(lookup.senses) > 1 for sense in lookup.senses}
    return await sense_likeness([*senses.values()], question, services.embedder)


async def _uses(lookup: Lookup, state: State, services: Services) -> tuple[tuple[SenseUse, ...], tuple[SenseUse, ...]]:
    """Return how the documents use a term that has several senses, and how earlier askers read it."""
    if len(lookup.senses) < 2:
        return (), ()
    in_documents, corrections = await asyncio.gather(
        find_uses(
            lookup.mention.term,
            lookup.senses,
            state.standalone,
            services.lexical,
            services.searcher,
            groups=state.asker.groups,
        ),
        services.dictionary.corrections(),
    )
    return in_documents, await find_corrections(lookup.senses, corrections, state.standalone, services.embedder)


def _first_mentions(mentions: Sequence[Mention]) -> list[Mention]:
    """Keep the first mention of each term, and its extended names where they are all that is said or are several.

    Two names of one term ("bit error", "back end") are two of its senses.
    """
    names: dict[str, set[str]] = {}
    for mention in mentions:
        if mention.kind == "name":
            names.setdefault(mention.term, set()).add(fold(mention.text))
    said = {mention.term for mention in mentions if mention.kind != "name"}
    first: dict[tuple[str, str], Mention] = {}
    for mention in mentions:
        name = fold(mention.text) if mention.kind == "name" else ""
        if not name or mention.term not in said or len(names[mention.term]) > 1:
            first.setdefault((mention.term, name), mention)
    return list(first.values())


def _is_doubtful(reading: Reading, threshold: float) -> bool:
    """Nobody knows the word, and it is hardly jargon: an ordinary word, or TV, must not stop the question."""
    mention = reading.mention
    if reading.status != "unknown" or reading.alternatives:
        return False
    return mention.known or mention.probability <= threshold or _is_common(mention.text)


def _is_common(abbreviation: str) -> bool:
    """Say whether everybody reads it (CPU, HTML), whatever our dictionary says; of two letters none is sure."""
    return len(abbreviation) > _SHORT and rarity(abbreviation) <= _COMMON_RARITY


def _describe(reading: Reading) -> str:
    if reading.sense is not None:
        context = f" ({reading.sense.context})" if reading.sense.context else ""
        return f"{reading.mention.term} = {reading.sense.extended_name}{context}"
    words = {"documents": "used in the documents", "ambiguous": "several senses", "unknown": "unknown"}
    return f"{reading.mention.term}: {words.get(reading.status, reading.status)}"
