"""Previewing: how a question would be read, and which passages would be read for it, without an answer."""

from dataclasses import dataclass, replace

from agent.answers import context_of
from agent.questions import clean_question
from agent.services import Services
from agent.steps.passages import augment_question, retrieve
from agent.steps.question import AfterLookUp, look_up_jargon, next_after, read_alone
from contracts.jargon import Mention, Reading
from contracts.provenance import Provenance
from contracts.question import Asker, AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import ContextVerdict
from tools.language import split_choices

_WHO = Provenance(implementation="search")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPreview:
    """How a question would be read.

    ``mentions`` are the terms that were found in ``question``, ``readings`` what became of those that count.
    ``next_step`` is where the graph goes from there. ``augmented`` is what would be searched for, "" where the question
    stops at its jargon.
    """

    question: str
    mentions: tuple[Mention, ...]
    contexts: ContextVerdict
    readings: tuple[Reading, ...]
    next_step: AfterLookUp
    augmented: str = ""


async def preview_question(question: str, asker: Asker, services: Services) -> QuestionPreview:
    """Read ``question`` as the chatbot would at the beginning of a conversation. Nothing is stored.

    Raises:
        InvalidInput: the question is empty or too long.
        Unavailable: something needed is not available now.
    """
    standalone, _ = split_choices(clean_question(question))
    jargon, contexts = await read_alone(standalone, asker, services)
    readings = await look_up_jargon(standalone, jargon, contexts, asker, (), services)
    next_step, augmented = next_after(readings), ""
    if next_step == "augment_question":
        context = context_of((), readings, contexts.best)
        augmented = (await augment_question(standalone, context, readings, services))[0].text
    return QuestionPreview(
        question=standalone,
        mentions=jargon.mentions,
        contexts=contexts,
        readings=readings,
        next_step=next_step,
        augmented=augmented,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPassages:
    """The passages, best first, the words that were ``searched_for``, and how the query was read."""

    passages: tuple[Passage, ...]
    searched_for: str
    preview: QuestionPreview


async def search_passages(query: str, asker: Asker, services: Services, *, top_k: int) -> FoundPassages:
    """Return the ``top_k`` passages that the chatbot itself would read first for ``query``.

    Where the chatbot would stop and ask about a term, the query's own words are searched.

    Raises:
        InvalidInput: the query is empty or too long.
        Unavailable: something needed is not there just now.
    """
    preview = await preview_question(query, asker, services)
    searched = preview.augmented or preview.question
    policy = replace(services.policy, top_k=top_k, candidates=max(services.policy.candidates, top_k))
    augmented = AugmentedQuestion(question=preview.question, text=searched, provenance=_WHO)
    found = await retrieve(
        augmented, preview.readings, replace(services, policy=policy), groups=asker.groups, documents=asker.documents
    )
    return FoundPassages(passages=found.passages, searched_for=searched, preview=preview)
