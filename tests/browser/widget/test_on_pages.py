"""The widget on its page: by keyboard, by ear, under hostile styles and strict policies, small, below a path."""

import re
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, expect

from tests.browser.axe import expect_accessible
from tests.browser.servers import serve_chat
from tests.browser.widget.site import (
    HOSTILE_CSS,
    QUESTION,
    STRICT_CSP,
    Opened,
    WatchedBot,
    ask,
    ask_to_the_end,
    launcher,
)

# Minutes in a real browser: make test MARKS=slow, and CI.
pytestmark = [pytest.mark.browser, pytest.mark.slow]


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
    ask_to_the_end(page)
    expect(page.get_by_role("dialog", name="Ask the docs")).to_match_aria_snapshot(
        """
        - dialog "Ask the docs":
          - heading "Ask the docs" [level=2]
          - button "New conversation"
          - button "Close"
          - log "Ask the docs":
            - article:
              - group "Answer":
                - group "How your terms were interpreted":
                  - button /^DLL. Delay-Locked Loop Interfaces change$/
                - paragraph:
                  - button /^Source 1. Interfaces Handbook, page 8. Show the passage.$/
                - region "Sources":
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
    expect(spoken).to_contain_text("Found · 80 %")


def test_pages_of_other_origins_are_refused(visit: Opened, pages: str, bot: WatchedBot) -> None:
    page = visit(at=pages.replace("127.0.0.1", "localhost"))
    ask(page, QUESTION)
    expect(page.locator(".problem")).to_contain_text("cannot be reached from this page")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()
    assert not bot.asked


def test_hostile_answers_stay_text(visit: Opened) -> None:
    page = visit()
    ask(page, "hostile")
    expect(page.locator(".certainty")).to_be_visible()
    page.locator(".cite").click()
    page.locator(".chip-button").click()
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


LOOKS = """() => [".launcher", ".panel", "textarea", "h2", ".question-text", ".cite"].map((name) => {
  const { color, backgroundColor, fontSize, display, visibility, position } = getComputedStyle(
    document.querySelector("golden-retriever").shadowRoot.querySelector(name));
  return [name, color, backgroundColor, fontSize, display, visibility, position];
})"""


def test_no_style_of_the_page_reaches_in(visit: Opened) -> None:
    looks = []
    for style in ("", HOSTILE_CSS):
        page = visit(css=style)
        ask_to_the_end(page)
        looks.append((page.evaluate(LOOKS), page.get_by_role("dialog").bounding_box()))
    assert looks[0] == looks[1]
    names = page.evaluate("Object.keys(window).filter((name) => /golden|retriever|dialog|texts/i.test(name))")
    assert names == ["GoldenRetriever"]


def test_under_a_strict_policy(visit: Opened, address: str) -> None:
    page = visit(csp=STRICT_CSP.format(bot=address))
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text) if "Content Security" in message.text else None)
    page.reload()
    ask_to_the_end(page)
    expect(page.locator(".launcher")).to_have_css("background-color", "rgb(150, 97, 10)")
    # The page's own icon is none of ours.
    assert [each for each in refused if "data:," not in each] == []


CUT_OFF = """() => [...document.querySelector("golden-retriever").shadowRoot.querySelectorAll(".log, .log *")]
  .filter((each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).overflowX !== "visible"
    && !each.matches(".sr, pre, .scroll")).map((each) => each.className)"""


@pytest.mark.parametrize("size", [(360, 640), (640, 380)])
def test_small_windows_show_all_of_it(visit: Opened, size: tuple[int, int]) -> None:
    page = visit()
    page.set_viewport_size({"width": size[0], "height": size[1]})
    ask_to_the_end(page)
    assert page.get_by_role("dialog").bounding_box() == {"x": 0, "y": 0, "width": size[0], "height": size[1]}
    for name in (".composer textarea", ".round", ".head"):
        expect(page.locator(f"golden-retriever {name}").first).to_be_in_viewport(ratio=1)
    assert page.evaluate(CUT_OFF) == []


def test_languages_and_directions(visit: Opened) -> None:
    page = visit(lang="de-AT", title="Frag die Doku")
    page.get_by_role("button", name="Frag die Doku öffnen").click()
    expect(page.get_by_role("textbox", name="Ihre Frage")).to_be_visible()
    page = visit(lang="ar", dir="rtl")
    ask_to_the_end(page)
    box = page.get_by_role("dialog").bounding_box()
    assert box is not None
    assert box["x"] < 40
    send = page.get_by_role("button", name="Ask", exact=True).bounding_box()
    assert send is not None
    assert send["x"] < box["x"] + box["width"] / 2


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_in_either_scheme(visit: Opened, scheme: Any) -> None:
    page = visit()
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    for question in (QUESTION, "What is PRL?", "Who gets a parking permit?", "Which DLL?", "crash"):
        ask(page, question)
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
    page.locator(".cite").first.click()
    page.locator(".chip-button").first.click()
    page.locator(".other").first.click()
    page.get_by_role("button", name="This did not help").first.click()
    expect_accessible(page, "golden-retriever")
    root = page.locator("golden-retriever .root")
    expect(root).to_have_attribute("data-scheme", scheme)
    page.evaluate("document.querySelector('golden-retriever').setAttribute('theme', 'dark')")
    expect(root).to_have_attribute("data-scheme", "dark")


def test_below_a_path_of_a_proxy(visit: Opened, context: BrowserContext, address: str) -> None:
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    page = visit(source=f"{address}/kept/widget.js")
    ask_to_the_end(page)
    page.get_by_role("button", name="This helped").click()
    expect(page.get_by_text("Thank you for your feedback.")).to_be_visible()
    assert {url.removeprefix(address)[:6] for url in asked if url.startswith(address)} == {"/kept/"}


def test_the_chat_too_is_served_below_a_path(context: BrowserContext) -> None:
    with serve_chat(WatchedBot(), prefix="/kept") as served:
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(f"{served}/kept/")
        page.get_by_label("Your question").fill(QUESTION)
        page.get_by_label("Your question").press("Enter")
        expect(page.locator(".certainty")).to_be_visible()
        assert [url for url in asked if url.startswith("http") and not url.startswith(f"{served}/kept/")] == []
        page.close()
