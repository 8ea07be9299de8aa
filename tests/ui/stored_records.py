"""The routes of people's records over a real database, with a visit for each person."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from fastapi import FastAPI

from agent.chatbot import Chatbot
from contracts.answer import Answer
from contracts.question import LOCAL_ACCOUNT, Asker
from library.migrations import LIBRARY
from library.records.conversations import ConversationStore
from library.records.feedback import FeedbackStore
from library.records.turns import TurnStore
from library.store import LibraryStore
from serving.access import Actor
from serving.me import MeService, me_router
from serving.records.routes import records_routers
from serving.records.service import RecordsService
from tests.agent.scripted import Script
from tests.databases import open_new_sqlite
from tests.library.records.samples import answer_of, turn_of
from tests.servers import app_of, me_service
from tests.ui.visits import services_of, visit_of
from ui.pages import Visit

NOW = datetime.now(UTC)


@dataclass(frozen=True, kw_only=True)
class RecordsHouse:
    """An application in this process, and what writes its records."""

    web: FastAPI
    me: MeService
    records: RecordsService
    turns: TurnStore
    feedback: FeedbackStore
    conversations: ConversationStore

    def visit(self, actor: Actor | None = None, **given: Any) -> Visit:
        """Return a visit of ``actor``, or of whoever sits at this machine."""
        return visit_of(services_of(me=self.me, records=self.records), actor, **given)

    def asked(self, *conversations: tuple[str, Sequence[str]], days_ago: float = 0.0, account: str = LOCAL_ACCOUNT,
              channel: str = "chat", **answer: Any) -> list[str]:  # fmt: skip
        """Keep questions of conversations, a minute after each other; return their turns' ids."""
        asker = Asker(account=account, name="", channel=channel, groups=None)
        ids: list[str] = []
        for name, questions in conversations:
            for place, question in enumerate(questions):
                ids.append(f"{name}-{place}-{days_ago}")
                kept: Answer = answer_of(question, **answer)
                turn = turn_of(ids[-1], asker=asker, conversation_id=name, answer=kept)
                at = NOW - timedelta(days=days_ago, minutes=len(questions) - place)
                self.turns.add([turn.model_copy(update={"asked_at": at})])
        return ids


def open_house(folder: Path) -> RecordsHouse:
    """Open the house over a new database in ``folder``."""
    engine = open_new_sqlite(folder / "golden.db", LIBRARY)
    # Nothing here asks test cases.
    bot = Chatbot(Script().services())
    records = RecordsService(LibraryStore(engine), chatbot=bot, examiner=None)  # type: ignore[arg-type]
    me = me_service()
    web = app_of(routers=[me_router(me), *records_routers(records)])
    return RecordsHouse(web=web, me=me, records=records, turns=TurnStore(engine),
                        feedback=FeedbackStore(engine), conversations=ConversationStore(engine))  # fmt: skip
