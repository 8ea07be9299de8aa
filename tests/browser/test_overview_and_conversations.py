"""The overview and the list of conversations in a real browser over the whole server."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import expect_accessible
from tests.browser.servers import serve_bot

pytestmark = [pytest.mark.browser, pytest.mark.slow]

CHAIN = "After how many hours is a worn conveyor chain replaced?"
FAN = "Who checks the exhaust fan?"
RENAMED = "Chains & <b>fans</b>"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("documents")
    text = "# Kiln\n\nA worn conveyor chain is replaced after 900 hours of use.\n\nOperators check the exhaust fan.\n"
    (folder / "kiln.md").write_text(text, encoding="utf-8")
    with serve_bot(tmp_path_factory.mktemp("data"), folder) as served:
        yield served


@pytest.fixture
def typed() -> str:
    return RENAMED


def ask(page: Page, question: str) -> None:
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    expect(page.locator("#live .words")).to_have_text(question)
    expect(page.locator("#live .state[data-busy=false]")).to_be_attached(timeout=60_000)


def test_conversations_are_found_renamed_exported_and_deleted_and_the_overview_counts_them(page: Page) -> None:
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
