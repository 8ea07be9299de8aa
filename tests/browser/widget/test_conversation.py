"""What people and the widget say to each other, on a page of another origin than the bot's."""

import re
from collections.abc import Sequence
from typing import Any

import httpx
import pytest
from playwright.sync_api import BrowserContext, expect

from contracts.question import SensePick
from library.keys import KeyStore
from library.store import LibraryStore
from tests.browser.widget.site import QUESTION, Opened, WatchedBot, ask, ask_to_the_end

# Minutes in a real browser: make test MARKS=slow, and CI.
pytestmark = [pytest.mark.browser, pytest.mark.slow]


def test_from_a_question_to_the_passage_another_meaning_and_an_opinion(
    visit: Opened, bot: WatchedBot, opinions: list[dict[str, Any]]
) -> None:
    page = visit(department="Interfaces")
    ask(page, QUESTION)
    expect(page.locator(".certainty")).to_have_text("Found · 80 %")
    expect(page.locator(".draft")).to_have_count(0)
    expect(page.locator(".weak.unfaithful")).to_have_text("It locks faster when it is cold")
    expect(page.locator(".unsupported")).to_contain_text("No passage speaks of temperature.")
    page.locator(".cite").first.click()
    expect(page.locator("blockquote").first).to_have_text("The DLL needs 512 clock cycles to lock.")
    expect(page.get_by_role("button", name="Source 1 Interfaces Handbook page 8")).to_be_focused()

    page.get_by_role("button", name=re.compile("DLL: Delay-Locked Loop")).click()
    page.get_by_role("button", name="Dynamic-Link Library").click()
    expect(page.locator(".asked").last).to_contain_text("Asked again with DLL interpreted as Dynamic-Link Library")
    expect(page.get_by_role("button", name=re.compile("DLL: Dynamic-Link Library"))).to_be_visible()
    pick = SensePick(term="DLL", extended_name="Dynamic-Link Library", context="Software")
    assert bot.asked[-1][1:] == ("Interfaces", (pick,))

    page.get_by_role("button", name="This did not help").last.click()
    page.get_by_role("radio", name="The sources are wrong").check()
    page.get_by_role("textbox", name="Tell us more").fill("Page 8 is about DDR3.")
    page.get_by_role("button", name="Send", exact=True).click()
    expect(page.get_by_text("Thank you for your feedback.")).to_be_visible()
    opinion = {"verdict": "down", "reason": "wrong_source", "text": "Page 8 is about DDR3."}
    assert opinions == [{"turn": "turn-1", **opinion}]


WATCH_SHIFTS = """() => {
  window.shifted = 0;
  const add = (list) => { for (const each of list.getEntries()) window.shifted += each.value; };
  new PerformanceObserver(add).observe({ type: "layout-shift" });
}"""


@pytest.mark.parametrize(
    ("language", "shown"),
    [
        ("en", ("Reading your question…", "Searching 1,200 passages…", "Writing the answer…")),
        ("de", ("Ihre Frage wird gelesen…", "1.200 Textstellen werden durchsucht…", "Die Antwort wird geschrieben…")),
    ],
)
def test_progress_is_shown_and_said_in_plain_words_and_moves_nothing(
    visit: Opened, bot: WatchedBot, language: str, shown: Sequence[str]
) -> None:
    page = visit(lang=language)
    page.set_viewport_size({"width": 360, "height": 740})
    bot.holds += ["identify_jargon", "retrieve", "draft"]
    page.locator(".launcher").click()
    page.locator("textarea").fill(QUESTION)
    page.evaluate(WATCH_SHIFTS)
    page.keyboard.press("Enter")
    for phase in shown:
        expect(page.locator(".progress")).to_have_text(phase)
        expect(page.locator("[role=status]")).to_have_text(phase)
        bot.go_on.put(None)
    expect(page.locator(".certainty")).to_be_visible()
    assert page.evaluate("window.shifted") == 0


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


def test_a_page_can_keep_its_questions_to_documents(visit: Opened, bot: WatchedBot, library: LibraryStore) -> None:
    (document,) = library.documents()
    page = visit(documents=document.id)
    ask_to_the_end(page)
    assert bot.askers[-1].documents == {document.id}
    unknown = visit(documents="gone")
    ask(unknown, QUESTION)
    expect(unknown.get_by_text("There is no document 'gone'").first).to_be_visible()


