"""The chat in a real browser over a scripted bot: what a person does, and what they then see."""

import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, BrowserContext, Page, expect

from tests.ui.scripted_bot import ScriptedBot
from ui.app import build_ui, mount_ui

pytestmark = pytest.mark.browser
EXAMPLES = ("What does DLL need to lock?", "Which DLL do you mean?")


@pytest.fixture(scope="module")
def bot() -> ScriptedBot:
    return ScriptedBot()


@pytest.fixture(scope="module")
def address(bot: ScriptedBot, serve_application: Callable[..., AbstractContextManager[str]]) -> Iterator[str]:
    @asynccontextmanager
    async def open_web() -> AsyncIterator[FastAPI]:
        web = FastAPI()
        mount_ui(web, build_ui(bot, departments=("Interfaces", "Software"), examples=EXAMPLES))
        yield web

    with serve_application(open_web) as served:
        yield served


@pytest.fixture(autouse=True)
def _quick_bot(bot: ScriptedBot) -> None:
    bot.pause_s = 0.02


@pytest.fixture
def page(context: BrowserContext) -> Iterator[Page]:
    opened = context.new_page()
    problems: list[str] = []
    opened.on("pageerror", lambda error: problems.append(str(error)))
    opened.goto("/")
    expect(opened.locator(".welcome")).to_be_visible(timeout=20_000)
    yield opened
    assert not problems


def ask(page: Page, question: str) -> None:
    box = page.get_by_label("Your question")
    box.fill(question)
    box.press("Enter")


def test_from_a_question_over_its_steps_to_the_highlighted_passage(page: Page, bot: ScriptedBot) -> None:
    bot.pause_s = 1.0
    ask(page, "What does DLL need to lock?")
    expect(page.locator(".steps.working summary")).to_contain_text("Searching the documents")
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(page.locator(".certainty")).to_have_text("Fairly sure · 80 %")
    page.locator(".steps summary").click()
    expect(page.locator(".steps li").first).to_contain_text("jargon: DLL")
    page.locator(".answer .cite").first.click()
    expect(page.locator("#panel mark")).to_have_text("The DLL needs 512 clock cycles to lock.")
    expect(page.locator("#panel h2")).to_contain_text("Interfaces Handbook")
    page.get_by_label("Next source").click()
    expect(page.locator("#panel h2")).to_contain_text("Timing parameters")
    page.keyboard.press("Escape")
    expect(page.locator("#panel .passage")).to_have_count(0)
    expect(page.locator(".steps")).to_have_attribute("open", "")


def test_the_reading_can_be_changed_in_one_click(page: Page, bot: ScriptedBot) -> None:
    page.locator(".example").first.click()
    expect(page.locator(".chip summary")).to_contain_text("Delay-Locked Loop")
    page.locator(".chip summary").click()
    page.get_by_role("button", name="Dynamic-Link Library").click()
    expect(page.locator("#live .chip summary")).to_contain_text("Dynamic-Link Library")
    expect(page.locator("#live .note")).to_have_text("Asked again with DLL read as Dynamic-Link Library")
    expect(page.locator("#past .exchange")).to_have_count(1)


def test_an_unknown_term_offers_near_spellings_that_ask_again(page: Page, bot: ScriptedBot) -> None:
    ask(page, "What is the PRL timeout?")
    expect(page.locator(".card h3")).to_have_text("I do not know PRL")
    page.get_by_role("button", name="DLL").click()
    expect(page.locator("#live .certainty")).to_be_visible()
    assert bot.asked[-1][0] == "What is the DLL timeout?"


def test_a_question_back_is_answered_by_a_button(page: Page) -> None:
    ask(page, "Which DLL?")
    page.get_by_role("button", name="Dynamic-Link Library").click()
    expect(page.locator("#live .chip summary")).to_contain_text("Dynamic-Link Library")


