"""The frame of every page: the bar at the top, the part below it, and how a browser's events reach a page."""

import itertools
import json
import logging
import secrets
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from contracts.errors import ConfigurationError, GoldenError
from jargon_db.sheets import RefusedSheet
from serving.access import Guard
from serving.me import Me
from serving.rate_limits import RequestLimits
from ui.html import Safe, element, escape, link
from ui.pages import Page, Place, Shown, Visit, action_in, texts_in
from ui.services import Services
from ui.style import read_script, scripts_of
from ui.words import LANGUAGES, Words, language_for, words_in

# Told apart from one to the next: a page hears only what is another than before.
_SAID = itertools.count(1)
_LOG = logging.getLogger(__name__)
STORAGE_KEY = "golden-retriever"
# Not a secret: it goes to every browser. It is fixed so that a browser's memory outlives the server's restart.
STORAGE_SALT = "golden-retriever"
CONCURRENT = 64
EVENTS: dict[str, Any] = {"api_visibility": "private", "show_progress": "hidden", "concurrency_limit": CONCURRENT}
# What a page says of itself when it is opened: its address, beside what the browser remembers.
OPENING = "(kept) => ({ ...(kept || {}), place: Object.fromEntries(new URLSearchParams(location.search)) })"


@dataclass(frozen=True, slots=True, kw_only=True)
class NavEntry:
    """A page in the bar: its ``name`` in ``nav.`` of the words, its path, the scope that it needs."""

    name: str
    path: str
    scope: str


class Frame:
    """Makes what all pages share. ``guard`` and ``limits`` are the API's, ``prefix`` the path that a proxy adds."""

    def __init__(
        self,
        services: Services,
        guard: Guard,
        *,
        limits: RequestLimits | None = None,
        prefix: str = "",
        entries: Sequence[NavEntry] = (),
    ) -> None:
        self._services = services
        self._guard = guard
        self._limits = limits
        self._prefix = prefix
        self._entries = tuple(entries)

    def visit(self, request: gr.Request, kept: Any) -> Visit:
        """Return the visit that a browser's event is."""
        asked = request.request
        assert asked is not None  # an event without a request is none of a browser
        return Visit(
            self._services,
            self.words(asked.headers.get("accept-language", ""), kept),
            request=asked,
            guard=self._guard,
            limits=self._limits,
            prefix=self._prefix,
        )

    def words(self, accepted: str, kept: Any) -> Words:
        """Return the words of the language that a browser chose, or else accepts."""
        chosen = kept.get("language") if isinstance(kept, dict) else ""
        return words_in(language_for(str(chosen or ""), accepted))

    def bar(self, visit: Visit, me: Me, current: str, *, lead: Safe | None = None) -> Safe:
        """Render the bar at the top for ``me`` on the page ``current``; ``lead`` stands first."""
        words = visit.words
        links = [
            link(words(f"nav.{each.name}"), visit.path(each.path), class_="page-link",
                 aria_current="page" if each.name == current else None)
            for each in self._entries
            if each.scope in me.scopes
        ]  # fmt: skip
        nav = element("nav", *links, class_="pages", aria_label=words("frame.pages")) if len(links) > 1 else None
        skip = link(words("frame.skip"), "#content", class_="skip")
        tools = element("div", _languages(words), _person(visit, me), class_="tools")
        return element("div", skip, lead, brand(words), nav, tools, class_="bar", data_lang=words.language)

    def add(self, blocks: gr.Blocks, page: Page) -> None:
        """Put ``page`` on ``blocks``: the bar, the page's own part, and what joins them to the browser."""
        handlers = _Handlers(self, page)
        kept = gr.BrowserState({}, storage_key=STORAGE_KEY, secret=STORAGE_SALT)
        bar = part("top", "bar.js", initial=brand(words_in("")))
        main = part("main", "desk.js", *scripts_of(page.name), initial=_waiting())
        blocks.load(handlers.open, [kept], [bar, main], js=OPENING, **EVENTS)
        main.act(handlers.act, [kept], [main], **{**EVENTS, "trigger_mode": "multiple"})
        let_wake(main)
        bar.choose(None, [kept], [kept], js=CHOOSE_LANGUAGE, api_visibility="private", queue=False)


# Remembered by the page itself, and opened again in the other language.
CHOOSE_LANGUAGE = """(kept) => {
  const chosen = document.querySelector('[data-choice="language"]');
  setTimeout(() => location.reload(), 60);
  return { ...(kept || {}), language: chosen ? chosen.value : "" };
}"""


