"""The frame of every page: the bar at the top, the content below it, and the connection of browser events to it."""

import itertools
import logging
import secrets
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import gradio as gr
from markupsafe import Markup

from contracts.errors import ConfigurationError, GoldenError
from serving.identity.guards import Guard
from serving.me import Me
from serving.rate_limits import RequestLimits
from ui.html import escape, render
from ui.pages import Page, Place, Services, Shown, Visit, action_in, texts_in
from ui.style import read_script, scripts_of
from ui.words import LANGUAGES, Words, language_for, words_in

# Made unique, because a page only notices values that differ from the previous one.
_REVISIONS = itertools.count(1)
_LOG = logging.getLogger(__name__)
_WAITING = '<div class="page-content" aria-busy="true"><div class="skeleton" aria-hidden="true"></div></div>'
_CARD = Markup('<p class="{}">{}</p>')
STORAGE_KEY = "golden-retriever"
# Not a secret: it goes to every browser. It is fixed so that a browser's memory survives a restart of the server.
STORAGE_SALT = "golden-retriever"
CONCURRENT = 64
EVENTS: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden", "concurrency_limit": CONCURRENT}
# The data that a page sends when it is opened: its address and the browser's memory.
OPENING = "(kept) => ({ ...(kept || {}), place: Object.fromEntries(new URLSearchParams(location.search)) })"


@dataclass(frozen=True)
class Frame:
    """Builds the parts that all pages share; ``guard`` and ``limits`` are the API's, ``prefix`` is a proxy's path.

    ``entries`` are the pages in the bar, each with the scope that it needs.
    """

    services: Services
    guard: Guard
    limits: RequestLimits | None = None
    prefix: str = ""
    entries: Sequence[tuple[str, str]] = ()

    def visit(self, request: gr.Request, kept: Any) -> Visit:
        asked = request.request
        assert asked is not None  # an event without a request does not come from a browser
        chosen = kept.get("language") if isinstance(kept, dict) else ""
        words = words_in(language_for(str(chosen or ""), asked.headers.get("accept-language", "")))
        return Visit(self.services, words, asked, self.guard, limits=self.limits, prefix=self.prefix)

    def bar(self, visit: Visit, me: Me, current: str) -> Markup:
        """Render the bar at the top for ``me`` on the page ``current``."""
        entries = [name for name, scope in self.entries if scope in me.scopes]
        return visit.render("bar.html", entries=entries, me=me, current=current, languages=LANGUAGES)

    def add(self, blocks: gr.Blocks, page: Page) -> None:
        """Add ``page`` to ``blocks``: the bar, the page's own part, and their connection to the browser."""
        handlers = _Handlers(self, page)
        kept = gr.BrowserState({}, storage_key=STORAGE_KEY, secret=STORAGE_SALT)
        bar = part("top", "bar.js", initial=render("brand.html", words=words_in("")))
        main = part("main", "page.js", *scripts_of(page.name), initial=_WAITING)
        blocks.load(handlers.open, [kept], [bar, main], js=OPENING, **EVENTS)
        main.act(handlers.act, [kept], [main], **{**EVENTS, "trigger_mode": "multiple"})
        allow_reconnect(main)
        bar.choose(None, [kept], [kept], js=CHOOSE_LANGUAGE, api_visibility="private", queue=False)


# The page stores the language itself, and reloads.
CHOOSE_LANGUAGE = """(kept) => {
  const chosen = document.querySelector('[data-choice="language"]');
  setTimeout(() => location.reload(), 60);
  return { ...(kept || {}), language: chosen ? chosen.value : "" };
}"""


def part(name: str, *scripts: str, initial: str = "") -> Any:
    """Make a part of a page whose value, HTML from the server, is merged in by the page's script."""
    return gr.HTML(
        str(initial),
        elem_id=name,
        html_template=f'<div data-root="{name}"></div>',
        js_on_load=read_script("merge.js", *scripts),
        apply_default_css=False,
    )


def allow_reconnect(*parts: Any) -> None:
    """Allow the page's script to reopen the queue's event stream, with an event that changes nothing."""
    for each in parts:
        each.reconnect(_reconnect, None, None, **{**EVENTS, "trigger_mode": "multiple"})


async def _reconnect() -> None:
    """Change nothing."""


@dataclass(frozen=True)
class _Handlers:
    """Handlers of a page's events. Gradio calls each by its signature."""

    frame: Frame
    page: Page

    async def open(self, kept: Any, request: gr.Request) -> AsyncIterator[tuple[Any, Any]]:
        """Show the bar, then the place that the address names."""
        visit = self.frame.visit(request, kept)
        try:
            me = await visit.me()
            yield str(self.frame.bar(visit, me, self.page.name)), gr.skip()
            if self.page.scope not in me.scopes:
                refused = visit.words("frame.no_permission", scope=self.page.scope)
                yield gr.skip(), _whole(Shown(html=_CARD.format("card", refused)))
                return
            shown = await self.page.show(visit, texts_in(kept.get("place") if isinstance(kept, dict) else None))
        except Exception as error:
            yield gr.skip(), _whole(Shown(html=_CARD.format("card problem", escape(told(error, visit.words)))))
            return
        yield gr.skip(), _whole(shown)

    async def act(self, kept: Any, event: gr.EventData, request: gr.Request) -> AsyncIterator[Any]:
        visit, sent = self.frame.visit(request, kept), event._data
        place: Place = texts_in(sent.get("place") if isinstance(sent, dict) else None)
        action, number = action_in(sent), _request_number(sent)
        try:
            if action.name == "open":
                yield _whole(await self.page.show(visit, place), number)
                return
            async for shown in self.page.act(visit, place, action):
                yield _whole(shown, number)
        except Exception as error:
            # The page keeps its content, including the user's input.
            problem = told(error, visit.words)
            yield str(render("problem.html", problem=problem, request_number=number, revision=next(_REVISIONS)))


def told(error: Exception, words: Words) -> str:
    """Return the message for an error; a bug is logged with a reference."""
    if isinstance(error, GoldenError) and not isinstance(error, ConfigurationError):
        return words.message(str(error))
    reference = secrets.token_hex(4)
    _LOG.exception("a page request failed: %s", reference, exc_info=error)
    return words("frame.internal_error", reference=reference)


def _request_number(sent: Any) -> int | None:
    """Return the number of a live request sent while typing, None for any other action."""
    number = sent.get("requestNumber") if isinstance(sent, dict) else None
    return number if isinstance(number, int) else None


def _whole(shown: Shown, number: int | None = None) -> str:
    place = None if shown.place is None else urlencode({name: value for name, value in shown.place.items() if value})
    return str(render("page.html", shown=shown, place=place, request_number=number, revision=next(_REVISIONS)))
