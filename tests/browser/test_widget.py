"""The widget in a real browser, on pages of another origin than the bot's."""

import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, BrowserContext, Page, expect

from database.connection import open_database
from database.migrating import migrate
from library.keys import KeyStore
from library.migrations import LIBRARY
from serving.identity.guards import IdentityGuard
from serving.keys import KeyRecogniser
from serving.limits import RequestLimits
from tests.browser.widget_site import (
    HOSTILE_CSS,
    STRICT_CSP,
    WatchedBot,
    bot_server,
    open_pages,
    proxy_to,
)
from ui.app import build_ui, mount_ui

pytestmark = pytest.mark.browser
Serve = Callable[..., AbstractContextManager[str]]
Opened = Callable[..., Page]
QUESTION = "What does DLL need to lock?"
# One comes back each second.
REQUESTS_A_MINUTE = 60


@pytest.fixture(scope="module")
def bot() -> WatchedBot:
    return WatchedBot()


@pytest.fixture(scope="module")
def opinions() -> list[dict[str, Any]]:
    return []


@pytest.fixture(scope="module")
def pages(serve_application: Serve) -> Iterator[str]:
    with serve_application(open_pages) as address:
        yield address


@pytest.fixture(scope="module")
def address(serve_application: Serve, bot: WatchedBot, opinions: list[dict[str, Any]], pages: str) -> Iterator[str]:
    with serve_application(bot_server(bot, [pages], opinions=opinions, prefix="/kept")) as served:
        yield served


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> KeyStore:
    folder: Path = tmp_path_factory.mktemp("keys")
    engine = open_database(f"sqlite:///{folder}/golden.db")
    migrate(engine, LIBRARY)
    return KeyStore(engine)


@pytest.fixture(scope="module")
def clock() -> list[float]:
    """The seconds that the limits go by."""
    return [0.0]


@pytest.fixture(scope="module")
def keyed(serve_application: Serve, keys: KeyStore, pages: str, clock: list[float]) -> Iterator[str]:
    guard = IdentityGuard([KeyRecogniser(keys)])
    limits = RequestLimits(a_minute=REQUESTS_A_MINUTE, at_once=0, clock=lambda: clock[0])
    with serve_application(bot_server(WatchedBot(), [pages], guard=guard, limits=limits)) as served:
        yield served


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    opened = browser.new_context(viewport={"width": 1100, "height": 760})
    yield opened
    opened.close()


@pytest.fixture
def visit(context: BrowserContext, pages: str, address: str, bot: WatchedBot) -> Iterator[Opened]:
    """Return what opens a page with the widget; a page that breaks anything fails the test."""
    problems: list[str] = []
    bot.asked.clear()
    bot.histories.clear()
    bot.pause_s = 0.0

    def open_page(*, source: str = f"{address}/widget.js", at: str = pages, **attributes: str) -> Page:
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.goto(f"{at}/?{urlencode({'src': source, 'title': 'Ask the docs', **attributes})}")
        return page

    yield open_page
    assert not problems


def launcher(page: Page) -> Any:
    return page.get_by_role("button", name="Open Ask the docs")


def ask(page: Page, question: str) -> None:
    if launcher(page).is_visible():
        launcher(page).click()
    box = page.get_by_role("textbox", name="Your question")
    box.fill(question)
    box.press("Enter")


