"""The page beside the conversation in a real browser, where the server answers later than a person acts."""

import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager

import pytest
from fastapi import FastAPI
from playwright.sync_api import BrowserContext, Page, Route, expect

from tests.ui.scripted_bot import ScriptedBot
from tests.ui.scripted_services import Records, build_pages

# Minutes in a real browser: make test MARKS=slow, and CI.
pytestmark = [pytest.mark.browser, pytest.mark.slow]

# Two frames: what came is drawn.
DRAWN = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"


@pytest.fixture(scope="module")
def address(serve_application: Callable[..., AbstractContextManager[str]]) -> Iterator[str]:
    bot = ScriptedBot(pause_s=0.02)

    @asynccontextmanager
    async def open_web() -> AsyncIterator[FastAPI]:
        yield build_pages(bot, Records(bot))

    with serve_application(open_web) as served:
        yield served


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    """Open a conversation with one answer."""
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.goto("/")
    expect(opened.locator(".welcome h1")).to_be_visible()
    ask(opened, "What does DLL need to lock?")
    expect(opened.locator("#live .certainty")).to_be_visible()
    expect(opened).to_have_url(re.compile("[?]c="))
    yield opened
    assert not problems


def ask(page: Page, question: str) -> None:
    box = page.get_by_label("Your question")
    box.fill(question)
    box.press("Enter")


def expect_closed(page: Page) -> None:
    page.evaluate(DRAWN)
    expect(page.locator("#panel [data-root] > *")).to_have_count(0)
    expect(page).not_to_have_url(re.compile("cite="))


def test_a_page_that_comes_after_it_was_given_up_stays_away_and_the_next_one_is_shown(page: Page) -> None:
    held: list[Route] = []
    page.route("**/run/predict*", lambda route: held.append(route))
    page.locator(".answer .cite").first.click()
    expect(page.locator("#panel .loading")).to_be_visible()
    page.keyboard.press("Escape")
    expect_closed(page)
    assert len(held) == 1
    with page.expect_event("requestfinished", lambda request: "/run/predict" in request.url):
        held[0].continue_()
    page.unroute("**/run/predict*")
    expect_closed(page)
    page.locator(".answer .cite").last.click()
    expect(page.locator("#panel h2")).to_contain_text("Timing parameters")
    expect(page).to_have_url(re.compile("turn=1&cite=2"))
