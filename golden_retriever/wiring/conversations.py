"""Conversations: where they are stored, and how old ones are deleted."""

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

    from agent.conversations import ConversationStore

_LOG = logging.getLogger(__name__)
_RETENTION_EVERY_S = 6 * 3600.0


@asynccontextmanager
async def open_conversations(settings: Settings, engine: "Engine") -> "AsyncIterator[ConversationStore]":
    """Open the store of the chatbot's conversations: the database, or memory if questions are not stored."""
    if not settings.keep_questions:
        from agent.conversations import RecentConversations

        yield RecentConversations()
        return
    from library.records.chatbot_conversations import SqlConversations

    conversations = SqlConversations(engine, engine_name=engine_name(settings))
    try:
        yield conversations
    finally:
        await conversations.close()


def engine_name(settings: Settings) -> str:
    """Return the name under which records list the answering engine: the profile, and the model if one is set."""
    if not settings.llm:
        return "embedded"
    return f"{settings.profile} {settings.llm_model}".strip()


def apply_retention(settings: Settings, engine: "Engine") -> tuple[int, int]:
    """Delete conversations past their retention period, and remove answers that cite deleted documents. Blocking.

    Returns the number of conversations deleted, and of conversations from which answers were removed.
    """
    from library.records.retention import prune_conversations, withdraw_answers

    pruned = 0
    if settings.keep_conversations_days:
        pruned = prune_conversations(engine, datetime.now(UTC) - timedelta(days=settings.keep_conversations_days))
    return pruned, len(withdraw_answers(engine))


async def apply_retention_regularly(settings: Settings, engine: "Engine") -> None:
    """Apply the retention period now and every six hours, until cancelled; errors are logged and do not stop it."""
    while True:
        try:
            await asyncio.to_thread(apply_retention, settings, engine)
        except GoldenError as error:
            _LOG.warning("old records were not deleted: %s", error)
        except Exception:
            _LOG.exception("old records were not deleted")
        await asyncio.sleep(_RETENTION_EVERY_S)