def test_from_a_question_to_the_passage_another_meaning_and_an_opinion(
    visit: Opened, bot: WatchedBot, opinions: list[dict[str, Any]]
) -> None:
    page = visit(department="Interfaces")
    bot.pause_s = 0.2
    ask(page, QUESTION)
    expect(page.get_by_text("Searching the documents…")).to_be_visible()
    expect(page.locator(".draft")).to_contain_text("The DLL needs")
    expect(page.locator(".certainty")).to_have_text("Fairly sure · 80 %")
    expect(page.locator(".draft")).to_have_count(0)
    expect(page.locator(".weak.unfaithful")).to_have_text("It locks faster when it is cold")
    expect(page.locator(".unsupported")).to_contain_text("No passage speaks of temperature.")
    page.locator(".cite").first.click()
    expect(page.locator("blockquote").first).to_have_text("The DLL needs 512 clock cycles to lock.")
    expect(page.get_by_role("button", name="Source 1 Interfaces Handbook page 8")).to_be_focused()
    bot.pause_s = 0.0

    page.get_by_role("button", name=re.compile("DLL: Delay-Locked Loop")).click()
    page.get_by_role("button", name="Dynamic-Link Library").click()
    expect(page.locator(".asked").last).to_contain_text("Asked again with DLL read as Dynamic-Link Library")
    expect(page.get_by_role("button", name=re.compile("DLL: Dynamic-Link Library"))).to_be_visible()
    (_, department, picks) = bot.asked[-1]
    assert department == "Interfaces"
    assert [(pick.term, pick.extended_name, pick.context, pick.kept) for pick in picks] == [
        ("DLL", "Dynamic-Link Library", "Software", False)
    ]

    page.get_by_role("button", name="This did not help").last.click()
    page.get_by_role("radio", name="The sources do not fit").check()
    page.get_by_role("textbox", name="Tell us more").fill("Page 8 is about DDR3.")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text("Thank you for telling us.")).to_be_visible()
    assert opinions == [
        {"turn": "turn-1", "verdict": "down", "reason": "wrong_source", "text": "Page 8 is about DDR3."}
    ]


def test_a_meaning_that_nobody_wrote_down_goes_into_the_question(visit: Opened, bot: WatchedBot) -> None:
    page = visit()
    ask(page, QUESTION)
    page.get_by_role("button", name=re.compile("DLL: Delay-Locked Loop")).click()
    page.get_by_role("button", name="Something else…").click()
    field = page.get_by_label("What does DLL mean here?")
    expect(field).to_be_focused()
    field.fill("Dual Lane Link")
    field.press("Enter")
    expect(page.locator(".certainty")).to_have_count(2)
    question, _, picks = bot.asked[-1]
    assert question == "What does Dual Lane Link (DLL) need to lock?"
    assert [(pick.term, pick.decision) for pick in picks] == [("DLL", "none")]


def test_history_goes_along_and_the_tab_remembers_until_a_new_conversation(visit: Opened, bot: WatchedBot) -> None:
    page = visit()
    ask(page, QUESTION)
    expect(page.locator(".certainty")).to_have_count(1)
    ask(page, "And when it is cold?")
    expect(page.locator(".certainty")).to_have_count(2)
    page.reload()
    expect(page.get_by_role("dialog", name="Ask the docs")).to_be_visible()
    # Whoever opens another page reads that one: nothing takes the focus away.
    assert page.evaluate("document.activeElement.tagName") == "BODY"
    expect(page.locator(".words")).to_have_text([QUESTION, "And when it is cold?"])
    ask(page, "And then?")
    expect(page.locator(".certainty")).to_have_count(3)
    assert [turn.role for turn in bot.histories[-1]] == ["user", "assistant"] * 2
    assert bot.histories[-1][1].text.startswith("The DLL needs 512 clock cycles to lock [1].")
    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_text("What would you like to know?")).to_be_visible()
    ask(page, QUESTION)
    expect(page.locator(".certainty")).to_have_count(1)
    assert bot.histories[-1] == ()


def test_refusals_and_questions_back_help_on(visit: Opened, bot: WatchedBot) -> None:
    page = visit(contact="the library team")
    ask(page, "What is PRL?")
    expect(page.get_by_role("heading", name="I do not know PRL")).to_be_visible()
    page.get_by_role("button", name="PLR").click()
    expect(page.locator(".asked").last).to_contain_text("What is PLR?")
    expect(page.locator(".certainty")).to_have_count(1)
    ask(page, "Who gets a parking permit?")
    card = page.locator(".card").last
    expect(card).to_contain_text("parking permit")
    expect(card).to_contain_text("House rules")
    expect(card).to_contain_text("ask the library team")
    ask(page, "Which DLL?")
    expect(page.get_by_role("heading", name="DLL has more than one meaning")).to_be_visible()
    page.get_by_role("button", name="Dynamic-Link Library").click()
    expect(page.locator(".asked").last).to_contain_text("Asked again with DLL read as Dynamic-Link Library")
    expect(page.locator(".certainty").last).to_be_visible()
    assert bot.asked[-1][2][0].extended_name == "Dynamic-Link Library"


