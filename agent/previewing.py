"""Previewing: how a question would be read, without looking for its answer."""

import asyncio
from dataclasses import dataclass

from agent.answers import context_of
from agent.questions import clean_question
from agent.routes import AfterLookUp, next_after
from agent.services import Services
from agent.steps.passages import augment_question
from agent.steps.question import classify_context, identify_jargon, look_up_jargon
from contracts.jargon import Mention, Reading
from contracts.question import Asker
from contracts.verdicts import ContextVerdict
from tools.language import split_choices


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


class QuestionPreviewer:
    """Reads questions as the chatbot behind ``services`` would, and leaves no trace of them."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def preview(self, question: str, *, asker: Asker = Asker()) -> QuestionPreview:  # noqa: B008 - a frozen value
        """Read ``question`` as the first of a conversation.

        Raises:
            InvalidInput: the question is empty or too long.
            Unavailable: something needed is not there just now.
        """
        services = self._services
        standalone, _ = split_choices(clean_question(question))
        jargon, contexts = await asyncio.gather(
            identify_jargon(standalone, services), classify_context(standalone, (), asker, services)
        )
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
