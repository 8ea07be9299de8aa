"""Previews: how a question would be interpreted, and which passages would be read, without writing an answer."""

from dataclasses import dataclass, replace
from typing import Literal

from pydantic import BaseModel

from agent.answers import context_of
from agent.questions import clean_question
from agent.services import Services
from agent.steps.passages import augment_question, retrieve
from agent.steps.question import AfterLookUp, look_up_jargon, next_after, read_alone
from contracts.jargon import Mention, Reading
from contracts.provenance import Provenance
from contracts.question import Asker, AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import ContextProbability
from tools.language import split_choices

_WHO = Provenance(implementation="search")
_Outcome = Literal["answer", "clarify", "unknown_term"]
_OUTCOMES: dict[AfterLookUp, _Outcome] = {
    "augment_question": "answer",
    "ask_which_sense": "clarify",
    "report_unknown_terms": "unknown_term",
}


class QuestionReading(BaseModel):
    """How a question would be interpreted.

    ``mentions`` are the terms that were found; ``readings`` interpret those that are used. ``context`` is the most
    probable context, or "". ``outcome`` is the next step: "answer" (search for ``augmented_question``), "clarify" (ask
    which meaning is intended), or "unknown_term" (reply that a term is unknown).
    """

    question: str
    mentions: tuple[Mention, ...]
    context: str
    contexts: tuple[ContextProbability, ...]
    none_of_these: float
    readings: tuple[Reading, ...]
    outcome: _Outcome
    augmented_question: str


async def preview_question(question: str, asker: Asker, services: Services) -> QuestionReading:
    """Interpret ``question`` as the chatbot would at the beginning of a conversation. Nothing is stored.

    Raises:
        InvalidInput: the question is empty or too long.
        Unavailable: a required service is not available now.
    """
    standalone, _ = split_choices(clean_question(question))
    jargon, contexts = await read_alone(standalone, asker, services)
    readings = await look_up_jargon(standalone, jargon, contexts, asker, (), services)
    outcome, augmented = _OUTCOMES[next_after(readings)], ""
    if outcome == "answer":
        context = context_of((), readings, contexts.best)
        augmented = (await augment_question(standalone, context, readings, services))[0].text
    return QuestionReading(
        question=standalone,
        mentions=jargon.mentions,
        context=contexts.best,
        contexts=contexts.contexts,
        none_of_these=contexts.none_of_these,
        readings=readings,
        outcome=outcome,
        augmented_question=augmented,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPassages:
    """The passages, best first, the search query, and how the jargon in the original query was interpreted."""

    passages: tuple[Passage, ...]
    searched_for: str
    readings: tuple[Reading, ...]


async def search_passages(query: str, asker: Asker, services: Services, *, top_k: int) -> FoundPassages:
    """Return the ``top_k`` passages that the chatbot would rank first for ``query``.

    If the chatbot would stop because of a term, the unchanged query is used for the search.

    Raises:
        InvalidInput: the query is empty or too long.
        Unavailable: a required service is not available now.
    """
    read = await preview_question(query, asker, services)
    searched = read.augmented_question or read.question
    policy = replace(services.policy, top_k=top_k, candidates=max(services.policy.candidates, top_k))
    augmented = AugmentedQuestion(question=read.question, text=searched, provenance=_WHO)
    found = await retrieve(
        augmented, read.readings, replace(services, policy=policy), groups=asker.groups, documents=asker.documents
    )
    return FoundPassages(passages=found.passages, searched_for=searched, readings=read.readings)
