"""The chat in a real browser over the whole bot: documents on disk, databases, models, graph."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.questions import ask_to_the_end
from tests.browser.servers import serve_bot
from tests.serving.documents.documents_server import pdf

pytestmark = pytest.mark.browser

HANDBOOK = (
    "The run-up of the tunnel kiln takes 14 minutes at full load.",
    "Operators check the exhaust fan before every shift.",
    "A worn conveyor chain is replaced after 900 hours of use.",
)
WATCH = """window.refused = [];
document.addEventListener("securitypolicyviolation",
  (event) => window.refused.push(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`));"""
FOREIGN = """() => new Promise((done) => {
  const script = document.createElement("script");
  script.textContent = "window.injected = true";
  document.body.append(script);
  const image = new Image();
  image.onerror = image.onload = () => setTimeout(() => done(window.refused), 50);
  image.src = "https://evil.example/pixel.png";
})"""


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    rules = "# House rules\n\nVisitors <b>sign</b> the book at gate 3.\n"
    with serve_bot(tmp_path_factory.mktemp("bot"), {"kiln.pdf": pdf(*HANDBOOK), "rules.md": rules}) as served:
        yield served


def test_from_a_question_to_the_sentence_on_the_page_and_the_policy_refuses_nothing_but_what_is_put_into_it(
    browser: Browser, address: str
) -> None:
    page = browser.new_page(base_url=address)
    page.add_init_script(WATCH)
    page.goto("/")
    ask_to_the_end(page, "After how many hours is a worn conveyor chain replaced?")
    expect(page.locator("#live .answer")).to_contain_text("900 hours")
    page.locator("#live .steps summary").click()
    expect(page.locator("#live .steps")).to_contain_text("Searching the documents")
    page.locator("#live .cite").first.click()
    expect(page.locator("#panel mark").first).to_contain_text("900 hours")
    expect(page.locator("#panel .page-picture img")).to_be_visible()
    sheet = page.locator("#panel .page-picture").bounding_box()
    mark = page.locator("#panel .highlight").first.bounding_box()
    assert sheet is not None
    assert mark is not None
    # The line is drawn 700 points above the foot of a page of 800.
    middle = (mark["y"] + mark["height"] / 2 - sheet["y"]) / sheet["height"]
    assert middle == pytest.approx((800 - 704) / 800, abs=0.01)
    assert page.evaluate("window.refused") == []
    assert [each.split(" ")[0] for each in page.evaluate(FOREIGN)] == ["script-src-elem", "img-src"]
    assert page.evaluate("window.injected === undefined")
    page.close()


@pytest.mark.slow
def test_only_the_chosen_documents_are_asked_until_others_are_chosen(page: Page) -> None:
    page.goto("/")
    expect(page.locator(".welcome h1")).to_be_visible()
    page.get_by_role("button", name="Choose documents").click()
    dialog = page.get_by_role("dialog", name="Documents to search")
    expect(dialog.get_by_role("checkbox")).to_have_count(2)
    dialog.get_by_label("Search by name").fill("rules")
    expect(dialog.get_by_role("checkbox")).to_have_count(1)
    dialog.get_by_label("House rules").check()
    expect(page.locator("#composer [data-dialog=chooser]")).to_have_text("1 document chosen")
    dialog.get_by_label("Search by name").fill("no such name")
    expect(dialog.get_by_role("checkbox", checked=True)).to_have_count(1)
    page.keyboard.press("Escape")
    page.reload()
    expect(page.get_by_role("button", name="1 document chosen")).to_be_visible()
    ask_to_the_end(page, "After how many hours is a worn conveyor chain replaced?")
    expect(page.locator("#live")).not_to_contain_text("900 hours")
    page.get_by_role("button", name="1 document chosen").click()
    dialog.get_by_label("House rules").uncheck()
    expect(page.locator("#composer [data-dialog=chooser]")).to_have_text("Choose documents")
    dialog.get_by_role("button", name="Close").click()
    ask_to_the_end(page, "How many hours is a worn conveyor chain used?")
    expect(page.locator("#live")).to_contain_text("900 hours")