def test_history_goes_along_and_the_tab_remembers_until_a_new_conversation(visit: Opened, bot: WatchedBot) -> None:
    page = visit()
    conversations: list[str] = []
    page.on("request", lambda sent: conversations.append(sent.post_data_json["golden"]["conversation"])
            if sent.method == "POST" else None)  # fmt: skip
    ask(page, QUESTION)
    expect(page.locator(".certainty")).to_have_count(1)
    ask(page, "And when it is cold?")
    expect(page.locator(".certainty")).to_have_count(2)
    page.reload()
    expect(page.get_by_role("dialog", name="Ask the docs")).to_be_visible()
    # Whoever opens another page reads that one: nothing takes the focus away.
    assert page.evaluate("document.activeElement.tagName") == "BODY"
    expect(page.locator(".question-text")).to_have_text([QUESTION, "And when it is cold?"])
    ask(page, "And then?")
    expect(page.locator(".certainty")).to_have_count(3)
    assert [turn.role for turn in bot.heard[-1]] == ["user", "assistant"] * 2
    assert bot.heard[-1][1].text.startswith("The DLL needs 512 clock cycles to lock [1].")
    page.get_by_role("button", name="New conversation").click()
    expect(page.get_by_text("What would you like to know?")).to_be_visible()
    ask(page, QUESTION)
    expect(page.locator(".certainty")).to_have_count(1)
    assert bot.heard[-1] == ()
    first, *others, last = conversations
    assert others == [first, first]
    assert last != first


def test_refusals_and_questions_back_help_on(visit: Opened, bot: WatchedBot) -> None:
    page = visit(contact="the library team")
    ask(page, "What is PRL?")
    expect(page.get_by_role("heading", name="I do not know PRL")).to_be_visible()
    page.get_by_role("button", name="PLR").click()
    expect(page.locator(".asked").last).to_contain_text("What is PLR?")
    expect(page.locator(".certainty")).to_have_count(1)
    ask(page, "Who gets a parking permit?")
    card = page.locator(".closest").last
    expect(card).to_contain_text("parking permit")
    expect(card).to_contain_text("House rules")
    expect(card).to_contain_text("ask the library team")
    ask(page, "Which DLL?")
    expect(page.get_by_role("heading", name="DLL has more than one meaning")).to_be_visible()
    page.get_by_role("button", name="Dynamic-Link Library").click()
    expect(page.locator(".asked").last).to_contain_text("Asked again with DLL interpreted as Dynamic-Link Library")
    expect(page.locator(".certainty")).to_have_count(2)
    assert bot.asked[-1][2][0].extended_name == "Dynamic-Link Library"


def test_a_withdrawn_draft_goes_and_stopping_reaches_the_server(visit: Opened, bot: WatchedBot) -> None:
    page = visit()
    ask(page, f"withdraw: {QUESTION}")
    expect(page.locator(".draft")).to_contain_text("A first draft.")
    bot.go_on.put(None)
    expect(page.get_by_text("Rewriting the answer: a sentence was not supported")).to_be_visible()
    expect(page.locator(".draft")).not_to_contain_text("A first draft.")
    bot.go_on.put(None)
    expect(page.locator(".certainty")).to_be_visible()
    ask(page, "wait")
    expect(page.locator(".draft")).to_contain_text("Half of")
    page.get_by_role("button", name="Stop").click()
    expect(page.locator(".remark")).to_have_text("Stopped. Ask again whenever you like.")
    expect(page.get_by_role("textbox", name="Your question")).to_be_focused()
    assert bot.was_stopped.wait(30)
    assert bot.stopped == ["wait"]


def test_where_keys_are_the_page_brings_one_or_a_token(visit: Opened, keyed: str, keys: KeyStore) -> None:
    secret, _ = keys.create("intranet")
    source = f"{keyed}/widget.js"
    page = visit(source=source, key=secret)
    ask_to_the_end(page)
    page = visit(source=source, key="gr_wrong")
    ask(page, QUESTION)
    expect(page.locator(".problem")).to_contain_text("does not accept this page's key")
    hook = f"let calls = 0; window.GoldenRetriever = {{ token: async () => (calls++ ? '{secret}' : 'run-out') }}"
    page = visit(source=source, hook=hook)
    ask_to_the_end(page)
    assert page.evaluate("calls") == 2


def test_a_busy_server_says_when_to_come_back(visit: Opened, keyed: str, keys: KeyStore, clock: list[float]) -> None:
    secret, _ = keys.create("busy")
    with httpx.Client(base_url=keyed, headers={"authorization": f"Bearer {secret}"}) as http:
        while (refused := http.get("/v1/models")).status_code != 429:
            pass
    clock[0] += int(refused.headers["retry-after"]) - 2
    page = visit(source=f"{keyed}/widget.js", key=secret)
    ask(page, QUESTION)
    expect(page.locator(".problem")).to_contain_text(re.compile(r"You can try again (in [12] s|now)\."))
    expect(page.locator(".problem")).to_contain_text("You can try again now.")
    clock[0] += 3
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
