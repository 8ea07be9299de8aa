"""The chat in a real browser over the whole bot: documents on disk, databases, models, graph."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from reportlab.pdfgen.canvas import Canvas

from database.connection import open_database
from golden_retriever.settings import Settings, load_settings
from golden_retriever.wiring import Application
from jargon_db.store import JargonStore
from tests.browser.servers import serve_bot

pytestmark = pytest.mark.browser

HANDBOOK = (
    "Kiln Operations Handbook",
    "The TBR of the tunnel kiln is 14 minutes at full load.",
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
def settings(tmp_path_factory: pytest.TempPathFactory) -> Settings:
    return load_settings(data_dir=tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, settings: Settings) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("documents")
    write_handbook(folder / "kiln.pdf")
    (folder / "rules.md").write_text("# House rules\n\nVisitors <b>sign</b> the book at gate 3.\n", encoding="utf-8")

    def add_meanings(application: Application) -> None:
        application.jargon.add_sense("TBR", "Thermal Balance Run-up", context="Kiln", description="Warming up.")
        application.jargon.add_sense("TBR", "Truck Booking Request", context="Yard", description="A form.")

    with serve_bot(settings.data_dir, folder, prepare=add_meanings) as served:
        yield served


def write_handbook(path: Path) -> None:
    canvas = Canvas(str(path), pagesize=(595, 842))
    for line, text in enumerate(HANDBOOK):
        canvas.setFont("Helvetica", 18 if line == 0 else 11)
        canvas.drawString(72, 770 - 40 * line, text)
    canvas.save()


@pytest.fixture
def page(page: Page) -> Page:
    page.goto("/")
    expect(page.locator(".welcome h1")).to_be_visible()
    return page


def ask(page: Page, question: str) -> None:
    box = page.get_by_label("Your question")
    box.fill(question)
    box.press("Enter")
    expect(page.locator("#live .words")).to_have_text(question)
    expect(page.locator("#live [aria-busy=false]")).to_be_visible()


def test_from_a_question_to_the_sentence_on_the_page(page: Page) -> None:
    ask(page, "After how many hours is a worn conveyor chain replaced?")
    expect(page.locator("#live .answer")).to_contain_text("900 hours")
    page.locator("#live .steps summary").click()
    expect(page.locator("#live .steps")).to_contain_text("Searching the documents")
    page.locator("#live .cite").first.click()
    expect(page.locator("#panel mark").first).to_contain_text("900 hours")
    expect(page.locator("#panel .sheet img")).to_be_visible()
    sheet, mark = page.locator("#panel .sheet").bounding_box(), page.locator("#panel .highlight").first.bounding_box()
    assert sheet is not None
    assert mark is not None
    # The chain's line is drawn 770 - 3 * 40 points above the page's foot.
    middle = (mark["y"] + mark["height"] / 2 - sheet["y"]) / sheet["height"]
    assert middle == pytest.approx((842 - 654) / 842, abs=0.01)


def test_the_policy_refuses_nothing_of_the_page_and_all_that_is_put_into_it(browser: Browser, address: str) -> None:
    page = browser.new_page(base_url=address)
    page.add_init_script(WATCH)
    page.goto("/")
    ask(page, "After how many hours is a worn conveyor chain replaced?")
    page.locator("#live .cite").first.click()
    expect(page.locator("#panel mark").first).to_be_visible()
    assert page.evaluate("window.refused") == []
    assert [each.split(" ")[0] for each in page.evaluate(FOREIGN)] == ["script-src-elem", "img-src"]
    assert page.evaluate("window.injected === undefined")
    page.close()


@pytest.mark.slow
def test_the_department_decides_the_reading_and_a_click_changes_it_and_is_kept(page: Page, settings: Settings) -> None:
    page.get_by_label("Department").select_option("Kiln")
    ask(page, "How long is the TBR of the tunnel kiln at full load?")
    chip = page.locator("#live .chip summary")
    expect(chip).to_contain_text("Thermal Balance Run-up")
    chip.click()
    page.get_by_role("button", name=re.compile("Truck Booking Request")).click()
    expect(page.locator("#live .chip summary")).to_contain_text("Truck Booking Request", timeout=30_000)
    expect(page.locator("#live [aria-busy=false]")).to_be_visible()
    ask(page, "No, TBR means Thermal Balance Run-up")
    expect(page.locator("#live .chip summary")).to_contain_text("Thermal Balance Run-up")
    engine = open_database(settings.effective_database_url)
    kept = {(each.extended_name, each.context, each.question) for each in JargonStore(engine).corrections()}
    engine.dispose()
    asked = "How long is the TBR of the tunnel kiln at full load?"
    assert ("Truck Booking Request", "Yard", asked) in kept
    # The words set right what the click had changed: a correction too where the click weighs against the department.
    assert kept <= {("Truck Booking Request", "Yard", asked), ("Thermal Balance Run-up", "Kiln", asked)}


def test_an_unknown_term_is_refused_with_a_suggestion_that_works(page: Page) -> None:
    ask(page, "What is the QXZTR of the tunnel kiln?")
    expect(page.locator("#live .card.unknown h3")).to_contain_text("QXZTR")


@pytest.mark.slow
def test_a_question_outside_the_documents_gets_the_closest_passages(page: Page) -> None:
    ask(page, "Who won the football championship in 1974?")
    expect(page.locator("#live .closest blockquote").first).to_be_visible()
    expect(page.locator("#live .cite")).to_have_count(0)


@pytest.mark.slow
def test_what_nobody_knows_reaches_the_manager(page: Page, settings: Settings) -> None:
    ask(page, "What is the ZWKQV of the tunnel kiln?")
    page.get_by_label("What do you know about it?").fill("It stands on the kiln's door.")
    page.get_by_role("button", name="Ask the manager to add ZWKQV").click()
    expect(page.locator("#live .wanted")).to_be_visible()
    engine = open_database(settings.effective_database_url)
    queued = {each.term: each for each in JargonStore(engine).unknown_terms()}
    engine.dispose()
    assert (queued["ZWKQV"].count, queued["ZWKQV"].last_question) == (2, "It stands on the kiln's door.")


@pytest.mark.slow
def test_only_the_chosen_documents_are_asked_until_others_are_chosen(page: Page) -> None:
    page.get_by_role("button", name="Choose documents").click()
    dialog = page.get_by_role("dialog", name="Documents to ask")
    expect(dialog.get_by_role("checkbox")).to_have_count(2)
    dialog.get_by_label("Search by name").fill("rules")
    expect(dialog.get_by_role("checkbox")).to_have_count(1)
    dialog.get_by_label("House rules").check()
    expect(page.locator("#composer [data-opens=chooser]")).to_have_text("1 document chosen")
    dialog.get_by_label("Search by name").fill("no such name")
    expect(dialog.get_by_role("checkbox", checked=True)).to_have_count(1)
    page.keyboard.press("Escape")
    page.reload()
    expect(page.get_by_role("button", name="1 document chosen")).to_be_visible()
    ask(page, "After how many hours is a worn conveyor chain replaced?")
    expect(page.locator("#live")).not_to_contain_text("900 hours")
    page.get_by_role("button", name="1 document chosen").click()
    dialog.get_by_label("House rules").uncheck()
    expect(page.locator("#composer [data-opens=chooser]")).to_have_text("Choose documents")
    dialog.get_by_role("button", name="Close").click()
    ask(page, "How many hours is a worn conveyor chain used?")
    expect(page.locator("#live")).to_contain_text("900 hours")


@pytest.mark.slow
def test_the_conversation_is_there_whole_behind_its_link_and_its_page_beside_it(page: Page) -> None:
    ask(page, "After how many hours is a worn conveyor chain replaced?")
    page.locator("#live .cite").first.click()
    expect(page.locator("#panel .sheet img")).to_be_visible()
    expect(page).to_have_url(re.compile("c=.*turn=1&cite=1"))
    with page.context.expect_page() as opened:
        page.evaluate("window.open(location.href)")
    other = opened.value
    expect(other.locator("#live .answer")).to_contain_text("900 hours", timeout=30_000)
    expect(other.locator("#live .certainty")).to_be_visible()
    expect(other.locator("#panel mark").first).to_contain_text("900 hours")
    other.close()
