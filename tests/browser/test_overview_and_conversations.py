"""The overview and the list of conversations in a real browser over the whole server."""

import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path

import pytest
from fastapi import FastAPI
from playwright.sync_api import BrowserContext, Page, expect

from golden_retriever.settings import load_settings
from golden_retriever.web import build_web_application
from golden_retriever.wiring import open_application
from tests.browser.axe import expect_accessible

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CHAIN = "After how many hours is a worn conveyor chain replaced?"
FAN = "Who checks the exhaust fan?"
RENAMED = "Chains & <b>fans</b>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pages")
    (folder / "documents").mkdir()
    text = "# Kiln\n\nA worn conveyor chain is replaced after 900 hours of use.\n\nOperators check the exhaust fan.\n"
    (folder / "documents" / "kiln.md").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def address(folder: Path, serve_application: Callable[..., AbstractContextManager[str]]) -> Iterator[str]:
    with serve_application(lambda: open_web(folder), patience_s=120) as served:
        yield served


@asynccontextmanager
async def open_web(folder: Path) -> AsyncIterator[FastAPI]:
    settings = load_settings(data_dir=folder / "data", dense_index="exact", workers=1)
    async with open_application(settings) as application:
        await application.pipeline.ingest([folder / "documents"])
        await application.vector_index.synchronise()
        yield await build_web_application(application)


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("dialog", lambda dialog: dialog.accept(RENAMED if dialog.type == "prompt" else None))
    yield opened
    assert not problems


def ask(page: Page, question: str) -> None:
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    expect(page.locator("#live .words")).to_have_text(question)
    expect(page.locator("#live .state[data-busy=false]")).to_be_attached(timeout=60_000)


def test_conversations_are_found_renamed_exported_and_deleted_and_the_overview_counts_them(
    page: Page,
) -> None:
    page.goto("/")
    titles = page.locator(".conversations .open")
    ask(page, CHAIN)
    expect(titles).to_have_text([CHAIN])
    page.locator(".conversations [data-action=new]").click()
    expect(page.locator(".welcome")).to_be_visible()
    expect(page.get_by_label("Your question")).to_be_focused()
    ask(page, FAN)
    expect(titles).to_have_text([FAN, CHAIN])
    expect(page.locator("li.current .open")).to_have_text(FAN)
    page.get_by_label("Search your conversations").fill("900 hours")
    expect(titles).to_have_text([CHAIN])
    titles.first.click()
    expect(page.locator("#live .words")).to_have_text(CHAIN)

    # By the keyboard alone.
    page.get_by_label("More about").focus()
    page.keyboard.press("Enter")
    expect_accessible(page, "#sidebar")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="called")).to_contain_text(RENAMED)
    expect(titles.first).to_be_focused()
    page.get_by_label("More about").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Markdown", exact=True).click()
    assert "900 hours" in Path(download.value.path()).read_text(encoding="utf-8")

    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator(".welcome")).to_be_visible()
    page.get_by_label("Search your conversations").fill("")
    expect(titles).to_have_text([FAN])

    page.goto("/overview")
    expect(page.locator(".figures div").first).to_contain_text("1")
    page.get_by_role("button", name="Last 7 days").click()
    expect(page).to_have_url(re.compile(r"\?days=7$"))
    page.go_back()
    expect(page.locator("button[aria-pressed=true]")).to_have_text("Last 30 days")
    page.locator("table a").first.click()
    expect(page).to_have_url(re.compile(r"/review\?first_day="))