def test_a_withdrawn_draft_goes_and_stopping_reaches_the_server(visit: Opened, bot: WatchedBot) -> None:
    page = visit()
    ask(page, f"withdraw: {QUESTION}")
    expect(page.locator(".draft")).to_contain_text("A first draft.")
    expect(page.get_by_text("Writing it again: a sentence was not supported")).to_be_visible()
    expect(page.locator(".draft")).not_to_contain_text("A first draft.")
    expect(page.locator(".certainty")).to_be_visible()
    ask(page, "wait")
    expect(page.locator(".draft")).to_contain_text("Half of")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".remark")).to_have_text("Stopped. Ask again whenever you like.")
    expect(page.get_by_role("textbox", name="Your question")).to_be_focused()
    assert bot.was_stopped.wait(30)
    assert bot.stopped == ["wait"]


def test_by_keyboard_alone(visit: Opened) -> None:
    page = visit()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    expect(launcher(page)).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("textbox", name="Your question")).to_be_focused()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    expect(page.locator(".certainty")).to_be_visible()
    names = []
    for _ in range(30):
        page.keyboard.press("Tab")
        names.append(page.evaluate(FOCUSED))
        if names[-1] == "Your question":
            break
    # Round once, through everything, and never out of the dialog.
    assert names[:3] == ["Ask", "New conversation", "Close"]
    assert names[-1] == "Your question"
    assert "Source 1: Interfaces Handbook, page 8. Show the passage." in names
    assert "This helped" in names
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Escape")
    expect(launcher(page)).to_be_focused()
    expect(page.get_by_role("dialog")).to_have_count(0)


FOCUSED = """() => {
  const focused = document.activeElement.shadowRoot && document.activeElement.shadowRoot.activeElement;
  return focused ? focused.getAttribute("aria-label") || focused.textContent : document.activeElement.tagName;
}"""


def test_what_a_screen_reader_finds(visit: Opened) -> None:
    page = visit()
    ask(page, QUESTION)
    expect(page.locator(".certainty")).to_be_visible()
    expect(page.get_by_role("dialog", name="Ask the docs")).to_match_aria_snapshot(
        """
        - dialog "Ask the docs":
          - heading "Ask the docs" [level=2]
          - button "New conversation"
          - button "Close"
          - log "Ask the docs":
            - article:
              - group "Answer":
                - group "How your words were read":
                  - button /^DLL. Delay-Locked Loop Interfaces change$/
                - paragraph:
                  - button /^Source 1. Interfaces Handbook, page 8. Show the passage.$/
                - region "Where it stands":
                  - list:
                    - listitem:
                      - button "Source 1 Interfaces Handbook page 8"
                - button "Copy with sources"
                - button "This helped"
                - button "This did not help"
          - textbox "Your question"
          - button "Ask"
        """
    )
    spoken = page.locator("[role=status][aria-live=polite]").first
    expect(spoken).to_contain_text("The DLL needs 512 clock cycles to lock")
    expect(spoken).to_contain_text("Fairly sure · 80 %")
    unnamed = page.evaluate(
        """() => [...document.querySelector("golden-retriever").shadowRoot.querySelectorAll("button, input, textarea")]
        .filter((each) => !(each.ariaLabel || each.textContent.trim() || (each.labels && each.labels.length))).length"""
    )
    assert unnamed == 0


def test_pages_of_other_origins_are_refused(visit: Opened, pages: str, bot: WatchedBot) -> None:
    page = visit(at=pages.replace("127.0.0.1", "localhost"))
    ask(page, QUESTION)
    expect(page.locator(".problem")).to_contain_text("cannot be reached from this page")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    assert not bot.asked


def test_where_keys_are_the_page_brings_one_or_a_token(visit: Opened, keyed: str, keys: KeyStore) -> None:
    secret, _ = keys.create("intranet")
    source = f"{keyed}/widget.js"
    page = visit(source=source, key=secret)
    ask(page, QUESTION)
    expect(page.locator(".certainty")).to_be_visible()
    page = visit(source=source, key="gr_wrong")
    ask(page, QUESTION)
    expect(page.locator(".problem")).to_contain_text("does not accept this page's key")
    hook = f"let calls = 0; window.GoldenRetriever = {{ token: async () => (calls++ ? '{secret}' : 'run-out') }}"
    page = visit(source=source, hook=hook)
    ask(page, QUESTION)
    expect(page.locator(".certainty")).to_be_visible()
    assert page.evaluate("calls") == 2


