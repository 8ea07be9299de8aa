"""Builds the final answer for each outcome from the state of the graph."""

from collections.abc import Sequence
from typing import Any

from agent.answer_assembly import compose
from agent.clarification import ask_back, offer
from agent.policy import Policy
from agent.small_talk import SmallTalk
from agent.state import State
from agent.steps.library import DocumentSummary, LibraryContents
from agent.wording import (
    SMALL_TALK_REPLIES,
    closest_passages_text,
    empty_library_text,
    library_text,
    summary_text,
    unknown_terms_text,
)
from contracts.answer import Answer, Citation, Outcome
from contracts.jargon import Reading
from contracts.question import SensePick
from tools.language import fold


def small_talk_answer(state: State, kind: SmallTalk) -> Answer:
    """Reply to small talk."""
    return _answer(state, "conversation", SMALL_TALK_REPLIES[kind])


def library_answer(state: State, contents: LibraryContents, policy: Policy) -> Answer:
    """Describe what the library contains, and suggest questions that work."""
    titles = list(dict.fromkeys(each.title or each.name for each in contents.documents))
    text = library_text(len(contents.documents), titles, contents.terms, contents.examples, policy.contact)
    return _answer(state, "conversation", text)


def summary_answer(state: State, summary: DocumentSummary) -> Answer:
    """Return the checked summary of a document."""
    composed = summary.composed
    text = summary_text(summary.document, summary.heading, composed.text, summary.headings)
    return _answer(state, "answered", text, sentences=composed.sentences, citations=composed.citations)


def unknown_terms_answer(state: State, unknown: tuple[Reading, ...], policy: Policy) -> Answer:
    """List the terms that neither the dictionary nor the documents define, and explain the others."""
    known = tuple(reading for reading in state.readings if reading.status in ("chosen", "documents"))
    text = unknown_terms_text(unknown, known, policy.contact)
    return _answer(state, "unknown_term", text, unknown_terms=unknown)


def clarifying_answer(state: State) -> Answer:
    """Ask one short clarifying question about the first ambiguous term."""
    reading = next(reading for reading in state.readings if reading.status == "ambiguous")
    options = offer(reading)
    return _answer(state, "clarify", ask_back(reading.mention.term, options), options=options)


def closest_passages_answer(state: State, closest: tuple[Citation, ...], policy: Policy) -> Answer:
    """Quote the closest passages and name what is missing; without passages, explain that there are none."""
    missing, contact = state.answerability.missing, policy.contact
    return _answer(
        state,
        "closest_passages" if closest else "declined",
        closest_passages_text(closest, missing, contact) if closest else empty_library_text(contact),
        answerability=state.answerability.probability,
        missing=missing,
        closest=closest,
        refinement=state.refinement,
    )


def checked_answer(state: State, certainty: float, policy: Policy) -> Answer:
    """Assemble the answer from the checked draft, its citations and its verdicts."""
    composed = compose(
        state.draft.text,
        state.citations.links,
        state.faithfulness.sentences,
        state.passages_shown,
        per_sentence=policy.citations_per_sentence,
    )
    return _answer(
        state,
        "answered",
        composed.text,
        sentences=composed.sentences,
        citations=composed.citations,
        answerability=state.answerability.probability,
        certainty=certainty,
        refinement=state.refinement,
    )


def context_of(picks: Sequence[SensePick], readings: Sequence[Reading], classified: str) -> str:
    """Return the context of the sense that the asker picked, or else the classified context, or ""."""
    return _picked_context(picks, readings) or classified


def _answer(state: State, outcome: Outcome, text: str, **found: Any) -> Answer:
    picked = _picked_context(state.picks, state.readings)
    context = picked or state.contexts.best
    return Answer(
        outcome=outcome,
        text=text,
        question=state.question,
        standalone_question=state.standalone,
        augmented_question=state.augmented.text,
        context=context,
        # A context that the user chose is not judged.
        context_probability=1.0 if picked else state.contexts.probability_of(context),
        readings=state.readings,
        **found,
    )


def _picked_context(picks: Sequence[SensePick], readings: Sequence[Reading]) -> str:
    picked = {fold(pick.extended_name) for pick in picks}
    for reading in readings:
        if reading.sense is not None and reading.sense.context and fold(reading.sense.extended_name) in picked:
            return reading.sense.context
    return ""
