"""The review page, the dictionary, the overview and the list of conversations in a real browser over the whole bot.

The tests share one library and one server. Each looks only at what it asked or changed itself.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import expect_accessible
from tests.browser.questions import ask_to_the_end
from tests.browser.servers import serve_bot

pytestmark = [pytest.mark.browser, pytest.mark.slow]

HANDBOOK = """# Kiln

A worn conveyor chain is replaced after 900 hours of use.

Operators check the exhaust fan at noon.

The Quench Water Valve of line two opens at 640 degrees Celsius.
"""
HOSTILE = "<img src=x onerror=\"document.title='broken'\"> 900 is [old](javascript:alert(1))"
RENAMED = "Chains & <b>fans</b>"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve_bot(
        tmp_path_factory.mktemp("bot"),
        {"kiln.md": HANDBOOK},
        prepare=lambda bot: bot.jargon.add_sense("ECN", "Engineering Change Notice", description="A signed paper."),
    ) as served:
        yield served


@pytest.fixture(scope="module")
def http(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, headers={"x-golden-request": "1"}, timeout=120) as client:
        yield client


@pytest.fixture
def typed() -> str:
    return RENAMED


def answer_to(http: httpx.Client, question: str) -> dict[str, Any]:
    body = {"messages": [{"role": "user", "content": question}]}
    answer = http.post("/v1/chat/completions", json=body).raise_for_status()
    message: dict[str, Any] = answer.json()["choices"][0]["message"]
    return message


def fits(page: Page) -> None:
    for width in (360, 768, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        too_wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(too_wide) <= 0, width
    page.set_viewport_size({"width": 1280, "height": 900})
    expect_accessible(page)


def test_from_a_thumb_down_to_a_score(page: Page, address: str, http: httpx.Client) -> None:
    question = "After how many hours is the conveyor chain replaced?"
    turn = answer_to(http, question)["golden"]["turn_id"]
    opinion = {"turn": turn, "verdict": "down", "reason": "outdated", "text": HOSTILE}
    http.post("/api/feedback", json=opinion).raise_for_status()
    page.goto("/review?concern=thumbs_down")
    card = page.locator(".turns .card")
    expect(card).to_contain_text(HOSTILE)
    expect(page.locator("[data-key=concern-thumbs_down] .count")).to_have_text("1")

    page.get_by_role("button", name=question).click()
    expect(page.locator("h1")).to_have_text(question)
    expect(page).to_have_url(f"{address}/review?concern=thumbs_down&turn={turn}")
    page.get_by_role("button", name="Ask again now").click()
    expect(page.get_by_role("heading", name="What differs")).to_be_visible()
    expect(page.locator("#notice")).to_have_text("The question was asked again.")
    expect(page.locator(".side")).to_have_count(2)
    expect(page.locator(".side").last).to_contain_text("hours")
    fits(page)

    page.get_by_role("button", name="Make a test case").click()
    expect(page.locator("[name=question]")).to_have_value(question)
    page.get_by_role("button", name="Save").click()
    expect(page.locator("#notice.problem")).to_contain_text("words that a correct answer contains")
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
    page.get_by_role("button", name="Run the test cases").click()
    expect(page.locator("[data-key=run-state]")).to_contain_text("1 of 1 passed (100 %)")
    expect(page.locator("td.score")).to_have_text(["1 of 1 passed (100 %)"])

    page.get_by_role("button", name="Test cases", exact=True).click()
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Words that a correct answer contains").fill("a fortnight")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".case-list")).to_contain_text("contains “a fortnight”")
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


def test_conversations_are_found_renamed_exported_deleted_and_counted(page: Page, http: httpx.Client) -> None:
    asked_before = sum(day["asked"] for day in http.get("/api/overview").json()["days"])
    chain, fan = "After how many hours is a worn conveyor chain replaced?", "Who checks the exhaust fan?"
    page.goto("/")
    titles = page.locator(".conversations .open")
    ask_to_the_end(page, chain)
    expect(titles).to_have_text([chain])
    page.locator(".conversations [data-action=new]").click()
    expect(page.locator(".welcome")).to_be_visible()
    expect(page.get_by_label("Your question")).to_be_focused()
    ask_to_the_end(page, fan)
    expect(titles).to_have_text([fan, chain])
    expect(page.locator("li.current .open")).to_have_text(fan)
    page.get_by_label("Search your conversations").fill("900 hours")
    expect(titles).to_have_text([chain])
    titles.first.click()
    expect(page.locator("#live .question-text")).to_have_text(chain)

    # By the keyboard alone.
    page.get_by_label("Actions for").focus()
    page.keyboard.press("Enter")
    expect_accessible(page, "#sidebar")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_role("status").filter(has_text="Renamed")).to_contain_text(RENAMED)
    expect(titles.first).to_be_focused()
    page.get_by_label("Actions for").click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Markdown", exact=True).click()
    assert "900 hours" in Path(download.value.path()).read_text(encoding="utf-8")

    page.get_by_role("button", name="Delete", exact=True).click()
    expect(page.locator(".welcome")).to_be_visible()
    page.get_by_label("Search your conversations").fill("")
    expect(titles).to_have_text([fan])

    page.goto("/overview")
    # The deleted conversation does not count.
    expect(page.locator(".figures div strong").first).to_have_text(str(asked_before + 1))
    page.get_by_role("button", name="Last 7 days").click()
    expect(page).to_have_url(re.compile(r"\?days=7$"))
    page.go_back()
    expect(page.locator("button[aria-pressed=true]")).to_have_text("Last 30 days")
    page.locator("table a").first.click()
    expect(page).to_have_url(re.compile(r"/review\?first_day="))


def go(page: Page, place: str = "") -> None:
    page.goto(f"/dictionary{place}")
    # The page's script sets the id "content" when it is ready for clicks; the tabs are there a moment earlier.
    expect(page.locator("#content").get_by_role("tab", selected=True)).to_be_visible()


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=re.compile(f"^{name}")).click()
    expect(page.get_by_role("tab", selected=True)).to_contain_text(name)


def test_from_an_unknown_term_to_the_answer_to_the_same_question(page: Page, http: httpx.Client) -> None:
    question = "At which temperature does the QWV of line two open?"
    assert "I do not know **QWV**" in str(answer_to(http, question)["content"])
    go(page)
    expect(page.get_by_role("tab", name=re.compile("^Unknown terms"))).to_contain_text("1")
    tab(page, "Unknown terms")
    expect(page.locator(".queue q")).to_have_text(question)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_label("Extended name")).to_be_focused()
    page.keyboard.type("Quench Water Valve")
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_have_text("Added QWV: Quench Water Valve.")
    expect(page.locator(".card.muted")).to_contain_text("There are no unknown terms")
    answer = answer_to(http, question)
    assert "640" in str(answer["content"])
    page.get_by_label("Try a question").fill(question)
    expect(page.locator(".readings .chosen")).to_contain_text("Quench Water Valve")
    expect(page.locator(".reading .tried-question")).to_have_text(question)
    page.reload()
    expect(page.locator(".readings .chosen")).to_contain_text("Quench Water Valve")


def test_terms_are_found_and_edited_with_the_keyboard_alone(page: Page) -> None:
    go(page)
    page.keyboard.press("/")
    expect(page.get_by_label("Search in all fields")).to_be_focused()
    page.keyboard.type("signed paper")
    expect(page.locator(".row .term")).to_have_text(["ECN"])
    expect(page.get_by_label("Search in all fields")).to_have_value("signed paper")
    expect(page).to_have_url(re.compile(r"\?text=signed"))
    page.locator(".row .term").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".editor").get_by_label("Term", exact=True)).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".editor")).to_have_count(0)
    expect(page.locator(".row .term")).to_be_focused()
    page.keyboard.press("Enter")
    notes = page.locator(".editor").get_by_label("Notes")
    notes.fill("Kept for ten years.")
    notes.press("Control+Enter")
    expect(page.locator("#notice")).to_have_text("Saved ECN.")
    page.go_back()
    page.go_back()
    expect(page.locator(".editor")).to_have_count(0)


def test_a_file_is_previewed_imported_and_taken_back(page: Page, http: httpx.Client) -> None:
    go(page, "?tab=import")
    rows = "ECN,Engineering Change Notice,Paper.\nLUN,Logical Unit,\nECN,Error Correction Number,\n"
    terms = f"term,extended_name,description\n{rows}".encode()
    chosen = page.locator('input[name="terms"]')
    chosen.set_input_files({"name": "terms.csv", "mimeType": "text/csv", "buffer": terms})
    expect(page.locator(".tiles")).to_have_text(re.compile(r"2\s*new\s*1\s*changed\s*0\s*unchanged", re.S))
    expect(page.locator(".planned tr", has_text="Description").locator("td.after")).to_have_text("Paper.")
    expect_accessible(page, "#main")
    page.get_by_role("button", name="Import now").click()
    expect(page.locator("#notice")).to_contain_text("Imported: 2 new, 1 changed, 0 unchanged")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.locator("#notice")).to_contain_text("have been undone")
    assert http.get("/api/dictionary/senses", params={"term": "LUN"}).json()["total"] == 0
    chosen.set_input_files({"name": "terms.csv", "mimeType": "text/csv", "buffer": b"term,extended_name\n,Nothing\n"})
    expect(page.locator(".clash")).to_contain_text(re.compile("Line 2.*term", re.S))
