"""The chatbot: answers questions, streams events while it works, and remembers conversations."""

import asyncio
import time
import uuid
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Protocol, cast
from weakref import WeakValueDictionary

from agent.conversations import ConversationStore, record_answer
from agent.graph import MAX_STEPS, build_graph
from agent.questions import clean_history, clean_question
from agent.services import Services
from agent.small_talk import without_small_talk
from agent.state import State
from contracts.answer import Answer, AnswerEvent, AnswerReady, Step, StepFinished
from contracts.question import Asker, SensePick, Turn
from tools.chat.question_time import QuestionTime
from tools.language import split_choices


class QuestionWatch(Protocol):
    """Follows one question."""

    def hear(self, event: AnswerEvent) -> None:
        """Receive an event."""

    def end(self, error: BaseException | None) -> None:
        """Record that the question ended: ``error`` is the reason why there is no answer, None if there is one."""


class QuestionWatcher(Protocol):
    """Follows questions. Its methods must return quickly and must not raise."""

    def watch(self, question: str, asker: Asker) -> QuestionWatch:
        """Start to follow a question; called in the task that answers it."""


async def final_answer(events: AsyncGenerator[AnswerEvent, None]) -> Answer:
    """Return the answer from a question's ``events``, and close the iterator."""
    async with aclosing(events):
        async for event in events:
            if isinstance(event, AnswerReady):
                return event.answer
    raise RuntimeError("the graph ended without an answer")


class Chatbot:
    """Answers questions from the documents and the dictionary of ``services``.

    ``conversations`` stores questions and answers; without it, only the history that the caller passes is known. A
    conversation belongs to its asker's account: the same id under a different account is a different conversation.
    Each of ``watchers`` receives the events of every question. One instance serves many conversations at once on one
    event loop.
    """

    def __init__(
        self,
        services: Services,
        *,
        conversations: ConversationStore | None = None,
        watchers: Sequence[QuestionWatcher] = (),
    ) -> None:
        self._services = services
        self._watchers = watchers
        self._conversations = conversations
        self._graph = build_graph()
        self._locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()

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

        If ``history`` is None, the stored turns of the conversation are used; otherwise ``history`` replaces them. If
        ``conversation_id`` is empty, a conversation is started, and its id is in the answer. Questions in one
        conversation are answered one at a time. Closing the iterator stops the work.

        Raises:
            InvalidInput: the question is empty or too long; raised at once, not while iterating.
            Unavailable: a required service is not available now; raised while iterating.
        """
        text = clean_question(question)
        if history is None:
            events = self._converse(text, conversation_id or uuid.uuid4().hex, asker, tuple(picks))
        else:
            keep = bool(asker.account)
            events = self._answer(text, conversation_id, tuple(history), asker, tuple(picks), keep=keep)
        return self._watched(events, question, asker)

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
        return await final_answer(
            self.stream(question, conversation_id=conversation_id, history=history, asker=asker, picks=picks)
        )

    async def history(self, conversation_id: str, *, account: str = "") -> tuple[Turn, ...]:
        """Return the last turns of a conversation of ``account``, oldest first; empty if it is unknown."""
        return await self._turns(Asker(account=account), conversation_id)

    async def _watched(
        self, events: AsyncGenerator[AnswerEvent, None], question: str, asker: Asker
    ) -> AsyncGenerator[AnswerEvent, None]:
        watches = [watcher.watch(question, asker) for watcher in self._watchers]
        failure: BaseException | None = None
        try:
            async with aclosing(events):
                async for event in events:
                    for watch in watches:
                        watch.hear(event)
                    yield event
        except BaseException as error:
            failure = error
            raise
        finally:
            for watch in watches:
                watch.end(failure)

    async def _converse(
        self, question: str, conversation_id: str, asker: Asker, picks: tuple[SensePick, ...]
    ) -> AsyncGenerator[AnswerEvent, None]:
        # Answer one question of a conversation at a time; a lock exists only while it is held.
        async with self._locks.setdefault((asker.account, conversation_id), asyncio.Lock()):
            history = await self._turns(asker, conversation_id)
            async with aclosing(self._answer(question, conversation_id, history, asker, picks, keep=True)) as events:
                async for event in events:
                    yield event

    async def _answer(
        self,
        question: str,
        conversation_id: str,
        history: tuple[Turn, ...],
        asker: Asker,
        picks: tuple[SensePick, ...],
        *,
        keep: bool,
    ) -> AsyncGenerator[AnswerEvent, None]:
        asked_at, started = datetime.now(UTC), time.monotonic()
        standalone, choices = split_choices(question)
        given = State(
            question=question,
            history=without_small_talk(clean_history(history, self._services.policy.history_turns)),
            asker=asker,
            picks=picks,
            standalone=standalone,
            choices=choices,
        )
        answer, steps = None, list[Step]()
        services = replace(self._services, llm_time=QuestionTime(self._services.policy.llm_timeout_s))
        stream = self._graph.astream(
            given, {"recursion_limit": MAX_STEPS}, context=services, stream_mode=["custom", "updates"]
        )
        async with aclosing(cast("AsyncGenerator[tuple[str, Any]]", stream)) as parts:
            async for mode, part in parts:
                if mode == "custom":
                    yield part
                    continue
                for update in part.values():
                    answer = update.get("answer", answer)
                    for step in update["steps"]:
                        steps.append(step)
                        yield StepFinished(step=step)
        if answer is None:
            raise RuntimeError("the graph ended without an answer")
        answer = _with_steps(answer, steps, conversation_id)
        if keep and self._conversations is not None:
            seconds = time.monotonic() - started
            answer = await record_answer(
                answer, self._conversations, asker=asker, history=history, asked_at=asked_at, seconds=seconds
            )
        yield AnswerReady(answer=answer)

    async def _turns(self, asker: Asker, conversation_id: str) -> tuple[Turn, ...]:
        if self._conversations is None:
            return ()
        return await self._conversations.turns(asker, conversation_id, self._services.policy.history_turns)


def _with_steps(answer: Answer, steps: Sequence[Step], conversation_id: str) -> Answer:
    """Add what is known only at the end: all steps, which of them were degraded, and the conversation."""
    degraded = [
        f"{step.node}: {step.provenance.degraded}"
        for step in steps
        if step.provenance is not None and step.provenance.degraded
    ]
    return answer.model_copy(
        update={"steps": tuple(steps), "degraded": tuple(degraded), "conversation_id": conversation_id}
    )
