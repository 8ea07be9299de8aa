"""The chatbot: one question in, its events and its answer out, with the conversation remembered."""

import asyncio
import copy
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import datetime
from typing import Any, Self
from weakref import WeakValueDictionary

from langgraph.checkpoint.base import BaseCheckpointSaver

from agent.ahead import drafting_ahead
from agent.graph import build_graph
from agent.memory import ConversationMemory, thread_of, threads_of
from agent.questions import clean_history, clean_question
from agent.recording import heard_by
from agent.services import Services
from agent.state import State
from agent.turns import TurnRecorder, recorded
from contracts.answer import Answer, AnswerEvent, AnswerReady, Step
from contracts.question import Asker, SensePick, Turn
from tools.language import split_choices
from tools.precedence import in_turn

# The longest way through the graph takes about 20 steps; more would be an endless loop.
_MAX_STEPS = 40


class Chatbot:
    """Answers questions from the documents and the dictionary behind ``services``.

    ``checkpointer`` is any LangGraph saver; it keeps the turns of each conversation. Without one, only the history that
    the caller gives is known. ``recorder`` is given each answered question of an asker who has an account.
    A conversation belongs to its asker's account: the same id under another one is another conversation.
    One instance serves many conversations at once on one event loop.
    """

    def __init__(
        self,
        services: Services,
        *,
        checkpointer: "BaseCheckpointSaver[Any] | None" = None,
        recorder: TurnRecorder | None = None,
    ) -> None:
        self._services = services
        self._recorder = recorder
        self._memory = ConversationMemory(checkpointer)
        self._graph = build_graph()
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def over(self, services: Services) -> Self:
        """Return this bot with other ``services``; conversations and whatever follows its questions stay the same."""
        other = copy.copy(self)
        other._services = services
        return other

    def stream(
        self,
        question: str,
        *,
        conversation_id: str = "",
        history: Sequence[Turn] | None = None,
        asker: Asker = Asker(),  # noqa: B008 - a frozen value
        picks: Sequence[SensePick] = (),
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Answer ``question``; yield its events as they happen, ``AnswerReady`` last.

        ``history`` None means the conversation's own turns, to which this question and its answer are added; a given
        history is used as it is and nothing is remembered. An empty ``conversation_id`` begins a conversation, whose id
        the answer carries. Questions in one conversation wait for each other. Closing the iterator stops the work.

        Raises:
            InvalidInput: the question is empty or too long; raised here, before anything is done.
            Unavailable: something needed is not there just now; raised while iterating.
        """
        text = clean_question(question)
        if history is not None:
            events = self._run(text, conversation_id, tuple(history), asker, tuple(picks))
        else:
            events = self._converse(text, conversation_id or uuid.uuid4().hex, asker, tuple(picks))
        if self._recorder is None or not asker.account:
            return events
        return recorded(events, self._recorder, asker=asker, history=history or ())

    async def ask(
        self,
        question: str,
        *,
        conversation_id: str = "",
        history: Sequence[Turn] | None = None,
        asker: Asker = Asker(),  # noqa: B008 - a frozen value
        picks: Sequence[SensePick] = (),
    ) -> Answer:
        """Answer ``question``; parameters and errors are those of ``stream``."""
        events = self.stream(question, conversation_id=conversation_id, history=history, asker=asker, picks=picks)
        answer: Answer | None = None
        async for event in events:
            if isinstance(event, AnswerReady):
                answer = event.answer
        if answer is None:
            raise RuntimeError("the graph ended without an answer")
        return answer

    async def history(self, conversation_id: str, *, account: str = "") -> tuple[Turn, ...]:
        """Return the turns of a conversation of ``account``, oldest first; none for an unknown one."""
        return await self._memory.turns(thread_of(account, conversation_id))

    async def forget(self, conversation_id: str, *, account: str = "") -> None:
        """Remove a conversation of ``account`` for good; it may be unknown."""
        thread = thread_of(account, conversation_id)
        async with self._turn(thread):
            await self._memory.forget(thread)

    async def forget_account(self, account: str, *, before: datetime | None = None) -> None:
        """Remove every conversation of ``account`` ("": of everybody), or those without a question since ``before``."""
        for thread in await self._memory.threads(threads_of(account), before=before):
            async with self._turn(thread):
                await self._memory.forget(thread)

    async def _converse(
        self, question: str, conversation_id: str, asker: Asker, picks: tuple[SensePick, ...]
    ) -> AsyncGenerator[AnswerEvent, None]:
        thread = thread_of(asker.account, conversation_id)
        async with self._turn(thread):
            history = await self._memory.turns(thread)
            async with aclosing(self._run(question, conversation_id, history, asker, picks)) as events:
                async for event in events:
                    if isinstance(event, AnswerReady):
                        asked, said = Turn(role="user", text=question), Turn(role="assistant", text=event.answer.text)
                        await self._memory.append(thread, (asked, said))
                    yield event

    async def _run(
        self,
        question: str,
        conversation_id: str,
        history: tuple[Turn, ...],
        asker: Asker,
        picks: tuple[SensePick, ...],
    ) -> AsyncGenerator[AnswerEvent, None]:
        standalone, choices = split_choices(question)
        given = State(
            question=question,
            history=clean_history(history, self._services.policy.history_turns),
            asker=asker,
            picks=picks,
            standalone=standalone,
            choices=choices,
        )
        heard: asyncio.Queue[AnswerEvent | None] = asyncio.Queue()
        work = asyncio.create_task(self._invoke(given, heard))
        try:
            while (event := await heard.get()) is not None:
                yield event
            values = await work
        finally:
            work.cancel()
            await asyncio.wait({work})
        yield AnswerReady(answer=_finished(values["answer"], values["steps"], conversation_id))

    async def _invoke(self, given: State, heard: "asyncio.Queue[AnswerEvent | None]") -> dict[str, Any]:
        """Run the graph; put its events on ``heard``, None behind the last one."""
        heard_by(heard.put_nowait)
        try:
            # Of questions that are under way at the same time each is computed in its turn.
            with in_turn():
                async with drafting_ahead():
                    return await self._graph.ainvoke(
                        given, {"recursion_limit": _MAX_STEPS}, context=self._services, output_keys=("answer", "steps")
                    )
        finally:
            heard.put_nowait(None)

    @asynccontextmanager
    async def _turn(self, thread: str) -> AsyncIterator[None]:
        """Let the questions of one conversation wait for each other; the lock lives as long as someone holds it."""
        lock = self._locks.setdefault(thread, asyncio.Lock())
        async with lock:
            yield


def _finished(answer: Answer, steps: tuple[Step, ...], conversation_id: str) -> Answer:
    """Add what is known only at the end: all steps, and which of them ran degraded."""
    degraded = [
        f"{step.node}: {step.provenance.degraded}"
        for step in steps
        if step.provenance is not None and step.provenance.degraded
    ]
    return replace(answer, steps=steps, degraded=tuple(degraded), conversation_id=conversation_id)
