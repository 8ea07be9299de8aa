"""The services of the pages around a scripted bot, with small records beside it: for the chat's tests."""

import io
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from unittest.mock import AsyncMock

from fastapi import APIRouter, FastAPI, Response
from PIL import Image, ImageDraw

from contracts.answer import Answer
from contracts.documents import PageInfo
from contracts.errors import NotFound
from contracts.jargon import Context
from contracts.records import ConversationDetails, ConversationPage, Feedback, StoredTurn
from serving.access import Actor
from serving.app import create_app
from serving.chat import ChatService
from serving.identity.guards import Guard
from serving.me import me_router
from serving.records.service import account_of
from tests.servers import me_service, nothing_missing
from tests.serving.running import ListedQuestions
from tests.ui.scripted_bot import ScriptedBot
from tests.ui.visits import services_of
from ui.app import build_ui, mount_ui
from ui.frame import Frame
from ui.pages import Services

PAGE_PT = (600, 800)
_NOW = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)


@dataclass
class Records:
    """What people asked and said, by turn and by term; ``pictured`` says whether pages have pictures."""

    bot: ScriptedBot
    feedback: dict[str, Feedback] = field(default_factory=dict)
    wanted: list[tuple[str, str]] = field(default_factory=list)
    withheld: dict[str, Any] = field(default_factory=dict)
    pictured: bool = True

    def conversation(self, actor: Actor, conversation_id: str, *, limit: int = 50) -> ConversationDetails:
        answers = self.bot.kept.get((account_of(actor), conversation_id))
        if answers is None:
            raise NotFound("There is no such conversation.")
        title = answers[0].question
        return ConversationDetails(
            id=conversation_id,
            title=title,
            started_at=_NOW,
            changed_at=_NOW,
            questions=len(answers),
            turns=tuple(map(self._turn, answers)),
            next=None,
        )

    def conversations(self, actor: Actor, *, text: str = "", channel: str = "", limit: int = 50) -> ConversationPage:
        own = [self.conversation(actor, each) for account, each in self.bot.kept if account == account_of(actor)]
        return ConversationPage(conversations=tuple(own), next=None, kept=True, days=365)

    def _turn(self, answer: Answer) -> StoredTurn:
        return StoredTurn(
            id=answer.turn_id,
            conversation_id=answer.conversation_id,
            asked_at=_NOW,
            seconds=1.5,
            answer=answer.model_copy(update={"text": "" if answer.turn_id in self.withheld else answer.text}),
            withheld=self.withheld.get(answer.turn_id, ""),
            feedback=self.feedback.get(answer.turn_id),
        )

    def give_feedback(self, actor: Actor, turn_id: str, verdict: Any, *, reason: Any = "", text: str = "") -> Feedback:
        self.feedback[turn_id] = Feedback(turn=turn_id, verdict=verdict, reason=reason, text=text, changed_at=_NOW)
        return self.feedback[turn_id]

    def take_back(self, actor: Actor, turn_id: str) -> None:
        self.feedback.pop(turn_id)

    def want(self, actor: Actor, term: str, note: str = "") -> str:
        self.wanted.append((term, note))
        return term

    async def sheet(self, actor: Actor, document_id: str, page: int) -> PageInfo:
        if not self.pictured:
            raise NotFound("There is no picture.")
        own, (width, height) = f"/api/documents/{document_id}", PAGE_PT
        return PageInfo(page=page, width_pt=width, height_pt=height, width_px=width, height_px=height,
                        picture=f"{own}/pages/{page}/picture")  # fmt: skip


def build_services(bot: ScriptedBot) -> Services:
    """Return the services over ``bot`` and its records."""
    contexts = AsyncMock(return_value=(Context(name="Interfaces"), Context(name="Software")))
    examples = AsyncMock(return_value=("What does DLL need to lock?", "Which DLL do you mean?"))
    me = me_service(contexts=contexts, contact="Ada", example_questions=examples)
    chatbot: Any = bot
    records = Records(bot)
    chat = ChatService(chatbot=chatbot, suggester=ListedQuestions())
    return services_of(me=me, chat=chat, records=records, documents=records, dictionary=records)


def build_pages(bot: ScriptedBot, *, prefix: str = "") -> FastAPI:
    """Return an application with the chat's page, as the server mounts it."""
    services, guard, pictures = build_services(bot), Guard(), APIRouter()

    @pictures.get("/api/documents/{document_id}/pages/{page}/picture")
    async def picture(document_id: str, page: int) -> Response:
        image = Image.new("RGB", PAGE_PT, "white")
        ImageDraw.Draw(image).text((72, 120), f"page {page} of {document_id}", fill="black")
        content = io.BytesIO()
        image.save(content, format="JPEG")
        return Response(content.getvalue(), media_type="image/jpeg")

    routers = [me_router(services.me), pictures]
    web = create_app(services.chat, readiness=nothing_missing, guard=guard, prefix=prefix, routers=routers)
    mount_ui(web, build_ui(Frame(services, guard, prefix=prefix)), prefix=prefix)
    return web