def test_a_reload_keeps_the_conversation_and_a_new_one_is_empty(page: Page) -> None:
    ask(page, "What does DLL need to lock?")
    expect(page.locator(".certainty")).to_be_visible()
    ask(page, "Where may I park, is there a parking permit?")
    expect(page.locator(".card.declined")).to_be_visible()
    expect(page.locator("#live .words")).to_be_in_viewport()
    expect(page.locator("#live .card")).to_be_in_viewport()
    page.reload()
    expect(page.locator("#past .certainty")).to_be_visible(timeout=20_000)
    expect(page.locator("#live .card.declined")).to_be_visible()
    page.locator("#past .cite").first.click()
    expect(page.locator("#panel mark")).to_be_visible()
    page.get_by_role("button", name="New conversation").click()
    expect(page.locator(".welcome")).to_be_visible()
    expect(page.locator(".exchange")).to_have_count(0)
    expect(page.locator("#panel .passage")).to_have_count(0)


def test_stop_ends_the_work_and_the_next_question_goes_through(page: Page, bot: ScriptedBot) -> None:
    bot.pause_s = 30
    ask(page, "What does DLL need to lock?")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".remark")).to_contain_text("Stopped")
    bot.pause_s = 0
    ask(page, "What does DLL need to lock?")
    expect(page.locator("#live .certainty")).to_be_visible()


def test_a_crash_is_a_clear_line(page: Page) -> None:
    ask(page, "crash please")
    expect(page.get_by_role("alert")).to_contain_text("Something went wrong")
    expect(page.locator("body")).not_to_contain_text("secret detail")
    ask(page, "x" * 9_000)
    expect(page.get_by_role("alert").last).to_contain_text("too many characters")


def test_the_department_goes_with_the_question_and_is_remembered(page: Page, bot: ScriptedBot) -> None:
    page.get_by_label("Department").select_option("Software")
    ask(page, "What does DLL need to lock?")
    expect(page.locator(".certainty")).to_be_visible()
    assert bot.asked[-1][1] == "Software"
    page.reload()
    expect(page.locator(".certainty")).to_be_visible(timeout=20_000)
    expect(page.get_by_label("Department")).to_have_value("Software")


def test_everything_can_be_done_from_the_keyboard(page: Page) -> None:
    ask(page, "What does DLL need to lock?")
    expect(page.locator(".certainty")).to_be_visible()
    page.locator(".chip summary").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".chip .menu")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".chip .menu")).not_to_be_visible()
    page.locator(".answer .weak").first.focus()
    expect(page.locator(".answer .weak .tip").first).to_be_visible()
    page.locator(".answer .cite").first.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#panel h2")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".answer .cite").first).to_be_focused()


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (768, "dark"), (1440, "light")])
def test_nothing_overflows_or_overlaps(browser: Browser, address: str, width: int, scheme: str) -> None:
    page = browser.new_page(viewport={"width": width, "height": 760}, color_scheme=scheme, base_url=address)  # type: ignore[arg-type]
    page.goto("/")
    expect(page.locator(".welcome")).to_be_visible(timeout=20_000)
    for question in ("What does DLL need to lock?", "PRL?", f"Where is the parking {'verylongword' * 40}?"):
        ask(page, question)
        expect(page.locator("#live .words")).to_have_text(question)
        expect(page.locator("#live [aria-busy=false]")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    bar = [page.locator(name).bounding_box() for name in ("#brand", "#department select", "#new")]
    for left, right in itertools.pairwise(bar):
        assert left is not None
        assert right is not None
        assert left["x"] + left["width"] <= right["x"]
    page.locator("#past .cite").first.click()
    expect(page.locator("#panel mark")).to_be_in_viewport()
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_hostile_text_does_not_run(page: Page, context: BrowserContext) -> None:
    for text in ("<img src=x onerror='window.hacked=1'>", "${window.hacked=1} {{hacked}}", "<script>hacked=1</script>"):
        ask(page, f"DLL {text}")
        expect(page.locator("#live .words")).to_have_text(f"DLL {text}")
        expect(page.locator("#live .certainty")).to_be_visible()
    assert page.evaluate("window.hacked") is None
