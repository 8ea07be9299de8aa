"""A question under way: the server works on, whoever watches; each watcher sees every change."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Mapping
from typing import Any

from ui.answer_wire import Golden
from ui.chat.conversation import Exchange
from ui.chat.wire import Progress
from ui.client import ApiProblem, ApiSession
from ui.frame import told
from ui.words import Words

_LOG = logging.getLogger(__name__)
QUESTIONS = "/v1/chat/completions"
# Often enough to look like writing, seldom enough for a slow line; a long draft is shown in fewer, larger pieces.
_BETWEEN_VIEWS_S = 0.07
_LONG_CHARACTERS = 3_000


class QuestionUnderWay:
    """Asks the server in a task of its own and writes what happens into an exchange.

    A page that is closed or loaded again loses nothing: the task goes on, and ``follow`` can be called again.
    """

    def __init__(self, exchange: Exchange, words: Words) -> None:
        self.exchange = exchange
        self._words = words
        self._changed = asyncio.Condition()
        self._version = 0
        self._task: asyncio.Task[None] | None = None

    def start(self, session: ApiSession, body: Mapping[str, Any]) -> None:
        """Begin to ask; returns at once."""
        self._task = asyncio.create_task(self._run(session, dict(body)))

    def is_about(self, question: str, note: str) -> bool:
        """Return whether this very question is still being answered."""
        exchange = self.exchange
        return not exchange.finished and (exchange.question, exchange.note) == (question, note)

    async def stop(self) -> None:
        """Stop the work on the server; what was written stays."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if not self.exchange.finished:
            # A task that is cancelled before its first step never ran: nothing in it marked the end.
            self.exchange.stopped = self.exchange.finished = True
            await self._tell()

    async def follow(self) -> AsyncIterator[None]:
        """Yield after changes, until the exchange is finished; the last yield comes after the end."""
        seen = -1
        while not self.exchange.finished:
            async with self._changed:
                await self._changed.wait_for(lambda: self._version > seen or self.exchange.finished)  # noqa: B023
                seen = self._version
            if not self.exchange.finished:
                yield
                await asyncio.sleep(_BETWEEN_VIEWS_S * (1 + len(self.exchange.draft) / _LONG_CHARACTERS))
        yield

    async def _run(self, session: ApiSession, body: Mapping[str, Any]) -> None:
        exchange, begun = self.exchange, time.monotonic()
        try:
            async with session.events(QUESTIONS, json=body) as events:
                async for event in events:
                    apply(event, exchange)
                    await self._tell()
            if exchange.answer is None:
                exchange.problem = self._words("chat.problem.away", problem="…")
        except asyncio.CancelledError:
            exchange.stopped = True
        except ApiProblem as problem:
            refused = "bad" if problem.status in (400, 413, 422) else "away"
            exchange.problem = self._words(f"chat.problem.{refused}", problem=problem)
        except Exception as error:
            exchange.problem = told(error, self._words)
        finally:
            exchange.took_s = time.monotonic() - begun
            exchange.ended_at = time.monotonic()
            exchange.finished = True
            exchange.running.clear()
            await self._tell()

    async def _tell(self) -> None:
        async with self._changed:
            self._version += 1
            self._changed.notify_all()


def apply(event: Mapping[str, Any], exchange: Exchange) -> None:
    """Write an event of a completion's stream into ``exchange``."""
    for choice in event.get("choices") or ():
        exchange.text += choice.get("delta", {}).get("content") or ""
    golden = event.get("golden")
    if not isinstance(golden, dict):
        return
    if "outcome" in golden:
        exchange.answer = Golden.model_validate(golden)
        exchange.steps = list(exchange.answer.steps) or exchange.steps
        return
    _proceed(Progress.model_validate(golden), exchange)


def _proceed(progress: Progress, exchange: Exchange) -> None:
    if progress.started:
        exchange.running.append(progress.started)
    if (step := progress.step) is not None:
        if step.node in exchange.running:
            exchange.running.remove(step.node)
        exchange.steps.append(step)
    if progress.draft_withdrawn is not None:
        exchange.withdraw()
    if progress.draft:
        exchange.draft += progress.draft
    if progress.citations is not None:
        exchange.found = progress.citations
    if progress.judged is not None:
        exchange.judged = progress.judged
