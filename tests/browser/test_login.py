"""People log in, ask, and log out in a real browser."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from golden_retriever.wiring import Application
from library.keys import KeyStore
from tests.browser.axe import expect_accessible
from tests.browser.questions import ask
from tests.browser.servers import serve_bot

pytestmark = [pytest.mark.browser, pytest.mark.slow]


@pytest.fixture(scope="module")
def keys() -> list[str]:
    return []


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, keys: list[str]) -> Iterator[str]:
    def add_key(application: Application) -> None:
        keys.append(KeyStore(application.store.engine).create("ada", scopes=["ask", "manage"])[0])

    text = "The Pump Level Register (PLR) holds the water level of the pump.\n"
    with serve_bot(tmp_path_factory.mktemp("bot"), {"pumps.txt": text}, prepare=add_key) as served:
        yield served


def log_in(page: Page, key: str) -> None:
    page.get_by_label("Your key").fill(key)
    page.get_by_role("button", name="Log in with a key").click()


def test_a_person_logs_in_asks_and_logs_out(page: Page, address: str, keys: list[str]) -> None:
    page.goto("/")
    expect(page).to_have_url(re.compile(r"/login\?next=%2F$"))
    expect_accessible(page)
    page.emulate_media(color_scheme="dark")
    expect_accessible(page)
    page.set_viewport_size({"width": 360, "height": 640})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    log_in(page, "gr_wrong")
    expect(page.get_by_role("alert")).to_contain_text("is not valid")
    expect_accessible(page)
    log_in(page, keys[0])
    expect(page).to_have_url(f"{address}/")
    ask(page, "What does the Pump Level Register hold?")
    expect(page.locator("body")).to_contain_text("water level")
    # A request that is refused while the logout is under way does not replace its page.
    page.route("**/logout", lambda route: (page.wait_for_timeout(1_000), route.continue_()))
    page.get_by_role("button", name="Log out").click()
    page.evaluate("fetch('/', { credentials: 'omit', headers: { 'x-golden-request': '1' } })")
    expect(page).to_have_url(re.compile(r"/login\?logged_out=1$"))
    expect(page.get_by_role("status")).to_have_text("You are logged out.")
    assert not [each for each in page.context.cookies() if each["name"] == "golden_session"]
    page.goto("/documents")
    expect(page).to_have_url(re.compile(r"/login\?next=%2Fdocuments$"))
    expect(page.get_by_label("Your key")).to_be_focused()
    page.keyboard.type(keys[0])
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{address}/documents")
