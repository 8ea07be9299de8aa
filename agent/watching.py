"""A chatbot that is watched: what happens to a question is told to whoever counts, traces or logs it."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from typing import Any, Protocol

from agent.chatbot import Chatbot
from agent.services import Services
from contracts.answer import AnswerEvent
from contracts.errors import Unavailable
from contracts.question import Asker, SensePick, Turn

_ENDED = "The server is stopping, and this answer took too long to wait for: ask again in a moment."


class QuestionWatch(Protocol):
    """Follows one question."""

    def hear(self, event: AnswerEvent) -> None:
        """Take note of an event."""
        ...

    def end(self, error: BaseException | None) -> None:
        """Take note that nothing more comes: None after an answer, else why there is none."""
        ...


class QuestionWatcher(Protocol):
    """Follows questions. What it does must be quick, and must not raise."""

    def watch(self, question: str, asker: Asker) -> QuestionWatch:
        """Begin to follow a question; called in the task that answers it."""
        ...


class Closing:
    """Ends the questions under way when there is no more time for them. For one event loop."""

    def __init__(self) -> None:
        self._closed = False
        self._limits: set[asyncio.Timeout] = set()
        self.under_way = 0

    def close(self) -> None:
        """End every question under way, and each that comes, with ``Unavailable``."""
        self._closed = True
        now = asyncio.get_running_loop().time()
        for limit in self._limits:
            limit.reschedule(now)

    @asynccontextmanager
    async def bounded(self) -> AsyncIterator[None]:
        """Bound one wait of a question.

        Raises:
            Unavailable: there is no more time.
        """
        if self._closed:
            raise Unavailable(_ENDED)
        limit = asyncio.timeout(None)
        try:
            async with limit:
                self._limits.add(limit)
                try:
                    yield
                finally:
                    self._limits.discard(limit)
        except TimeoutError:
            if limit.expired():
                raise Unavailable(_ENDED) from None
            raise


class WatchedChatbot(Chatbot):
    """A chatbot whose events each of ``watchers`` hears too, and whose questions end when ``closing`` says so.

    What else it takes is what ``Chatbot`` takes.
    """

    def __init__(
        self,
        services: Services,
        *,
        watchers: Sequence[QuestionWatcher] = (),
        closing: Closing | None = None,
        **chatbot: Any,
    ) -> None:
        super().__init__(services, **chatbot)
        self._watchers = watchers
        self._closing = closing or Closing()

    def stream(
        self,
        question: str,
        *,
        conversation_id: str = "",
        history: Sequence[Turn] | None = None,
        asker: Asker = Asker(),  # noqa: B008 - a frozen value
        picks: Sequence[SensePick] = (),
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Answer ``question`` as ``Chatbot.stream`` does."""
        events = super().stream(question, conversation_id=conversation_id, history=history, asker=asker, picks=picks)
        return self._watched(events, question, asker)

    async def _watched(
        self, events: AsyncGenerator[AnswerEvent, None], question: str, asker: Asker
    ) -> AsyncGenerator[AnswerEvent, None]:
        watches = [watcher.watch(question, asker) for watcher in self._watchers]
        failure: BaseException | None = None
        self._closing.under_way += 1
        try:
            async with aclosing(events):
                while True:
                    async with self._closing.bounded():
                        event = await anext(events, None)
                    if event is None:
                        return
                    for watch in watches:
                        watch.hear(event)
                    yield event
        except BaseException as error:
            failure = error
            raise
        finally:
            self._closing.under_way -= 1
            for watch in watches:
                watch.end(failure)
