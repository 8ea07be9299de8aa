"""Servers, keys and pages for the widget's tests."""

import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from library.keys import KeyStore
from library.migrations import LIBRARY
from library.store import LibraryStore
from serving.identity.credentials import KeyRecogniser
from serving.identity.guards import Guard
from serving.rate_limits import RequestLimits
from tests.browser.servers import serve
from tests.browser.widget.site import PASSAGES, REQUESTS_A_MINUTE, Opened, WatchedBot, bot_server, open_pages
from tests.databases import open_new_sqlite
from tests.library.samples import chunk_of, document_of, unit_vectors


@pytest.fixture(scope="module")
def bot() -> WatchedBot:
    return WatchedBot()


@pytest.fixture(scope="module")
def opinions() -> list[dict[str, Any]]:
    return []


@pytest.fixture(scope="module")
def pages() -> Iterator[str]:
    with serve(open_pages) as address:
        yield address


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> LibraryStore:
    store = LibraryStore(open_new_sqlite(tmp_path_factory.mktemp("library") / "golden.db", LIBRARY))
    document = document_of("a.txt")
    passages = [chunk_of(document, "passage", number, "text") for number in range(PASSAGES)]
    store.replace_document(document, passages, unit_vectors(PASSAGES), embedder="test-model")
    return store


@pytest.fixture(scope="module")
def address(bot: WatchedBot, opinions: list[dict[str, Any]], pages: str, library: LibraryStore) -> Iterator[str]:
    with serve(bot_server(bot, opinions, library=library, origins=[pages], prefix="/kept")) as served:
        yield served


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> KeyStore:
    return KeyStore(open_new_sqlite(tmp_path_factory.mktemp("keys") / "golden.db", LIBRARY))


@pytest.fixture(scope="module")
def clock() -> Iterator[list[float]]:
    """Stop the time of day, for the limits; yield by how many seconds it goes on."""
    ahead, now_s = [0.0], time.time()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(time, "time", lambda: now_s + ahead[0])
        yield ahead


@pytest.fixture(scope="module")
def keyed(keys: KeyStore, pages: str, clock: list[float]) -> Iterator[str]:
    guard = Guard([KeyRecogniser(keys)])
    limits = RequestLimits(a_minute=REQUESTS_A_MINUTE, at_once=0)
    with serve(bot_server(WatchedBot(), [], origins=[pages], guard=guard, limits=limits)) as served:
        yield served


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    # Nothing moves, so that a place is measured at its end.
    opened = browser.new_context(viewport={"width": 1100, "height": 760}, reduced_motion="reduce")
    yield opened
    opened.close()


@pytest.fixture
def visit(context: BrowserContext, pages: str, address: str, bot: WatchedBot) -> Iterator[Opened]:
    """Return what opens a page with the widget; a page that breaks anything fails the test."""
    problems: list[str] = []
    bot.asked.clear()
    bot.heard.clear()
    bot.holds.clear()

    def open_page(*, source: str = f"{address}/widget.js", at: str = pages, **attributes: str) -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"{at}/?{urlencode({'src': source, 'title': 'Ask the docs', **attributes})}")
        return page

    yield open_page
    assert not problems
