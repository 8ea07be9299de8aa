"""A running question: the bot continues even if nobody is watching, and each watcher sees every change."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from contracts.answer import AnswerEvent, AnswerReady, StepFinished, StepStarted, TermsRead, TextDelta, TextReset
from contracts.errors import InvalidInput
from ui.chat.conversation import Exchange
from ui.frame import told
from ui.words import Words

# Often enough to look like typing, rarely enough for a slow connection; a long draft is shown in fewer, larger pieces.
_BETWEEN_VIEWS_S = 0.07
_LONG_CHARACTERS = 3_000


class RunningQuestion:
    """Asks the bot in a separate task and writes the events into an exchange.

    If the page is closed or reloaded, nothing is lost: the task continues, and ``follow`` can be called again.
    """

    def __init__(self, exchange: Exchange, words: Words) -> None:
        self.exchange = exchange
        self._words = words
        self._version = 0
        self._task: asyncio.Task[None] | None = None

    def start(self, events: AsyncGenerator[AnswerEvent, None]) -> None:
        self._task = asyncio.create_task(self._run(events))

    def is_about(self, question: str, note: str) -> bool:
        """Return whether this exact question is still being answered."""
        exchange = self.exchange
        return not exchange.finished and (exchange.question, exchange.note) == (question, note)

    async def stop(self) -> None:
        """Stop the bot; the text so far is kept."""
        if self._task is not None and not self._task.done():
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        if not self.exchange.finished:
            # A task that is cancelled before its first step never runs and could not record the end.
            self.exchange.stopped = self.exchange.finished = True

    async def follow(self) -> AsyncIterator[None]:
        """Yield after changes, until the exchange is finished; the last yield comes after the end."""
        seen = -1
        while not self.exchange.finished:
            if self._version > seen:
                seen = self._version
                yield
            await asyncio.sleep(_BETWEEN_VIEWS_S * (1 + len(self.exchange.draft) / _LONG_CHARACTERS))
        yield

    async def _run(self, events: AsyncGenerator[AnswerEvent, None]) -> None:
        exchange, begun = self.exchange, time.monotonic()
        try:
            async with aclosing(events):
                async for event in events:
                    _apply(event, exchange)
                    self._version += 1
        except asyncio.CancelledError:
            exchange.stopped = True
        except Exception as error:
            kind = "invalid" if isinstance(error, InvalidInput) else "unavailable"
            exchange.problem = self._words(f"chat.problem.{kind}", problem=told(error, self._words))
        finally:
            exchange.ended_at = time.monotonic()
            exchange.took_s = exchange.ended_at - begun
            exchange.finished = True
            exchange.running.clear()


def _apply(event: AnswerEvent, exchange: Exchange) -> None:
    """Write an event into ``exchange``."""
    match event:
        case StepStarted(node=node):
            exchange.running.append(node)
        case StepFinished(step=step):
            if step.node in exchange.running:
                exchange.running.remove(step.node)
            exchange.steps.append(step)
        case TermsRead(readings=readings):
            exchange.readings = readings
        case TextDelta(text=text):
            exchange.draft += text
        case TextReset():
            exchange.draft = ""
        case AnswerReady(answer=answer):
            exchange.answer = answer
            exchange.steps = list(answer.steps) or exchange.steps
