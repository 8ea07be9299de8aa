"""The dictionary's desk in a real browser over the whole bot: from an unknown term to an answered question."""

import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from playwright.sync_api import BrowserContext, Page, expect
from reportlab.pdfgen.canvas import Canvas

from golden_retriever.settings import load_settings
from golden_retriever.web import build_web_application
from golden_retriever.wiring import open_application
from tests.browser.axe import expect_accessible

pytestmark = [pytest.mark.browser, pytest.mark.slow]

LINES = (
    "Kiln Operations Handbook",
    "Operators check the exhaust fan before every shift.",
    "The Thermal Balance Run-up (TBR) of the tunnel kiln takes 14 minutes at full load.",
    "The Quench Water Valve of line two opens at 640 degrees Celsius.",
)


@pytest.fixture(scope="module")
def address(
    tmp_path_factory: pytest.TempPathFactory, serve_application: Callable[..., AbstractContextManager[str]]
) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("documents")
    write_handbook(folder / "kiln.pdf")
    settings = load_settings(data_dir=tmp_path_factory.mktemp("data"), dense_index="exact", workers=1)

    @asynccontextmanager
    async def open_web() -> AsyncIterator[FastAPI]:
        async with open_application(settings) as application:
            application.jargon.add_sense("ECN", "Engineering Change Notice", description="A signed paper.")
            await application.pipeline.ingest([folder])
            await application.vector_index.synchronise()
            yield await build_web_application(application)

    with serve_application(open_web, patience_s=90) as served:
        yield served


def write_handbook(path: Path) -> None:
    canvas = Canvas(str(path), pagesize=(595, 842))
    for line, text in enumerate(LINES):
        canvas.setFont("Helvetica", 18 if line == 0 else 11)
        canvas.drawString(72, 770 - 40 * line, text)
    canvas.save()


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.on("dialog", lambda dialog: dialog.accept())
    yield opened
    assert not problems


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
