"""The review desk in a real browser over the whole bot: from a thumb down to a score that is plotted."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import expect_accessible
from tests.browser.servers import serve_bot

pytestmark = [pytest.mark.browser, pytest.mark.slow]

QUESTION = "After how many hours is the conveyor chain replaced?"
HOSTILE = "<img src=x onerror=\"document.title='broken'\"> 900 is [old](javascript:alert(1))"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("documents")
    text = "A worn conveyor chain is replaced after 900 hours of use.\n\nOperators check the exhaust fan at noon.\n"
    (folder / "kiln.txt").write_text(text, encoding="utf-8")
    with serve_bot(tmp_path_factory.mktemp("data"), folder) as served:
        yield served


def fits(page: Page) -> None:
    for width in (360, 768, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        too_wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(too_wide) <= 0, width
    page.set_viewport_size({"width": 1280, "height": 900})
    expect_accessible(page)


def asked(http: httpx.Client) -> str:
    body = {"messages": [{"role": "user", "content": QUESTION}]}
    golden = http.post("/v1/chat/completions", json=body).raise_for_status().json()["choices"][0]["message"]["golden"]
    opinion = {"turn": golden["turn_id"], "verdict": "down", "reason": "outdated", "text": HOSTILE}
    http.post("/api/feedback", json=opinion).raise_for_status()
    return str(golden["turn_id"])


def test_from_a_thumb_down_to_a_score(page: Page, address: str) -> None:
    with httpx.Client(base_url=address, headers={"x-golden-request": "1"}, timeout=60) as http:
        turn = asked(http)
    page.goto("/review")
    card = page.locator(".turns .card")
    expect(card).to_contain_text(HOSTILE)
    expect(page.locator("[data-key=concern-thumbs_down] .count")).to_have_text("1")
    fits(page)

    page.get_by_role("button", name=QUESTION).click()
    expect(page.locator("h1")).to_have_text(QUESTION)
    expect(page).to_have_url(f"{address}/review?turn={turn}")
    page.get_by_role("button", name="Ask again now").click()
    expect(page.get_by_role("heading", name="What differs")).to_be_visible()
    expect(page.locator("#notice")).to_have_text("The question was asked again.")
    expect(page.locator(".side")).to_have_count(2)
    expect(page.locator(".side").last).to_contain_text("hours")
    fits(page)

    page.get_by_role("button", name="Make a test case").click()
    expect(page.locator("[name=question]")).to_have_value(QUESTION)
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#notice.problem")).to_contain_text("words that a right answer contains")
    page.get_by_label("Words that a correct answer contains").fill("900 hours")
    fits(page)
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".case-form")).to_have_count(0)
    page.get_by_label("Note (optional)").fill("Measured from now on.")
    page.get_by_role("button", name="Resolve").click()
    expect(page.get_by_role("button", name="Reopen")).to_be_visible()
    page.get_by_role("button", name="Back to the list").click()
    expect(page.locator(".review")).to_contain_text("There are no answers to review")

    page.get_by_role("button", name="Test cases", exact=True).click()
    expect(page.locator(".case-list .card")).to_have_count(1)
    fits(page)
    page.get_by_role("button", name="Run the test cases").click()
    expect(page.locator("[data-key=run-state]")).to_contain_text("1 of 1 passed (100 %)")
    expect(page.locator("td.score")).to_have_text(["1 of 1 passed (100 %)"])

    page.get_by_role("button", name="Test cases", exact=True).click()
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Words that a correct answer contains").fill("a fortnight")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".case-list")).to_contain_text("says “a fortnight”")
    page.get_by_role("button", name="Run the test cases").click()
    expect(page.locator("[data-key=run-state]")).to_contain_text("0 of 1 passed (0 %)")
    expect(page.locator(".results")).to_contain_text("The answer does not contain: a fortnight")
    expect(page.locator("td.score")).to_have_text(["0 of 1 passed (0 %)", "1 of 1 passed (100 %)"])
    fits(page)
    # A run has an address of its own.
    page.reload()
    expect(page.locator(".results")).to_contain_text("a fortnight")

    page.locator("select.language").select_option("de")
    expect(page.get_by_role("heading", name="Alle Durchläufe")).to_be_visible()
    page.get_by_role("button", name="Testfälle", exact=True).click()
    page.get_by_role("button", name="Entfernen").click()
    expect(page.locator(".review")).to_contain_text("Es gibt noch keinen Testfall")
