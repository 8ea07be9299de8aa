"""The pages in Gradio: the chat, with its parts and the events that change them, and the other pages."""

import warnings
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import gradio as gr
from fastapi import HTTPException
from markupsafe import Markup

from serving.identity.guards import Guard
from serving.rate_limits import RequestLimits
from serving.wire import MAX_DOCUMENTS
from ui.chat.conversation import Chosen
from ui.chat.page import ChatPage, View
from ui.chat.render import render_composer
from ui.conversations_list.page import list_conversations
from ui.dictionary.page import DictionaryPage
from ui.documents.page import DocumentsPage
from ui.frame import CHOOSE_LANGUAGE, EVENTS, OPENING, STORAGE_KEY, STORAGE_SALT, Frame, allow_reconnect, part, told
from ui.html import escape, render
from ui.overview.page import OverviewPage
from ui.pages import Action, Page, Services, Visit, action_in, texts_in
from ui.review.page import ReviewPage
from ui.style import STATIC, build_theme, read_styles, scripts_of
from ui.words import words_in

_ENGLISH = words_in("")
_Work = Callable[[Visit, dict[str, Any]], Awaitable[Any]]
_REMEMBER = """(kept) => {
  const choices = [...document.querySelectorAll("#composer [data-choice]")];
  return { ...(kept || {}), ...Object.fromEntries(choices.map((each) => [each.dataset.choice, each.value])) };
}"""


def pages() -> tuple[Page, ...]:
    """Return the pages other than the chat, in the order in which the bar lists them."""
    return (DictionaryPage(), DocumentsPage(), ReviewPage(), OverviewPage())


def build_frame(services: Services, guard: Guard, *, limits: RequestLimits | None, prefix: str = "") -> Frame:
    """Return the frame of all pages; the arguments are those of ``Frame``."""
    entries = [("chat", "ask"), *((each.name, each.scope) for each in pages())]
    return Frame(services, guard, limits=limits, prefix=prefix, entries=entries)


def build_ui(frame: Frame, pages: Sequence[Page] = ()) -> gr.Blocks:
    """Build the chat page and the other ``pages``; ``mount_ui`` adds them to an application."""
    with gr.Blocks(title=_ENGLISH("frame.title"), analytics_enabled=False, fill_width=True) as page:
        kept = gr.BrowserState({}, storage_key=STORAGE_KEY, secret=STORAGE_SALT)
        bar = part("top", "bar.js", "sidebar_toggle.js", initial=render("brand.html", words=_ENGLISH))
        with gr.Row(elem_id="chat"):
            sidebar = part("sidebar", "chat_page.js", *scripts_of("conversations_list"), initial=_LIST)
            with gr.Column(elem_id="conversation"):
                past = part("past", "chat_page.js", "conversation.js")
                live = part("live", "chat_page.js", "conversation.js", initial=_WAITING)
                composer = part("composer", "chat_page.js", "composer.js", initial=render_composer(None, _ENGLISH))
            panel = part("panel", "chat_page.js", "panel.js")
        handlers = _Handlers(frame, ChatPage())
        parts = {"sidebar": sidebar, "past": past, "live": live, "composer": composer, "panel": panel}
        _connect(page, SimpleNamespace(kept=kept, bar=bar, **parts), handlers)
    for each in pages:
        with page.route(_ENGLISH(f"nav.{each.name}"), f"/{each.name}", show_in_navbar=False):
            frame.add(page, each)
    return page  # type: ignore[no-any-return]  # Gradio's types are not read


def mount_ui(web: Any, page: gr.Blocks, *, prefix: str = "") -> Any:
    """Mount the pages and their styles on a FastAPI application; return the application.

    ``prefix`` is the path under which browsers find the application, if a proxy adds one. Gradio's own routes for files
    are closed: the pages send documents and sheets to the API, which checks them and limits their size.
    """
    for each in _FILE_ROUTES:
        web.add_api_route(each, _refuse_file, methods=["POST"], include_in_schema=False)
    with warnings.catch_warnings():
        # For applications with several pages, Gradio warns that it has switched off SSR, which is off here anyway.
        warnings.filterwarnings("ignore", message="SSR mode is not supported", category=UserWarning)
        mounted = gr.mount_gradio_app(
            web,
            page,
            path="/",
            root_path=prefix or None,
            theme=build_theme(),
            css=read_styles(),
            favicon_path=str(STATIC / "favicon.svg"),
            footer_links=[],
            ssr_mode=False,
            show_error=True,
        )
    # Our bar links the pages: Gradio's own would be visible, and shift everything, until our styles are loaded.
    page.config["pages"] = []
    return mounted