def test_a_busy_server_says_when_to_come_back(visit: Opened, keyed: str, keys: KeyStore, clock: list[float]) -> None:
    secret, _ = keys.create("busy")
    with httpx.Client(base_url=keyed, headers={"authorization": f"Bearer {secret}"}) as http:
        while http.get("/v1/models").status_code != 429:
            pass
    page = visit(source=f"{keyed}/widget.js", key=secret)
    ask(page, QUESTION)
    expect(page.locator(".problem")).to_contain_text(re.compile(r"You can try again (in 1 s|now)\."))
    expect(page.locator(".problem")).to_contain_text("You can try again now.")
    clock[0] += 1
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".certainty")).to_be_visible()


def test_offline_and_a_broken_answer_are_told_apart(visit: Opened, context: BrowserContext) -> None:
    page = visit()
    context.set_offline(True)
    ask(page, QUESTION)
    expect(page.locator(".problem")).to_contain_text("You seem to be offline")
    context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".certainty")).to_be_visible()
    ask(page, "crash")
    expect(page.locator(".problem").last).to_contain_text("Something broke inside the bot")
    expect(page.locator(".problem").last).not_to_contain_text("secret detail")


def test_hostile_answers_stay_text(visit: Opened) -> None:
    page = visit()
    ask(page, "hostile")
    expect(page.locator(".certainty")).to_be_visible()
    page.locator(".cite").click()
    page.locator(".read").click()
    shadow = page.locator("golden-retriever")
    expect(shadow.locator("img, iframe, script, i, b")).to_have_count(0)
    expect(page.locator("blockquote")).to_have_text("<img src=x onerror='window.pwned=1'>")
    expect(page.locator(".answer")).to_contain_text("[run](javascript:window.pwned=1)")
    expect(page.locator(".answer a")).to_have_count(1)
    expect(page.locator(".answer a")).to_have_attribute("rel", re.compile("noopener"))
    expect(page.locator(".answer a")).to_have_attribute("href", "https://wiki.example/a?b=1")
    expect(page.locator(".answer strong")).to_have_text("bold")
    expect(page.locator(".answer ol li")).to_have_text("deep")
    expect(page.locator(".answer pre")).to_have_text("<iframe src=x></iframe>")
    expect(page.locator(".answer td").first).to_have_text("<i>tRC</i>")
    assert page.evaluate("window.pwned") is None


LOOKS = """() => [".launcher", ".panel", "textarea", "h2", ".words", ".cite"].map((name) => {
  const { color, backgroundColor, fontSize, display, visibility, position } = getComputedStyle(
    document.querySelector("golden-retriever").shadowRoot.querySelector(name));
  return [name, color, backgroundColor, fontSize, display, visibility, position];
})"""


def test_no_style_of_the_page_reaches_in(visit: Opened) -> None:
    looks = []
    for style in ("", HOSTILE_CSS):
        page = visit(css=style)
        ask(page, QUESTION)
        expect(page.locator(".certainty")).to_be_visible()
        looks.append((page.evaluate(LOOKS), page.get_by_role("dialog").bounding_box()))
    assert looks[0] == looks[1]
    assert page.evaluate("Object.keys(window).filter((name) => /golden|retriever|dialog|texts/i.test(name))") == [
        "GoldenRetriever"
    ]


def test_under_a_strict_policy(visit: Opened, address: str) -> None:
    page = visit(csp=STRICT_CSP.format(bot=address))
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text) if "Content Security" in message.text else None)
    page.reload()
    ask(page, QUESTION)
    expect(page.locator(".certainty")).to_be_visible()
    expect(page.locator(".launcher")).to_have_css("background-color", "rgb(150, 97, 10)")
    # The page's own icon is none of ours.
    assert [each for each in refused if "data:," not in each] == []


@pytest.mark.parametrize("size", [(360, 640), (640, 380)])
def test_small_windows_show_all_of_it(visit: Opened, size: tuple[int, int]) -> None:
    page = visit()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    ask(page, QUESTION)
    expect(page.locator(".certainty")).to_be_visible()
    assert page.get_by_role("dialog").bounding_box() == {"x": 0, "y": 0, "width": size[0], "height": size[1]}
    for name in (".composer textarea", ".round", ".head"):
        expect(page.locator(f"golden-retriever {name}").first).to_be_in_viewport(ratio=1)
    assert (
        page.evaluate(
            """() => [...document.querySelector("golden-retriever").shadowRoot.querySelectorAll(".log, .log *")]
        .filter((each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX !== "visible"
          && !each.matches(".sr, pre, .scroll")).map((each) => each.className)"""
        )
        == []
    )


