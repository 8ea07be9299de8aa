"""People log in, ask, and log out in a real browser."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from golden_retriever.wiring import Application
from library.keys import KeyStore
from tests.browser.axe import expect_accessible
from tests.browser.servers import serve_bot

pytestmark = [pytest.mark.browser, pytest.mark.slow]

QUESTION = "What does the Pump Level Register hold?"


@pytest.fixture(scope="module")
def keys() -> list[str]:
    return []


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, keys: list[str]) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("documents")
    text = "The Pump Level Register (PLR) holds the water level of the pump.\n"
    (folder / "pumps.txt").write_text(text, encoding="utf-8")

    def add_key(application: Application) -> None:
        keys.append(KeyStore(application.store.engine).create("ada", scopes=["ask", "manage"])[0])

    with serve_bot(tmp_path_factory.mktemp("data"), folder, prepare=add_key) as served:
        yield served


def log_in(page: Page, key: str) -> None:
    page.get_by_label("Your key").fill(key)
    page.get_by_role("button", name="Log in with a key").click()


def test_a_person_logs_in_asks_and_logs_out(page: Page, address: str, keys: list[str]) -> None:
    page.goto("/")
    expect(page).to_have_url(re.compile(r"/login\?next=%2F$"))
    expect_accessible(page)
    log_in(page, "gr_wrong")
    expect(page.get_by_role("alert")).to_contain_text("opens nothing here")
    expect_accessible(page)
    log_in(page, keys[0])
    expect(page).to_have_url(f"{address}/")
    box = page.get_by_role("textbox", name=re.compile("question", re.IGNORECASE))
    box.fill(QUESTION)
    box.press("Enter")
    expect(page.locator("body")).to_contain_text("water level")
    page.get_by_role("button", name="Log out").click()
    expect(page).to_have_url(re.compile(r"/login\?left=1$"))
    expect(page.get_by_role("status")).to_have_text("You are logged out.")
    assert not [each for each in page.context.cookies() if each["name"] == "golden_session"]
    page.goto("/documents")
    expect(page).to_have_url(re.compile(r"/login\?next=%2Fdocuments$"))
    log_in(page, keys[0])
    expect(page).to_have_url(f"{address}/documents")


def test_the_login_is_one_for_the_narrow_the_dark_and_the_keyboard(
    browser: Browser, address: str, keys: list[str]
) -> None:
    with browser.new_context(
        viewport={"width": 360, "height": 640}, base_url=address, color_scheme="dark", locale="de-DE"
    ) as narrow:
        page = narrow.new_page()
        page.goto("/login")
        expect(page.get_by_role("heading", name="Anmelden")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        expect(page.get_by_label("Ihr Schlüssel")).to_be_focused()
        page.keyboard.type(keys[0])
        page.keyboard.press("Enter")
        expect(page).to_have_url(f"{address}/")