# Gradio would keep uploaded files on disk without limit.
_FILE_ROUTES = ("/gradio_api/upload", "/gradio_api/process_recording")


async def _refuse_file() -> None:
    raise HTTPException(403, "The pages accept no files here: send documents to /api/documents.")


# Its space is reserved from the start, so that the layout does not shift when the list arrives.
_LIST = '<div class="conversations"></div>'
_WAITING = '<div class="welcome waiting" data-key="hi" aria-busy="true"></div>'
_PROBLEM = Markup('<p class="card problem" role="alert" data-key="problem">{}</p>')


@dataclass(frozen=True)
class _Handlers:
    """Handlers of the chat's events: they take browser values and return the new contents of the parts. Gradio calls
    each by its signature.
    """

    frame: Frame
    chat: ChatPage

    async def load(self, kept: Any, request: gr.Request) -> AsyncIterator[tuple[Any, ...]]:
        """Show the bar and the conversation in the address, or else the one that was open last."""
        visit = self.frame.visit(request, kept)
        place, remembered = texts_in(_plain(kept).get("place")), texts_in(kept)
        if asked := place.get("ask"):
            # A link from a document starts a new conversation with that document chosen.
            remembered |= {"documents": asked, "collection": "", "conversation": ""}
        try:
            me = await visit.me()
            department = remembered.get("department", me.department)
            department = department if department in me.departments else ""
            bar = self.frame.bar(visit, me, "chat")
            composer = await self.chat.composer(visit, _chosen({**remembered, "department": department}))
            wanted = place.get("c") or remembered.get("conversation", "")
            first = True
            async for view in self.chat.show(visit, wanted):
                if not first:
                    yield (gr.skip(), gr.skip(), *_shown(view), gr.skip(), gr.skip())
                    continue
                first = False
                if place.get("c") and not view.exchanges:
                    gr.Warning(visit.words("chat.link_gone"), title=visit.words("frame.warning"))
                opened = await self._opened(visit, view, place)
                memory = {**remembered, "department": department, "conversation": view.conversation_id}
                yield (memory, str(bar), *_shown(view), str(composer), opened)
        except Exception as error:
            problem = _PROBLEM.format(escape(told(error, visit.words)))
            yield (gr.skip(), gr.skip(), gr.skip(), str(problem), gr.skip(), gr.skip())

    async def _opened(self, visit: Visit, view: View, place: Any) -> Any:
        """Return the page that the address opens next to the conversation."""
        if not place.get("cite"):
            return ""
        action = Action(name="cite", values={"exchange": place.get("turn", ""), "number": place["cite"]})
        try:
            return str(await self.chat.page(visit, view.conversation_id, action))
        except Exception:
            return ""

    async def open(self, kept: Any, event: gr.EventData, request: gr.Request) -> AsyncIterator[tuple[Any, ...]]:
        """Show another conversation: one from the list, or from an address that the browser went back to."""
        visit, sent = self.frame.visit(request, kept), _plain(event._data)
        place = {"turn": str(sent.get("turn") or ""), "cite": str(sent.get("cite") or "")}
        opened: Any = None
        try:
            async for view in self.chat.show(visit, sent.get("conversation")):
                opened = await self._opened(visit, view, place) if opened is None else gr.skip()
                yield (_memory(kept, view), *_shown(view), opened)
        except Exception as error:
            _warn(error, visit)

    async def ask(self, kept: Any, event: gr.EventData, request: gr.Request) -> AsyncIterator[tuple[Any, ...]]:
        """Ask the typed question, or the question of a button."""
        visit, sent = self.frame.visit(request, kept), _plain(event._data)
        action, conversation = action_in(sent), sent.get("conversation")
        try:
            if action.name == "send":
                question = action.fields.get("question", "")
                views = self.chat.ask(visit, conversation, question, _chosen(sent))
            else:
                views = self.chat.act(visit, conversation, action, _chosen(sent))
            async for view in views:
                yield (_memory(kept, view), *_shown(view))
        except Exception as error:
            _warn(error, visit)
            if (there := await self._again(visit, conversation)) is not None:
                yield (gr.skip(), *_shown(there))

    async def _again(self, visit: Visit, conversation: Any) -> View | None:
        """Show the current state after an error, so that the page does not wait forever."""
        try:
            async for view in self.chat.show(visit, conversation):
                return view
        except Exception:
            return None
        return None

    async def feedback(self, visit: Visit, sent: dict[str, Any]) -> Any:
        return _shown(await self.chat.give_feedback(visit, sent.get("conversation"), action_in(sent)))

    async def cite(self, visit: Visit, sent: dict[str, Any]) -> Any:
        return str(await self.chat.page(visit, sent.get("conversation"), action_in(sent)))

    async def halt(self, visit: Visit, sent: dict[str, Any]) -> Any:
        return _shown(await self.chat.stop(visit, sent.get("conversation")))

    async def list(self, visit: Visit, sent: dict[str, Any]) -> Any:
        return str(await list_conversations(visit, action_in(sent)))

    async def find(self, visit: Visit, sent: dict[str, Any]) -> Any:
        return str(await self.chat.composer(visit, _chosen(sent), text=action_in(sent).fields.get("text", "")))

    def answer(self, work: _Work, otherwise: Callable[[], Any] = gr.skip) -> Callable[..., Awaitable[Any]]:
        """Return a handler for Gradio that does ``work``; if that is refused, show why, and then ``otherwise``."""

        async def handle(kept: Any, event: gr.EventData, request: gr.Request) -> Any:
            visit = self.frame.visit(request, kept)
            try:
                return await work(visit, _plain(event._data))
            except Exception as error:
                _warn(error, visit)
                return otherwise()

        return handle

    async def begin(self, kept: Any, request: gr.Request) -> tuple[Any, ...]:
        view = await self.chat.begin(self.frame.visit(request, kept))
        return (_memory(kept, view), *_shown(view), "")


