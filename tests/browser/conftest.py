"""A real chromium."""

import shutil
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Dialog, Page, expect, sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Open the browser for one module: its event loop must be gone before other modules run async tests."""
    if CHROMIUM is None:
        pytest.skip("no chromium on PATH: install Debian's package chromium to run the browser tests")
    # What a page must come to show is waited for; how soon says the load of the machine, and no test asserts that.
    expect.set_options(timeout=30_000)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def context(browser: Browser, address: str) -> Iterator[BrowserContext]:
    """Open a browser of its own on the module's ``address``; afterwards, check that no other host was asked."""
    opened = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=address)
    hosts: set[str] = set()
    opened.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    yield opened
    opened.close()
    assert hosts - {""} == {urlsplit(address).netloc}


@pytest.fixture
def typed() -> str:
    """Return what is typed where a page asks for words."""
    return ""


@pytest.fixture
def page(context: BrowserContext, typed: str) -> Iterator[Page]:
    """Open an empty page, in which questions are confirmed; what breaks in it fails the test, as does an alert."""
    opened = context.new_page()
    problems: list[str] = []

    def answer(dialog: Dialog) -> None:
        if dialog.type == "alert":
            problems.append(dialog.message)
        dialog.accept(typed if dialog.type == "prompt" else None)

    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("dialog", answer)
    yield opened
    assert not problems
