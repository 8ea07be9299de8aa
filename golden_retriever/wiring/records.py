"""People's records: who writes them down, and who keeps them within what may be kept."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from contracts.errors import GoldenError
from golden_retriever.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from agent.memory import ConversationMemory
    from library.records.recorder import QueuedTurnRecorder
    from serving.records.base import ConversationForgetter

_LOG = logging.getLogger(__name__)
_UPKEEP_EVERY_S = 6 * 3600.0


def build_recorder(settings: Settings, engine: "Engine") -> "QueuedTurnRecorder | None":
    """Return what keeps answered questions; None where none are kept."""
    from library.records.recorder import QueuedTurnRecorder
    from library.records.turns import TurnStore

    if not settings.keep_questions:
        return None
    return QueuedTurnRecorder(TurnStore(engine, engine_name=engine_name(settings)))


def engine_name(settings: Settings) -> str:
    """Return what answers, for records: the profile, and the model where one is named."""
    if not settings.llm_base_url:
        return "embedded"
    return f"{settings.profile} {settings.llm_model}".strip()


class SavedMemory:
    """What was remembered of conversations on disk, or in the database, without a bot around it."""

    def __init__(self, memory: "ConversationMemory") -> None:
        self._memory = memory

    async def forget(self, conversation_id: str, *, account: str = "") -> None:
        """Forget a conversation; it may be unknown."""
        from agent.memory import thread_of

        await self._memory.forget(thread_of(account, conversation_id))

    async def forget_account(self, account: str, *, before: datetime | None = None) -> None:
        """Forget every conversation of ``account`` ("": of everybody), or those without a question since ``before``."""
        from agent.memory import threads_of

        for thread in await self._memory.threads(threads_of(account), before=before):
            await self._memory.forget(thread)


@asynccontextmanager
async def open_memory(settings: Settings) -> AsyncIterator[SavedMemory]:
    """Open what was remembered, also where it was before keeping was switched off.

    Raises:
        ConfigurationError, Unavailable: as of ``open_conversations``.
    """
    from agent.memory import ConversationMemory
    from golden_retriever.wiring.databases import open_conversations

    async with open_conversations(settings.model_copy(update={"keep_questions": True})) as saver:
        yield SavedMemory(ConversationMemory(saver))


async def tidy_records(settings: Settings, engine: "Engine", memory: "ConversationForgetter") -> tuple[int, int]:
    """Delete conversations past their time, and take out what documents that are gone said.

    Returns how many conversations were deleted, and in how many answers were taken out.

    Raises:
        Unavailable: a database does not answer.
    """
    from library.records.upkeep import RecordUpkeep

    upkeep, pruned = RecordUpkeep(engine), 0
    if settings.keep_conversations_days:
        before = datetime.now(UTC) - timedelta(days=settings.keep_conversations_days)
        pruned = await asyncio.to_thread(upkeep.prune, before)
        await memory.forget_account("", before=before)
    withdrawn = await asyncio.to_thread(upkeep.withdraw)
    for account, conversation_id in withdrawn:
        await memory.forget(conversation_id, account=account)
    return pruned, len(withdrawn)


async def keep_tidy(settings: Settings, engine: "Engine", memory: "ConversationForgetter") -> None:
    """Tidy the records now and every six hours, until cancelled; trouble is logged and tried again."""
    while True:
        try:
            await tidy_records(settings, engine, memory)
        except GoldenError as error:
            _LOG.warning("the records were not tidied: %s", error)
        except Exception:
            _LOG.exception("the records were not tidied")
        await asyncio.sleep(_UPKEEP_EVERY_S)
