"""The chat page: its parts, and which event changes which."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from contracts.errors import NotFound
from contracts.question import Asker
from ui import texts
from ui.asking import AnsweringBot
from ui.chat import ChatDesk, PageImage, View
from ui.html import Safe, element
from ui.render import render_departments
from ui.style import STATIC, build_theme, read_static

AskerOf = Callable[[Any], Asker]
Departments = Sequence[str] | Callable[[], Awaitable[Sequence[str]]]

_STORAGE_KEY = "golden-retriever"
# Not a secret: it goes to every browser. It is fixed so that a browser's memory outlives the server's restart.
_STORAGE_SALT = "golden-retriever"
_CONCURRENT_QUESTIONS = 64
_MAX_TYPED_CHARACTERS = 100_000
_REMEMBER_DEPARTMENT = """(kept) => {
  const chosen = document.querySelector('[data-action="department"]');
  return { ...kept, department: chosen ? chosen.value : "" };
}"""


def build_ui(
    chatbot: AnsweringBot,
    *,
    departments: Departments = (),
    department: str = "",
    examples: Sequence[str] = (),
    page_image: PageImage | None = None,
    contact: str = "the knowledge base manager",
    asker_of: AskerOf | None = None,
) -> gr.Blocks:
    """Build the chat page over ``chatbot``; ``mount_ui`` puts it on a web application.

    ``departments`` are the contexts' names, or an async function that returns them, asked at each load of the page.
    ``department`` is chosen to begin with. ``examples`` are questions to begin with. ``page_image`` returns the
    picture of a page (blocking; called in a thread). ``contact`` is whom people are sent to.
    ``asker_of`` says of a request who makes it: whose conversations are theirs, what they may read.
    """
    desk = ChatDesk(chatbot, examples=examples, contact=contact, page_image=page_image)
    with gr.Blocks(title=texts.TITLE, analytics_enabled=False, fill_width=True) as page:
        browser = gr.BrowserState({}, storage_key=_STORAGE_KEY, secret=_STORAGE_SALT)
        with gr.Row(elem_id="top"):
            gr.HTML(_brand(), elem_id="brand", js_on_load=None)
            chosen = _part("department")
            new = gr.Button(texts.NEW_CONVERSATION, elem_id="new", size="sm")
        with gr.Row(elem_id="desk"):
            with gr.Column(elem_id="talk"):
                past, live = _part("past"), _part("live")
                with gr.Row(elem_id="composer"):
                    question = gr.Textbox(
                        label=texts.QUESTION_LABEL,
                        show_label=False,
                        container=False,
                        placeholder=texts.QUESTION_PLACEHOLDER,
                        lines=1,
                        max_lines=8,
                        autofocus=True,
                        elem_id="question",
                    )
                    send = gr.Button(texts.SEND, elem_id="send", variant="primary")
                    stop = gr.Button(texts.STOP, elem_id="stop", visible=False)
            panel = _part("panel")
        parts = _Parts(browser, chosen, past, live, panel, question, send, stop, new)
        _connect(page, parts, _Handlers(desk, departments, department, asker_of))
    return page  # type: ignore[no-any-return]  # Gradio's types are not read


def mount_ui(web: Any, page: gr.Blocks, path: str = "/", *, prefix: str = "") -> Any:
    """Mount the page on a FastAPI application with its looks; return the application.

    ``prefix`` is the path under which browsers find the application, where a proxy puts it below one.
    """
    return gr.mount_gradio_app(
        web,
        page,
        path=path,
        root_path=prefix or None,
        theme=build_theme(),
        css=read_static("chat.css"),
        favicon_path=str(STATIC / "favicon.svg"),
        footer_links=[],
        ssr_mode=False,
        show_error=True,
    )


class _Parts:
    """The page's components by name."""

    def __init__(self, browser: Any, department: Any, past: Any, live: Any, panel: Any, question: Any, send: Any,
                 stop: Any, new: Any) -> None:  # fmt: skip
        self.browser, self.department, self.past, self.live, self.panel = browser, department, past, live, panel
        self.question, self.send, self.stop, self.new = question, send, stop, new

    @property
    def view(self) -> list[Any]:
        """What a ``View`` changes, in the order of ``_as_updates``."""
        return [self.browser, self.past, self.live, self.send, self.stop]


def _brand() -> Safe:
    words = element("div", element("h1", texts.TITLE), element("p", texts.TAGLINE))
    return element("div", element("span", class_="dot", aria_hidden="true"), words, class_="brand")


def _part(name: str) -> gr.HTML:
    """Make a part of the page whose value, HTML from the server, the page's own script merges in."""
    return gr.HTML(
        "",
        elem_id=name,
        html_template=str(element("div", data_root=name, aria_live="polite" if name == "live" else None)),
        js_on_load=read_static("chat.js"),
        apply_default_css=False,
    )


