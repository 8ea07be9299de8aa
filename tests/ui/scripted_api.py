"""The server's own wire over a scripted bot, with small records beside it: for the chat's tests."""

import io
from dataclasses import dataclass, field
from functools import partial
from typing import Any, cast

from fastapi import FastAPI, Request, Response
from PIL import Image, ImageDraw

from contracts.errors import NotFound
from contracts.jargon import Context
from contracts.question import LOCAL_ACCOUNT
from serving.access import Guard, LoopbackGuard
from serving.app import create_app
from serving.areas import Area
from serving.chat import ChatService, OneModel
from serving.dictionary.routing import guarded_router
from serving.me import MeDesk, me_area
from tests.servers import nothing_missing
from tests.serving.running import ListedQuestions
from tests.ui.scripted_bot import ScriptedBot
from tests.ui.visits import services_of
from ui.app import build_ui, mount_ui
from ui.client import ApiClient
from ui.frame import Frame

PAGE_PT = (600, 800)


@dataclass
class Records:
    """What people said, by turn and by term; ``pictured`` says whether pages have pictures."""

    bot: ScriptedBot
    feedback: dict[str, dict[str, Any]] = field(default_factory=dict)
    wanted: list[dict[str, str]] = field(default_factory=list)
    withheld: dict[str, str] = field(default_factory=dict)
    pictured: bool = True

    def area(self, guard: Guard) -> Area:
        """Return the routes that the chat needs beside the questions."""
        router = guarded_router("/api", "chat", guard, "ask")
        router.get("/conversations")(self.conversations)
        router.get("/conversations/{conversation_id}")(self.conversation)
        router.post("/feedback")(self.give)
        router.delete("/feedback/{turn_id}", status_code=204)(self.take_back)
        router.post("/dictionary/wanted")(self.want)
        router.get("/documents/{document_id}/pages/{page}")(self.page)
        router.get("/documents/{document_id}/pages/{page}/picture")(self.picture)
        return Area(routers=(router,))

    async def conversation(self, conversation_id: str, request: Request) -> dict[str, Any]:
        answers = self.bot.kept.get((request.state.actor.account or LOCAL_ACCOUNT, conversation_id))
        if answers is None:
            raise NotFound("There is no such conversation.")
        turns = [
            {
                "id": each.turn_id,
                "seconds": 1.5,
                "question": each.question,
                "answer": "" if each.turn_id in self.withheld else each.text,
                "withheld": self.withheld.get(each.turn_id, ""),
                "golden": each.model_dump(mode="json", by_alias=True),
                "feedback": self.feedback.get(each.turn_id),
            }
            for each in answers
        ]
        return {"id": conversation_id, "turns": turns, "next": None}

    async def conversations(self, request: Request) -> dict[str, Any]:
        account, moment = request.state.actor.account or LOCAL_ACCOUNT, "2026-05-04T09:30:00Z"
        own = {each: answers for (owner, each), answers in self.bot.kept.items() if owner == account}
        listed = [
            {"id": each, "title": answers[0].question, "started_at": moment, "changed_at": moment,
             "questions": len(answers), "etag": '"v1"'}
            for each, answers in own.items()
        ]  # fmt: skip
        return {"conversations": listed, "next": None, "kept": True, "days": 0}

    async def give(self, request: Request) -> dict[str, Any]:
        said = await request.json()
        self.feedback[said["turn"]] = said
        return cast("dict[str, Any]", said)

    async def take_back(self, turn_id: str) -> None:
        self.feedback.pop(turn_id)

    async def want(self, request: Request) -> dict[str, str]:
        self.wanted.append(await request.json())
        return {"term": self.wanted[-1]["term"]}

    async def page(self, document_id: str, page: int) -> dict[str, Any]:
        if not self.pictured:
            raise NotFound("There is no picture.")
        own = f"/api/documents/{document_id}"
        width, height = PAGE_PT
        return {
            "page": page, "pages": 9, "width_pt": width, "height_pt": height, "width_px": width, "height_px": height,
            "picture": f"{own}/pages/{page}/picture", "file": f"{own}/file",
        }  # fmt: skip

    async def picture(self, document_id: str, page: int) -> Response:
        image = Image.new("RGB", PAGE_PT, "white")
        ImageDraw.Draw(image).text((72, 120), f"page {page} of {document_id}", fill="black")
        content = io.BytesIO()
        image.save(content, format="JPEG")
        return Response(content.getvalue(), media_type="image/jpeg")


def build_api(
    bot: ScriptedBot, records: Records | None = None, *, guard: Guard | None = None, prefix: str = "", **told: Any
) -> FastAPI:
    """Return the server's application over ``bot``; ``told`` are fields of ``MeDesk``."""
    given: dict[str, Any] = {"contact": "Ada", "department": "", "keeps_conversations": True, "version": "1", **told}
    contexts = tuple(
        Context(name=name, examples=(example,))
        for name, example in (("Interfaces", "What does DLL need to lock?"), ("Software", "Which DLL do you mean?"))
    )

    async def contexts_now() -> tuple[Context, ...]:
        return contexts

    chatbot: Any = bot
    chat = ChatService(models=OneModel(chatbot), suggester=ListedQuestions())
    desk = MeDesk(contexts=contexts_now, **given)
    kept = records or Records(bot)
    guard = guard or LoopbackGuard()
    web = create_app(chat, readiness=nothing_missing, guard=guard, prefix=prefix,
                     areas=[partial(me_area, desk), kept.area])  # fmt: skip
    web.state.services, web.state.guard = services_of(me=desk), guard
    return web


def build_pages(bot: ScriptedBot, records: Records | None = None, *, prefix: str = "", **options: Any) -> FastAPI:
    """Return the application with the chat's page on it, as the server mounts it; the rest is as of ``build_api``."""
    web = build_api(bot, records, prefix=prefix, **options)
    client = ApiClient.of_application(web)
    page = build_ui(Frame(web.state.services, web.state.guard, client=client, prefix=prefix))
    mount_ui(web, page, prefix=prefix)
    return web