def _connect(page: gr.Blocks, parts: SimpleNamespace, handlers: _Handlers) -> None:
    kept, conversation = [parts.kept], [parts.past, parts.live]
    # Gradio's default, "once", drops a press of Enter before the page knows that the last answer has ended.
    asking = {**EVENTS, "trigger_mode": "multiple"}
    # Events that are answered at once bypass the queue, which opens and closes an event stream for each use.
    at_once = {**EVENTS, "queue": False}
    page.load(handlers.load, kept, [*kept, parts.bar, *conversation, parts.composer, parts.panel], js=OPENING, **EVENTS)
    for each in (parts.past, parts.live, parts.composer):
        each.ask(handlers.ask, kept, [*kept, *conversation], **asking)
    for each in (parts.past, parts.live):
        each.feedback(handlers.answer(handlers.feedback, _skip_both), kept, conversation, **at_once)
    for each in (parts.past, parts.live, parts.panel):
        each.cite(handlers.answer(handlers.cite, str), kept, [parts.panel], **at_once)
    parts.live.open(handlers.open, kept, [*kept, *conversation, parts.panel], **asking)
    allow_reconnect(parts.past, parts.live, parts.composer)
    parts.sidebar.list(handlers.answer(handlers.list), kept, [parts.sidebar], **{**at_once, "trigger_mode": "multiple"})
    parts.composer.halt(handlers.answer(handlers.halt, _skip_both), kept, conversation, **at_once)
    parts.composer.begin(handlers.begin, kept, [*kept, *conversation, parts.panel], **at_once)
    parts.composer.find(
        handlers.answer(handlers.find), kept, [parts.composer], **{**at_once, "trigger_mode": "multiple"}
    )
    # The page stores the department itself: sent to the server, it could arrive after a question asked immediately.
    parts.composer.choose(None, kept, kept, js=_REMEMBER, api_visibility="private", queue=False)
    parts.bar.choose(None, kept, kept, js=CHOOSE_LANGUAGE, api_visibility="private", queue=False)


def _skip_both() -> tuple[Any, Any]:
    return gr.skip(), gr.skip()


def _shown(view: View) -> tuple[Any, Any]:
    return gr.skip() if view.past is None else str(view.past), str(view.live)


def _memory(kept: Any, view: View) -> Any:
    # Write to the browser's memory only if the conversation changed, so that a department chosen meanwhile is kept.
    if texts_in(kept).get("conversation") == view.conversation_id:
        return gr.skip()
    return {**_plain(kept), "conversation": view.conversation_id}


def _warn(error: Exception, visit: Visit) -> None:
    gr.Warning(told(error, visit.words), title=visit.words("frame.warning"))


def _chosen(sent: Any) -> Chosen:
    texts = texts_in(sent)
    documents = tuple(texts.get("documents", "").split()[:MAX_DOCUMENTS])
    return Chosen(department=texts.get("department", ""), collection=texts.get("collection", ""), documents=documents)


def _plain(value: Any) -> dict[str, Any]:
    """Return a browser's data if it is a mapping, otherwise an empty mapping."""
    return dict(value) if isinstance(value, dict) else {}