def _as_updates(view: View, kept: Any) -> tuple[Any, ...]:
    # The browser's memory is written only where the conversation is another: a department chosen meanwhile must stay.
    known = _kept(kept, "conversation") == view.conversation_id
    memory = gr.skip() if known else {**_plain(kept), "conversation": view.conversation_id}
    past = gr.skip() if view.past is None else str(view.past)
    return memory, past, str(view.live), gr.update(visible=not view.busy), gr.update(visible=view.busy)


@dataclass(frozen=True)
class _Handlers:
    """What the page's events do: browser values in, the parts' new contents out. Gradio calls each by its signature."""

    desk: ChatDesk
    departments: Departments
    default: str
    asker_of: AskerOf | None = None

    async def load(self, kept: Any, request: gr.Request) -> AsyncIterator[tuple[Any, ...]]:
        """Show the conversation that the browser remembers, and the departments."""
        names = list(await self.departments() if callable(self.departments) else self.departments)
        wanted = _kept(kept, "department", self.default)
        chosen = wanted if wanted in names else ""
        memory = {**_plain(kept), "department": chosen}
        shown: Any = str(render_departments(names, chosen) or "")
        async for view in self.desk.show(_kept(kept, "conversation"), asker=self._asker(request)):
            changes = _as_updates(view, {})
            memory["conversation"] = view.conversation_id
            yield (memory, *changes[1:], shown)
            shown = gr.skip()

    def _asker(self, request: gr.Request) -> Asker:
        return self.asker_of(request.request) if self.asker_of is not None else Asker()

    async def ask(self, text: str, kept: Any, request: gr.Request) -> AsyncIterator[tuple[Any, ...]]:
        """Ask what was typed."""
        typed, cleared = str(text or "")[:_MAX_TYPED_CHARACTERS], ""
        place = _kept(kept, "conversation"), _kept(kept, "department")
        async for view in self.desk.ask(*place, typed, asker=self._asker(request)):
            yield (*_as_updates(view, kept), cleared)
            cleared = gr.skip()

    async def act(self, kept: Any, event: gr.EventData, request: gr.Request) -> AsyncIterator[tuple[Any, ...]]:
        """Do what a button in the conversation says."""
        place = _kept(kept, "conversation"), _kept(kept, "department")
        try:
            async for view in self.desk.act(*place, _plain(event._data), asker=self._asker(request)):
                yield _as_updates(view, kept)
        except NotFound as error:
            gr.Warning(str(error))

    async def cite(self, kept: Any, event: gr.EventData, request: gr.Request) -> Any:
        """Open a citation beside the conversation."""
        asker = self._asker(request)
        try:
            return str(await self.desk.cite(_kept(kept, "conversation"), _plain(event._data), asker=asker))
        except NotFound as error:
            gr.Warning(str(error))
            return gr.skip()

    async def halt(self, kept: Any, request: gr.Request) -> tuple[Any, ...]:
        """Stop the answer that is being written."""
        return _as_updates(await self.desk.stop(_kept(kept, "conversation"), asker=self._asker(request)), kept)

    async def begin(self, kept: Any, request: gr.Request) -> tuple[Any, ...]:
        """Begin a new conversation."""
        view = await self.desk.begin(_kept(kept, "conversation"), asker=self._asker(request))
        return (*_as_updates(view, kept), "", "")


def _connect(page: gr.Blocks, parts: _Parts, handlers: _Handlers) -> None:
    options: dict[str, Any] = {
        "api_visibility": "private",
        "show_progress": "hidden",
        "concurrency_limit": _CONCURRENT_QUESTIONS,
    }
    # Gradio's default, "once", drops an Enter that comes before the page has heard the end of the last answer.
    asking = {**options, "trigger_mode": "multiple"}
    browser = [parts.browser]
    # What is answered at once goes past the queue: its stream of events is opened and closed with each use.
    at_once = {**options, "queue": False}
    page.load(handlers.load, browser, [*parts.view, parts.department], **options)
    gr.on([parts.question.submit, parts.send.click], handlers.ask, [parts.question, *browser],
          [*parts.view, parts.question], **asking)  # fmt: skip
    for part in (parts.past, parts.live):
        part.ask(handlers.act, browser, parts.view, **asking)
    for part in (parts.past, parts.live, parts.panel):
        part.cite(handlers.cite, browser, [parts.panel], **at_once)
    parts.stop.click(handlers.halt, browser, parts.view, **at_once)
    parts.new.click(handlers.begin, browser, [*parts.view, parts.panel, parts.question], **at_once)
    # Remembered by the page itself: a question asked at once must not overtake the department on a way to the server.
    parts.department.choose(None, browser, browser, js=_REMEMBER_DEPARTMENT, **at_once)


def _plain(value: Any) -> dict[str, Any]:
    """Return what a browser sent if it is a mapping, else an empty one."""
    return dict(value) if isinstance(value, dict) else {}


def _kept(kept: Any, name: str, default: str = "") -> str:
    """Read a text from what a browser sent, which may be anything."""
    value = _plain(kept).get(name)
    return value if isinstance(value, str) else default
