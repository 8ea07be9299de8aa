"""The dictionary's desk in a real browser over the whole bot: from an unknown term to an answered question."""

import re
from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import expect_accessible
from tests.browser.servers import serve_bot

pytestmark = [pytest.mark.browser, pytest.mark.slow]

HANDBOOK = "# Kiln\n\nThe Quench Water Valve of line two opens at 640 degrees Celsius.\n"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("documents")
    (folder / "kiln.md").write_text(HANDBOOK, encoding="utf-8")
    meaning = ("ECN", "Engineering Change Notice")
    with serve_bot(
        tmp_path_factory.mktemp("data"),
        folder,
        prepare=lambda application: application.jargon.add_sense(*meaning, description="A signed paper."),
    ) as served:
        yield served


def go(page: Page, place: str = "") -> None:
    page.goto(f"/dictionary{place}")
    # The desk's script names its part "content" when it hears clicks; the tabs stand there a moment earlier.
    expect(page.locator("#content").get_by_role("tab", selected=True)).to_be_visible()


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=re.compile(f"^{name}")).click()
    expect(page.get_by_role("tab", selected=True)).to_contain_text(name)


def answer_to(address: str, question: str) -> dict[str, object]:
    body = {"messages": [{"role": "user", "content": question}]}
    answer = httpx.post(f"{address}/v1/chat/completions", json=body, timeout=120).raise_for_status()
    message: dict[str, object] = answer.json()["choices"][0]["message"]
    return message


def test_from_an_unknown_term_to_the_answer_to_the_same_question(page: Page, address: str) -> None:
    question = "At which temperature does the QWV of line two open?"
    assert "I do not know **QWV**" in str(answer_to(address, question)["content"])
    go(page)
    expect(page.get_by_role("tab", name=re.compile("^Unknown terms"))).to_contain_text("1")
    tab(page, "Unknown terms")
    expect(page.locator(".queue q")).to_have_text(question)
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_label("Extended name")).to_be_focused()
    page.keyboard.type("Quench Water Valve")
    page.keyboard.press("Enter")
    expect(page.locator("#notice")).to_have_text("Added QWV: Quench Water Valve.")
    expect(page.locator(".card.quiet")).to_contain_text("There are no unknown terms")
    answer = answer_to(address, question)
    assert "640" in str(answer["content"])
    page.get_by_label("Try a question").fill(question)
    expect(page.locator(".readings .chosen")).to_contain_text("Quench Water Valve")
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


def test_a_file_is_previewed_imported_and_taken_back(page: Page, address: str) -> None:
    go(page, "?tab=import")
    rows = "term,extended_name,description\nECN,Engineering Change Notice,Paper.\nLUN,Logical Unit,\n"
    chosen = page.locator('input[name="terms"]')
    chosen.set_input_files({"name": "terms.csv", "mimeType": "text/csv", "buffer": rows.encode()})
    expect(page.locator(".tiles")).to_contain_text("1 new")
    expect(page.locator(".planned tr", has_text="Description").locator("td.after")).to_have_text("Paper.")
    expect_accessible(page, "#main")
    page.get_by_role("button", name="Import now").click()
    expect(page.locator("#notice")).to_contain_text("Imported: 1 new, 1 changed")
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.locator("#notice")).to_contain_text("are undone")
    assert httpx.get(f"{address}/api/dictionary/senses", params={"term": "LUN"}).json()["total"] == 0
    wrong = b"term,extended_name\n,Nothing\n"
    page.locator('input[name="terms"]').set_input_files({"name": "terms.csv", "mimeType": "text/csv", "buffer": wrong})
    expect(page.locator(".clash")).to_contain_text("Line 2")
