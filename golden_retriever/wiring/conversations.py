"""Conversations: where they are kept, and how old ones and orphaned uploads are deleted."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.errors import GoldenError
from golden_retriever.settings import Settings
from golden_retriever.wiring.indexes import uploads_folder

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from agent.conversations import ConversationStore

_LOG = logging.getLogger(__name__)
_UPKEEP_EVERY_S = 6 * 3600.0
_UPLOADS_KEPT_S = 24 * 3600.0


@asynccontextmanager
async def open_conversations(settings: Settings, engine: "Engine") -> "AsyncIterator[ConversationStore]":
    """Open what keeps the chatbot's conversations: the database, or this process's memory if no question is kept."""
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
    """Return what answers, for records: the profile, and the model where one is named."""
    if not settings.llm:
        return "embedded"
    return f"{settings.profile} {settings.llm_model}".strip()


def tidy_records(settings: Settings, engine: "Engine") -> tuple[int, int]:
    """Delete conversations past their time, and remove answers that cite documents which are gone. Blocking.

    Returns how many conversations were deleted, and from how many answers were removed.

    Raises:
        Unavailable: a database does not answer.
    """
    from library.records.retention import RecordRetention

    upkeep, pruned = RecordRetention(engine), 0
    if settings.keep_conversations_days:
        pruned = upkeep.prune(datetime.now(UTC) - timedelta(days=settings.keep_conversations_days))
    return pruned, len(upkeep.withdraw())


def tidy_uploads(settings: Settings, engine: "Engine") -> int:
    """Remove uploaded files whose documents were deleted, a day after they came; return how many. Blocking.

    Files that were never read stay: somebody may have put them there.

    Raises:
        Unavailable: the database does not answer.
    """
    from ingestion.files.archives import split_member
    from ingestion.pipeline import DELETED
    from library.job_queue import JobQueue
    from library.ledger import IngestionLedger
    from serving.documents.uploads import remove_orphans

    ledger = IngestionLedger(engine)
    waiting = [Path(path) for job in JobQueue(engine).jobs() if not job.is_over for path in job.paths]
    # One whose file was gone for a while was not deleted by anybody.
    removed = [record for record in ledger.records(state="removed") if record.reason == DELETED]
    needed, deleted = (
        {(split_member(path) or (path,))[0] for path in (Path(record.path) for record in records)}
        for records in (ledger.records(), removed)
    )
    orphans = {
        path
        for path in deleted - needed
        if not any(path.is_relative_to((split_member(each) or (each,))[0]) for each in waiting)
    }
    before = time.time() - _UPLOADS_KEPT_S
    return remove_orphans(uploads_folder(settings), orphans, before=before)


async def keep_tidy(settings: Settings, engine: "Engine") -> None:
    """Tidy records and uploads now and every six hours, until cancelled; trouble is logged and tried again."""
    while True:
        for tidy in (tidy_records, tidy_uploads):
            try:
                await asyncio.to_thread(tidy, settings, engine)
            except GoldenError as error:
                _LOG.warning("old records or uploads were not deleted: %s", error)
            except Exception:
                _LOG.exception("old records or uploads were not deleted")
        await asyncio.sleep(_UPKEEP_EVERY_S)
