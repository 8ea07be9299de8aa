"""Previewing: how a question would be read, without looking for its answer."""

import asyncio
from dataclasses import dataclass, replace

from langgraph.runtime import Runtime

from agent.nodes.reading import classify_context, identify_jargon, look_up_jargon
from agent.nodes.retrieval import augment_question
from agent.questions import clean_question
from agent.routes import AfterLookUp, route_readings
from agent.services import Services
from agent.state import State, Update
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
        text = clean_question(question)
        standalone, choices = split_choices(text)
        runtime = Runtime(context=self._services)
        state = State(question=text, asker=asker, standalone=standalone, choices=choices)
        identified, classified = await asyncio.gather(identify_jargon(state, runtime), classify_context(state, runtime))
        update: Update = {**identified.update, **classified.update}
        state = replace(state, **update)
        state = replace(state, **(await look_up_jargon(state, runtime)).update)
        next_step = route_readings(state)
        if next_step == "augment_question":
            state = replace(state, **(await augment_question(state, runtime)).update)
        return QuestionPreview(
            question=state.standalone,
            mentions=state.jargon.mentions,
            contexts=state.contexts,
            readings=state.readings,
            next_step=next_step,
            augmented=state.augmented.text,
        )
