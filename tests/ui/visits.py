"""Visits of pages in tests: services, the request of a browser on this machine, and somebody who looks and clicks."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast
from urllib.parse import urlencode

from bs4 import BeautifulSoup
from starlette.requests import Request

from serving.access import Actor
from serving.identity.guards import Guard
from serving.rate_limits import RequestLimits
from tests.ui.hostile import assert_harmless
from ui.pages import Action, Page, Services, Shown, Visit
from ui.words import words_in


def services_of(**named: Any) -> Services:
    """Return services of which only those ``named`` are there."""
    return cast(Services, SimpleNamespace(**named))


def visit_of(
    services: Services,
    actor: Actor | None = None,
    *,
    language: str = "en",
    prefix: str = "",
    guard: Guard | None = None,
    limits: RequestLimits | None = None,
    **headers: str,
) -> Visit:
    """Return a visit of ``actor``, None for whom ``guard`` recognises by the request's ``headers``."""
    sent = {"host": "127.0.0.1:7860", "content-type": "application/json", **headers}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "query_string": b"",
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in sent.items()],
        "state": {} if actor is None else {"actor": actor},
    }
    guard = guard or Guard()
    return Visit(services, words_in(language), request=Request(scope), guard=guard, limits=limits, prefix=prefix)


@dataclass(kw_only=True)
class Visitor:
    """Somebody at a page: what they see (``soup``), where they are (``place``), how much an act showed (``seen``)."""

    page: Page
    visit: Visit
    soup: BeautifulSoup = field(default_factory=BeautifulSoup)
    place: Mapping[str, str] = field(default_factory=dict)
    title: str = ""
    notice: str = ""
    focus: str = ""
    seen: int = 0

    async def go(self, **place: str) -> BeautifulSoup:
        """Open an address."""
        return self._see(await self.page.show(self.visit, place))

    async def do(self, name: str, fields: Mapping[str, str] | None = None, /, **values: object) -> BeautifulSoup:
        """Do what a button or a field does."""
        self.seen = 0
        texts = {key: str(value) for key, value in values.items()}
        action = Action(name=name, values=texts, fields=dict(fields or {}))
        async for shown in self.page.act(self.visit, self.place, action):
            self._see(shown)
        return self.soup

    async def press(self, selector: str, fields: Mapping[str, str] | None = None) -> BeautifulSoup:
        """Press the only button that ``selector`` names, with what its form holds and ``fields`` typed into it."""
        (button,) = self.soup.select(selector)
        form = button.find_parent(attrs={"data-form": True})
        held = {**(_fields_of(form) if form is not None else {}), **(fields or {})}
        values = {key.removeprefix("data-"): value for key, value in button.attrs.items() if key.startswith("data-")}
        return await self.do(str(button["data-action"]), held, **values)

    def text(self, selector: str) -> str:
        """Return the text of what ``selector`` names, without white space around and within it."""
        return " ".join(" ".join(each.get_text(" ") for each in self.soup.select(selector)).split())

    def _see(self, shown: Shown) -> BeautifulSoup:
        self.soup = assert_harmless(str(shown.html))
        keys = [str(tag["data-key"]) for tag in self.soup.select("[data-key]")]
        assert len(keys) == len(set(keys)), "each key is one element's"
        self.place, self.title = shown.place or {}, shown.title
        self.notice, self.focus = shown.notice, shown.focus
        self.seen += 1
        # What the address says leads back here.
        assert len(urlencode(self.place)) < 20_000
        return self.soup


def _fields_of(form: Any) -> dict[str, str]:
    """Return what a form holds, as a browser would send it."""
    held = {each["name"]: each.get("value", "") for each in form.select("input[name]")}
    held |= {each["name"]: each.get_text() for each in form.select("textarea[name]")}
    for each in form.select("select[name]"):
        chosen = each.select_one("option[selected]") or each.select_one("option")
        held[each["name"]] = chosen["value"]
    return held