def test_languages_and_directions(visit: Opened) -> None:
    page = visit(lang="de-AT", title="Frag die Doku")
    page.get_by_role("button", name="Frag die Doku öffnen").click()
    expect(page.get_by_role("textbox", name="Ihre Frage")).to_be_visible()
    page = visit(lang="ar", dir="rtl")
    ask(page, QUESTION)
    expect(page.locator(".certainty")).to_be_visible()
    box = page.get_by_role("dialog").bounding_box()
    assert box is not None
    assert box["x"] < 40
    send = page.get_by_role("button", name="Ask", exact=True).bounding_box()
    assert send is not None
    assert send["x"] < box["x"] + box["width"] / 2


CONTRASTS = """() => {
  const parts = (colour) => (colour.match(/[\\d.]+/g) || []).map(Number);
  const light = (rgb) => rgb.slice(0, 3).map((each) => each / 255)
    .map((each) => (each <= 0.04045 ? each / 12.92 : ((each + 0.055) / 1.055) ** 2.4))
    .reduce((sum, each, place) => sum + each * [0.2126, 0.7152, 0.0722][place], 0);
  const ground = (node) => {
    for (let at = node; at && at.nodeType === 1; at = at.parentElement) {
      const rgb = parts(getComputedStyle(at).backgroundColor);
      if (rgb.length === 3 || rgb[3] === 1) return rgb;
    }
    return null;
  };
  const found = [];
  for (const node of document.querySelector("golden-retriever").shadowRoot.querySelectorAll(".root *")) {
    const own = [...node.childNodes].some((each) => each.nodeType === 3 && each.data.trim());
    if (!own || !node.getClientRects().length || node.closest(".sr")) continue;
    const [one, two] = [light(parts(getComputedStyle(node).color)), light(ground(node))].sort((a, b) => b - a);
    found.push([node.className || node.tagName, (one + 0.05) / (two + 0.05)]);
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_word_stands_out_in_either_scheme(visit: Opened, scheme: Any, context: BrowserContext) -> None:
    page = visit()
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    for question in (QUESTION, "What is PRL?", "Who gets a parking permit?", "Which DLL?", "crash"):
        ask(page, question)
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
    page.locator(".cite").first.click()
    page.locator(".read").first.click()
    page.locator(".other").first.click()
    page.get_by_role("button", name="This did not help").first.click()
    contrasts = page.evaluate(CONTRASTS)
    assert len(contrasts) > 40
    assert [each for each in contrasts if each[1] < 4.5] == []
    root = page.locator("golden-retriever .root")
    expect(root).to_have_attribute("data-scheme", scheme)
    page.evaluate("document.querySelector('golden-retriever').setAttribute('theme', 'dark')")
    expect(root).to_have_attribute("data-scheme", "dark")


@pytest.mark.parametrize("kind", ["kept", "stripped"])
def test_below_a_path_of_a_proxy(visit: Opened, serve_application: Serve, address: str, kind: str) -> None:
    with serve_application(proxy_to(address)) as proxy:
        page = visit(source=f"{proxy}/{kind}/widget.js")
        ask(page, QUESTION)
        expect(page.locator(".certainty")).to_be_visible()
        page.get_by_role("button", name="This helped").click()
        expect(page.get_by_text("Thank you for telling us.")).to_be_visible()
        page.close()


def test_the_chat_too_is_served_below_a_path(context: BrowserContext, serve_application: Serve) -> None:
    @asynccontextmanager
    async def open_web() -> AsyncIterator[FastAPI]:
        async with bot_server(WatchedBot(), (), prefix="/kept")() as web:
            mount_ui(web, build_ui(WatchedBot(), departments=()), prefix="/kept")
            yield web

    with serve_application(open_web) as served:
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{served}/kept/")
        page.get_by_label("Your question").fill(QUESTION)
        page.get_by_label("Your question").press("Enter")
        expect(page.locator(".certainty")).to_be_visible()
        assert [url for url in asked if url.startswith("http") and not url.startswith(f"{served}/kept/")] == []
        page.close()