def part(name: str, *scripts: str, initial: Safe | str = "", live: bool = False) -> Any:
    """Make a part of a page whose value, HTML from the server, the page's own script merges in."""
    return gr.HTML(
        str(initial),
        elem_id=name,
        html_template=str(element("div", data_root=name, aria_live="polite" if live else None)),
        js_on_load=read_script("merge.js", *scripts),
        apply_default_css=False,
    )


def let_wake(*parts: Any) -> None:
    """Let the page's script open the queue's stream of events again, by an event that changes nothing."""
    for each in parts:
        each.wake(_wake, None, None, **{**EVENTS, "trigger_mode": "multiple"})


async def _wake() -> None:
    """Change nothing."""


def brand(words: Words) -> Safe:
    """Render the product's name."""
    text = element("div", element("p", words("frame.title"), class_="name"),
                   element("p", words("frame.tagline"), class_="tagline"))  # fmt: skip
    return element("div", element("span", class_="dot", aria_hidden="true"), text, class_="brand")


@dataclass(frozen=True)
class _Handlers:
    """What a page's events do. Gradio calls each by its signature."""

    frame: Frame
    page: Page

    async def open(self, kept: Any, request: gr.Request) -> AsyncIterator[tuple[Any, Any]]:
        """Show the bar, then the place that the address names."""
        visit = self.frame.visit(request, kept)
        try:
            me = await visit.me()
            yield str(self.frame.bar(visit, me, self.page.name)), gr.skip()
            if self.page.scope not in me.scopes:
                refused = visit.words("frame.not_yours", scope=self.page.scope)
                yield gr.skip(), str(_whole(Shown(html=element("p", refused, class_="card"))))
                return
            shown = await self.page.show(visit, texts_in(kept.get("place") if isinstance(kept, dict) else None))
        except Exception as error:
            yield gr.skip(), str(_whole(Shown(html=element("p", told(error, visit.words), class_="card problem"))))
            return
        yield gr.skip(), str(_whole(shown))

    async def act(self, kept: Any, event: gr.EventData, request: gr.Request) -> AsyncIterator[Any]:
        """Do what a person did on the page."""
        visit, sent = self.frame.visit(request, kept), event._data
        place: Place = texts_in(sent.get("place") if isinstance(sent, dict) else None)
        action, turn = action_in(sent), _turn_in(sent)
        try:
            if action.name == "open":
                yield str(_whole(await self.page.show(visit, place), turn))
                return
            async for shown in self.page.act(visit, place, action):
                yield str(_whole(shown, turn))
        except Exception as error:
            # The page stays as it is, with what was typed.
            yield str(
                element("div", data_notice=told(error, visit.words), data_problem=True, data_stay=True, data_turn=turn,
                        data_said=next(_SAID))
            )  # fmt: skip


def told(error: Exception, words: Words) -> str:
    """Return what a person is told of an error; one of our own making is logged under a reference."""
    if isinstance(error, RefusedSheet):
        return " ".join((str(error), *(f"{each.line}: {each.text}" for each in error.lines)))
    if isinstance(error, GoldenError) and not isinstance(error, ConfigurationError):
        return str(error)
    reference = secrets.token_hex(4)
    _LOG.exception("a page broke: %s", reference, exc_info=error)
    return words("frame.broken", reference=reference)


def _turn_in(sent: Any) -> int | None:
    """Return which of the page's questions as one types this is, None for any other action."""
    turn = sent.get("turn") if isinstance(sent, dict) else None
    return turn if isinstance(turn, int) else None


def _whole(shown: Shown, turn: int | None = None) -> Safe:
    place = None if shown.place is None else urlencode({name: value for name, value in shown.place.items() if value})
    return element("div", shown.html, class_="desk", data_place=place, data_notice=shown.notice or None,
                   data_focus=shown.focus or None, data_title=shown.title or None,
                   data_turn=turn, data_said=next(_SAID))  # fmt: skip


def _waiting() -> Safe:
    return element("div", element("div", class_="skeleton", aria_hidden="true"), class_="desk", aria_busy="true")


def _languages(words: Words) -> Safe:
    options = [
        element("option", name, value=code, lang=code, selected=code == words.language)
        for code, name in LANGUAGES.items()
    ]
    return element("select", *options, aria_label=words("frame.language"), data_choice="language", class_="language")


def _person(visit: Visit, me: Me) -> Safe | None:
    if not me.can_log_out:
        return element("span", me.name, class_="person") if me.name and me.asks_everyone else None
    words = visit.words
    button = element("button", words("frame.log_out"), type="button", class_="log-out",
                     data_post=visit.path("/logout"))  # fmt: skip
    return element("span", element("span", me.name, class_="person", title=words("frame.you", name=me.name)), button)


def as_json(value: object) -> Safe:
    """Return ``value`` as an attribute's text for the page's script."""
    return escape(json.dumps(value, ensure_ascii=False))
