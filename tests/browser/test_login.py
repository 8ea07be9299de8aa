"""People log in, ask, and log out in a real browser."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.browser.axe import expect_accessible
from tests.golden_retriever.served import ServerProcess, environment_for, golden

# A whole process serves.
pytestmark = [pytest.mark.browser, pytest.mark.slow]

QUESTION = "What does the Pump Level Register hold?"


@dataclass(frozen=True, kw_only=True)
class House:
    """Where the pages are, and who may ask there."""

    address: str
    key: str
    nightly: str
    environment: dict[str, str]
    folder: Path


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    folder = tmp_path_factory.mktemp("login")
    environment = environment_for(folder / "data", dense_index="exact", workers=1)
    documents = folder / "documents"
    documents.mkdir()
    text = "The Pump Level Register (PLR) holds the water level of the pump.\n"
    (documents / "pumps.txt").write_text(text, encoding="utf-8")
    assert golden("ingest", documents, environment=environment, folder=folder).returncode == 0
    made = [
        golden("keys", "create", *names, environment=environment, folder=folder).stdout.strip().splitlines()[-1]
        for names in (("ada", "--scope", "ask", "--scope", "manage"), ("nightly", "--scope", "manage"))
    ]
    server = ServerProcess([], folder, environment)
    try:
        yield House(address=server.address, key=made[0], nightly=made[1], environment=environment, folder=folder)
    finally:
        output = server.stop()
    assert "Traceback" not in output, output
    assert not [key for key in made if key[3:] in output], "no key is printed or logged"


@pytest.fixture(scope="module")
def address(house: House) -> str:
    return house.address


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


def log_in(page: Page, key: str) -> None:
    page.get_by_label("Your key").fill(key)
    page.get_by_role("button", name="Log in with a key").click()


def test_a_person_logs_in_asks_and_logs_out(page: Page, house: House) -> None:
    page.goto("/")
    expect(page).to_have_url(re.compile(r"/login\?next=%2F$"))
    expect_accessible(page)
    log_in(page, "gr_wrong")
    expect(page.get_by_role("alert")).to_contain_text("opens nothing here")
    expect_accessible(page)
    log_in(page, house.key)
    expect(page).to_have_url(f"{house.address}/")
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
    log_in(page, house.key)
    expect(page).to_have_url(f"{house.address}/documents")


def test_the_login_is_one_for_the_narrow_the_dark_and_the_keyboard(browser: Browser, house: House) -> None:
    with browser.new_context(
        viewport={"width": 360, "height": 640}, base_url=house.address, color_scheme="dark", locale="de-DE"
    ) as narrow:
        page = narrow.new_page()
        page.goto("/login")
        expect(page.get_by_role("heading", name="Anmelden")).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth") <= 360
        expect(page.get_by_label("Ihr Schlüssel")).to_be_focused()
        page.keyboard.type(house.key)
        page.keyboard.press("Enter")
        expect(page).to_have_url(f"{house.address}/")


def test_a_key_for_other_things_is_told_so(page: Page, house: House) -> None:
    page.goto("/login")
    log_in(page, house.nightly)
    expect(page.get_by_role("alert")).to_contain_text("may not ask")


def test_a_page_of_another_origin_neither_reads_nor_logs_in(page: Page, house: House) -> None:
    page.goto("/login")
    log_in(page, house.key)
    expect(page).to_have_url(f"{house.address}/")
    # Another name of this machine is another origin, and the browser knows no login for it.
    other = house.address.replace("127.0.0.1", "localhost")
    with httpx.Client(base_url=house.address) as http:
        cookie = "; ".join(f"{each['name']}={each['value']}" for each in page.context.cookies())
        for headers in ({"origin": other}, {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors"}):
            for path in ("/api/conversations", "/config"):
                assert http.get(path, headers={"cookie": cookie, **headers}).status_code == 403, (path, headers)
        assert http.get("/config", headers={"cookie": cookie}).status_code == 200
        assert http.get("/config").status_code == 401, "what one browser is given, another one does not have"
        assert http.get("/api/me").status_code == 401


def test_a_revoked_key_ends_the_login_at_once(page: Page, house: House) -> None:
    made = golden("keys", "create", "leaver", environment=house.environment, folder=house.folder)
    page.goto("/login")
    log_in(page, made.stdout.strip().splitlines()[-1])
    expect(page).to_have_url(f"{house.address}/")
    assert page.request.get("/api/me", headers={"x-golden-request": "1"}).status == 200
    assert golden("keys", "revoke", "leaver", environment=house.environment, folder=house.folder).returncode == 0
    assert page.request.get("/api/me", headers={"x-golden-request": "1"}).status == 401
