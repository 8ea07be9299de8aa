"""A question under way: the bot works on, whoever watches; each watcher sees every change."""

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from contracts.answer import (
    AnswerEvent,
    AnswerReady,
    CitationsVerified,
    SentencesJudged,
    StepFinished,
    StepStarted,
    TextDelta,
    TextReset,
)
from contracts.errors import GoldenError, InvalidInput
from contracts.question import Asker, SensePick, Turn
from ui import texts
from ui.conversations import Exchange
from ui.render import step_name

_LOG = logging.getLogger(__name__)
# Often enough to look like writing, seldom enough for a slow line.
_BETWEEN_VIEWS_S = 0.07


class AnsweringBot(Protocol):
    """What the chat needs of the bot; ``agent.chatbot.Chatbot`` is one."""

    def stream(
        self,
        question: str,
        *,
        conversation_id: str = "",
        history: Sequence[Turn] | None = None,
        asker: Asker = Asker(),  # noqa: B008 - a frozen value
        picks: Sequence[SensePick] = (),
    ) -> AsyncIterator[AnswerEvent]:
        """Answer, yielding events; ``AnswerReady`` is the last."""
        ...

    async def history(self, conversation_id: str, *, account: str = "") -> tuple[Turn, ...]:
        """Return the turns of a conversation of ``account``."""
        ...


class QuestionUnderWay:
    """Asks the bot in a task of its own and writes what happens into an exchange.

    A page that is closed or loaded again loses nothing: the task goes on, and ``follow`` can be called again.
    """

    def __init__(self, exchange: Exchange, contact: str) -> None:
        self.exchange = exchange
        self._contact = contact
        self._changed = asyncio.Condition()
        self._version = 0
        self._task: asyncio.Task[None] | None = None

    def start(
        self, bot: AnsweringBot, question: str, *, conversation_id: str, asker: Asker, picks: Sequence[SensePick]
    ) -> None:
        """Begin to ask; returns at once."""
        self._task = asyncio.create_task(self._run(bot, question, conversation_id, asker, picks))

    def is_about(self, question: str, note: str) -> bool:
        """Return whether this very question is still being answered."""
        exchange = self.exchange
        return not exchange.finished and (exchange.question, exchange.note) == (question, note)

    async def stop(self) -> None:
        """Stop the work; what was written stays."""
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
                await asyncio.sleep(_BETWEEN_VIEWS_S)
        yield

    async def _run(
        self, bot: AnsweringBot, question: str, conversation_id: str, asker: Asker, picks: Sequence[SensePick]
    ) -> None:
        exchange, begun = self.exchange, time.monotonic()
        try:
            events = bot.stream(question, conversation_id=conversation_id, asker=asker, picks=picks)
            async for event in events:
                _apply(event, exchange)
                await self._tell()
        except asyncio.CancelledError:
            exchange.stopped = True
        except InvalidInput as error:
            exchange.problem = texts.BAD_INPUT.format(problem=error)
        except GoldenError as error:
            exchange.problem = texts.UNAVAILABLE.format(problem=error)
        except Exception:
            exchange.problem = self._broken()
        finally:
            exchange.took_s = time.monotonic() - begun
            exchange.finished = True
            exchange.running.clear()
            await self._tell()

    def _broken(self) -> str:
        """Log what broke under a reference, and say for people where it broke."""
        reference = secrets.token_hex(3)
        _LOG.exception("the chat's question failed (reference %s)", reference)
        at = step_name(self.exchange.running[-1]) if self.exchange.running else texts.BEFORE_FIRST_STEP
        return texts.BROKEN.format(step=at, reference=reference, contact=self._contact)

    async def _tell(self) -> None:
        async with self._changed:
            self._version += 1
            self._changed.notify_all()


def _apply(event: AnswerEvent, exchange: Exchange) -> None:
    match event:
        case StepStarted(node=node):
            exchange.running.append(node)
        case StepFinished(step=step):
            if step.node in exchange.running:
                exchange.running.remove(step.node)
            exchange.steps.append(step)
        case TextDelta(text=text):
            exchange.draft += text
        case TextReset():
            exchange.withdraw()
        case CitationsVerified(citations=citations):
            exchange.found = citations
        case SentencesJudged(sentences=judged):
            exchange.judged = judged
        case AnswerReady(answer=answer):
            exchange.answer = answer
            exchange.steps = list(answer.steps) or exchange.steps
