"""An intranet for the widget's tests: pages of one origin, the bot of another, and a proxy that puts it elsewhere."""

import asyncio
import threading
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from html import escape
from typing import Any

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import HTMLResponse, Response
from playwright.sync_api import Page, expect

from contracts.answer import Answer, AnswerEvent, AnswerReady, StepStarted, TextDelta, TextReset
from contracts.question import SensePick
from library.store import LibraryStore
from serving.app import create_app
from serving.chat import ChatService
from serving.widget.routes import widget_router
from tests.servers import nothing_missing
from tests.ui.scripted_bot import ScriptedBot, answered, by_words, citation

Opened = Callable[..., Page]
QUESTION = "What does DLL need to lock?"
PASSAGES = 1_200
# One comes back each second.
REQUESTS_A_MINUTE = 60
HOSTILE_CSS = """
* { all: unset !important; color: red !important; display: none; font-size: 40px !important; --strong: red; }
html, body { display: block; } button { position: static !important; visibility: hidden !important; }
golden-retriever { display: none !important; opacity: 0 !important; transform: scale(0) !important; }
"""
STRICT_CSP = "default-src 'none'; script-src {bot}; connect-src {bot}; require-trusted-types-for 'script'"
HOSTILE_TEXT = (
    '<img src=x onerror="window.pwned=1"> <script>window.pwned=1</script> [run](javascript:window.pwned=1) '
    "[wiki](https://wiki.example/a?b=1) **bold** `<b>code</b>` [1]\n\n- one\n- two\n  1. deep\n\n"
    "```html\n<iframe src=x></iframe>\n```\n\n| Symbol | Value |\n|---|---|\n| <i>tRC</i> | 48 |"
)


def hostile(question: str) -> Answer:
    """Answer with markup wherever a document or a dictionary could have put some."""
    evil = "<img src=x onerror='window.pwned=1'>"
    cited = citation(1, quote=evil, document_title=evil, heading_path=(evil,))
    answer = answered(question)
    reading = answer.readings[0]
    assert reading.sense is not None
    sense = reading.sense.model_copy(update={"extended_name": evil, "description": evil})
    read = reading.model_copy(update={"sense": sense, "reason": evil})
    return answer.model_copy(update={"text": HOSTILE_TEXT, "citations": (cited,), "readings": (read,)})


def by_question(question: str, picks: Sequence[SensePick]) -> Answer:
    """Answer as the scripted bot does, with an id of the turn; as enemies would where the question asks for that."""
    answer = hostile(question) if "hostile" in question else by_words(question, picks)
    return answer.model_copy(update={"turn_id": "turn-1"})


@dataclass
class WatchedBot(ScriptedBot):
    """Also keeps which questions were stopped, and writes a draft that is withdrawn."""

    answer_for: Callable[[str, Sequence[SensePick]], Answer] = by_question
    stopped: list[str] = field(default_factory=list)
    was_stopped: threading.Event = field(default_factory=threading.Event)

    async def stream(self, question: str, **asked: Any) -> AsyncGenerator[AnswerEvent, None]:
        try:
            if "withdraw" in question:
                yield StepStarted(node="write_answer")
                yield TextDelta(text="A first draft.")
                await asyncio.to_thread(self.go_on.get, timeout=60)
                yield TextReset(reason="a sentence was not supported")
                await asyncio.to_thread(self.go_on.get, timeout=60)
            if "wait" in question:
                yield StepStarted(node="retrieve")
                yield TextDelta(text="Half of")
                await asyncio.sleep(60)
            async for event in super().stream(question, **asked):
                # What follows the end is nothing to be stopped.
                yield event
                if isinstance(event, AnswerReady):
                    return
        except (asyncio.CancelledError, GeneratorExit):
            self.stopped.append(question)
            self.was_stopped.set()
            raise


def bot_server(
    bot: ScriptedBot, opinions: list[dict[str, Any]], *, library: LibraryStore | None = None, **options: Any
) -> Callable[[], Any]:
    """Return what opens the bot's server, to which ``opinions`` are sent; ``options`` are those of ``create_app``."""
    feedback = APIRouter()

    @feedback.post("/api/feedback")
    async def give(request: Request) -> dict[str, str]:
        opinions.append(await request.json())
        return {}

    @asynccontextmanager
    async def open_web() -> AsyncIterator[FastAPI]:
        chat = ChatService(chatbot=bot, library=library)  # type: ignore[arg-type]
        yield create_app(chat, readiness=nothing_missing, routers=[widget_router(), feedback], **options)

    return open_web


@asynccontextmanager
async def open_pages() -> AsyncIterator[FastAPI]:
    """Open the intranet: ``/?src=…`` is a page with the script of that address, other parameters are its attributes."""
    web = FastAPI()

    @web.get("/")
    async def page(request: Request) -> Response:
        given = dict(request.query_params)
        source, style, policy = given.pop("src"), given.pop("css", ""), given.pop("csp", "")
        language, direction, hook = given.pop("lang", "en"), given.pop("dir", "ltr"), given.pop("hook", "")
        attributes = " ".join(f'data-{name}="{escape(value)}"' for name, value in given.items())
        return HTMLResponse(
            f'<!doctype html><html lang="{language}" dir="{direction}"><meta charset="utf-8">'
            f'<meta name="viewport" content="width=device-width"><title>Intranet</title><link rel="icon" href="data:,">'
            f"{f'<style>{style}</style>' if style else ''}{f'<script>{hook}</script>' if hook else ''}"
            f"<h1>Memory team</h1><p><a href='#plans'>Test plans</a></p>"
            f'<script src="{escape(source)}" {attributes} defer></script>',
            headers={"content-security-policy": policy} if policy else None,
        )

    yield web


def launcher(page: Page) -> Any:
    return page.get_by_role("button", name="Open Ask the docs")


def ask(page: Page, question: str) -> None:
    box = page.get_by_role("textbox", name="Your question")
    expect(launcher(page).or_(box).first).to_be_visible()
    if launcher(page).is_visible():
        launcher(page).click()
    box.fill(question)
    box.press("Enter")


def ask_to_the_end(page: Page) -> None:
    """Ask the question that is answered, and wait for its answer."""
    ask(page, QUESTION)
    expect(page.locator(".certainty")).to_be_visible()
