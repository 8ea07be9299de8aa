"""From a dropped file to an answer that cites it, to the proof that it is gone; and files under way."""

import base64
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import expect_accessible
from tests.browser.servers import serve_bot
from tests.serving.documents.documents_server import pdf

pytestmark = [pytest.mark.browser, pytest.mark.slow]
FACT = "The Zindel valve of the tunnel kiln opens at 417 degrees."
QUESTION = "At what temperature does the Zindel valve of the tunnel kiln open?"
HOSTILE = "<img src=x onerror=alert(1)>.txt"


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serve_bot(tmp_path_factory.mktemp("bot"), {}, max_upload_mb=2) as served:
        yield served


@pytest.fixture
def page(page: Page) -> Page:
    page.goto("/documents")
    expect(page.get_by_role("heading", name="Documents", exact=True)).to_be_visible(timeout=60_000)
    return page


def drop(page: Page, files: dict[str, bytes]) -> None:
    """Drop files as a person does, from outside of the browser."""
    given = [{"name": name, "content": base64.b64encode(content).decode()} for name, content in files.items()]
    transfer = page.evaluate_handle(
        """(given) => {
          const transfer = new DataTransfer();
          for (const each of given) {
            const bytes = Uint8Array.from(atob(each.content), (sign) => sign.charCodeAt(0));
            transfer.items.add(new File([bytes], each.name));
          }
          return transfer;
        }""",
        given,
    )
    for event in ("dragenter", "dragover", "drop"):
        page.dispatch_event("[data-upload-form] .drop", event, {"dataTransfer": transfer})


def asked(page: Page, question: str) -> dict[str, Any]:
    body = {"messages": [{"role": "user", "content": question}]}
    answer = page.request.post("/v1/chat/completions", data=body, timeout=120_000)
    assert answer.ok, answer.text()
    return dict(answer.json())


def test_from_a_dropped_file_to_a_cited_answer_to_the_proof_that_it_is_gone(page: Page) -> None:
    page.goto("/")
    page.get_by_role("link", name="Add documents").click()
    expect(page.get_by_role("heading", name="Three steps to the first answer")).to_be_visible()
    files = {"kiln.pdf": pdf(FACT, "Visitors sign the book."), "cut.docx": b"PK", "tool.exe": b"MZ", "void.txt": b"",
             "vast.txt": b"x" * 2_200_000}  # fmt: skip
    drop(page, files)
    unsent = ("tool.exe: files of this type are not supported", "void.txt is empty", "vast.txt is larger than 2.1 MB")
    for text in unsent:
        expect(page.locator(".in-progress").get_by_text(text)).to_be_visible()
    expect(page.get_by_role("progressbar").first).to_be_visible()
    expect(page.locator("#notice")).to_have_text("Finished. Files: 2. Not read: 1.", timeout=90_000)
    expect(page.get_by_role("heading", name="2 documents")).to_be_visible()
    # What was read, or could not be, is in the list alone.
    expect(page.locator(".in-progress h2")).to_have_text(["Not sent"])
    page.get_by_role("button", name="Dismiss").click()
    expect(page.locator(".in-progress")).to_have_count(0)
    page.get_by_role("button", name=re.compile("^Failed")).click()
    expect(page.locator(".files .title")).to_have_text(["cut.docx"])
    page.locator(".files .title").click()
    page.get_by_role("button", name="Read again").click()
    expect(page.locator("#notice")).to_have_text("Finished. Files: 1. Not read: 1.", timeout=90_000)
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="Deleted: cut.docx")).to_be_visible()
    page.get_by_role("button", name=re.compile("^All")).click()
    assert "417" in str(asked(page, QUESTION)["choices"][0]["message"]["content"])
    assert "kiln.pdf" in str(asked(page, QUESTION))
    page.locator(".files .title").click()
    expect(page.get_by_role("heading", name="kiln", exact=True)).to_be_focused()
    expect(page.locator(".thumbnails img")).to_have_count(2)
    page.locator(".thumbnails img").first.scroll_into_view_if_needed()
    page.wait_for_function("[...document.querySelectorAll('.thumbnails img')].every((each) => each.naturalWidth > 100)")
    page.get_by_role("link", name="Ask about this document").click()
    expect(page.get_by_role("button", name="1 document chosen")).to_be_visible(timeout=60_000)
    page.go_back()
    # The address leads back here.
    page.reload()
    expect(page.get_by_role("heading", name="kiln", exact=True)).to_be_visible()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="Deleted: kiln.pdf")).to_be_visible(timeout=60_000)
    expect(page.locator(".proof")).to_contain_text("finds nothing")
    expect_accessible(page)
    answer = asked(page, QUESTION)
    assert "417" not in answer["choices"][0]["message"]["content"]
    assert "kiln.pdf" not in str(answer)


def test_what_is_under_way_is_shown_after_a_reload_and_a_hostile_name_is_a_name(page: Page) -> None:
    long = "".join(f"The relief valve {number} is set by hand before each shift begins. " for number in range(1_000))
    drop(page, {"relief.txt": long.encode(), HOSTILE: b"# <script>alert(1)</script>\n\nThe rope is long.",
                "turned \u202efdp.txt": b"The rope is short."})  # fmt: skip
    expect(page.get_by_text("rename the file")).to_be_visible()
    # Once it was sent, it is under way wherever the page is opened again.
    expect(page.locator(".in-progress h2", has_text=re.compile("Waiting|Reading|Done"))).to_be_visible(timeout=60_000)
    page.reload()
    expect(page.get_by_role("heading", name="2 documents")).to_be_visible(timeout=120_000)
    # Until the document has a title, the row's button shows the name, too.
    expect(page.locator(".files .path", has_text=HOSTILE)).to_be_visible()
