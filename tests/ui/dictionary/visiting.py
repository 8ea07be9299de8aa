"""A visit of the dictionary's desk: the real service over a real store, in this process."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
from bs4 import BeautifulSoup
from fastapi import FastAPI

from contracts.jargon import Context
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from library.migrations import LIBRARY
from library.store import LibraryStore
from serving.me import me_router
from tests.databases import open_new_sqlite
from tests.servers import me_service
from tests.serving.dictionary.desk import build_app, service_of
from tests.ui.hostile import assert_harmless
from tests.ui.visits import services_of, visit_of
from ui.dictionary.page import DictionaryPage
from ui.pages import Action, Shown, Visit


@dataclass
class Visitor:
    """Somebody at the desk: what they see (``soup``) and where they are (``place``)."""

    visit: Visit
    store: JargonStore
    web: FastAPI
    soup: BeautifulSoup
    place: Mapping[str, str]
    notice: str = ""
    focus: str = ""

    async def go(self, **place: str) -> BeautifulSoup:
        """Open an address."""
        return self._see(await DictionaryPage().show(self.visit, place))

    async def do(self, name: str, fields: Mapping[str, str] | None = None, /, **values: object) -> BeautifulSoup:
        """Do what a button or a field does."""
        texts = {key: str(value) for key, value in values.items()}
        action = Action(name=name, values=texts, fields=dict(fields or {}))
        async for shown in DictionaryPage().act(self.visit, self.place, action):
            self._see(shown)
        return self.soup

    async def press(self, selector: str, fields: Mapping[str, str] | None = None) -> BeautifulSoup:
        """Press the only button that ``selector`` names, with what its form holds and ``fields`` typed into it."""
        (button,) = self.soup.select(selector)
        form = button.find_parent(attrs={"data-form": True})
        held = {**(fields_of(form) if form is not None else {}), **(fields or {})}
        values = {key.removeprefix("data-"): value for key, value in button.attrs.items() if key.startswith("data-")}
        return await self.do(str(button["data-action"]), held, **values)

    async def send_sheet(self, content: bytes, **query: str) -> str:
        """Import a sheet over the API, as the page's script does; return what it says."""
        transport = httpx.ASGITransport(self.web)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            answer = await http.post(
                "/api/dictionary/import",
                params=query,
                files={"terms": ("terms.csv", content)},
                headers={"x-golden-request": "1"},
            )
        return answer.text

    def text(self, selector: str) -> str:
        """Return the text of what ``selector`` names, without white space around and within it."""
        return " ".join(" ".join(each.get_text(" ") for each in self.soup.select(selector)).split())

    def _see(self, shown: Shown) -> BeautifulSoup:
        self.soup = assert_harmless(str(shown.html))
        keys = [str(tag["data-key"]) for tag in self.soup.select("[data-key]")]
        assert len(keys) == len(set(keys)), "each key is one element's"
        self.place, self.notice, self.focus = shown.place or {}, shown.notice, shown.focus
        # What the address says leads back here.
        assert len(urlencode(self.place)) < 20_000
        return self.soup


def fields_of(form: Any) -> dict[str, str]:
    """Return what a form holds, as a browser would send it."""
    held = {each["name"]: each.get("value", "") for each in form.select("input[name]")}
    held |= {each["name"]: each.get_text() for each in form.select("textarea[name]")}
    for each in form.select("select[name]"):
        chosen = each.select_one("option[selected]") or each.select_one("option")
        held[each["name"]] = chosen["value"]
    return held


@asynccontextmanager
async def visiting(folder: Path) -> AsyncIterator[Visitor]:
    """Open a desk over an empty dictionary."""
    engine = open_new_sqlite(folder / "golden.db", LIBRARY, DICTIONARY)
    store = JargonStore(engine)

    async def contexts() -> tuple[Context, ...]:
        return tuple(each.context for each in store.context_entries())

    me = me_service(contexts=contexts)
    library = LibraryStore(engine)
    web = build_app(store, library, me_router(me))
    visit = visit_of(services_of(me=me, dictionary=service_of(store, library)))
    try:
        yield Visitor(visit=visit, store=store, web=web, soup=BeautifulSoup(), place={})
    finally:
        engine.dispose()
