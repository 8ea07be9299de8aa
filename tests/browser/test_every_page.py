"""What holds of every page: hostile text does nothing, axe finds nothing, all fits, and the keyboard gets everywhere.

Hostile text comes from documents, file names, the dictionary, questions, feedback and a language model.
"""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from golden_retriever.wiring import Application
from tests.browser.axe import expect_accessible
from tests.browser.questions import ask_to_the_end
from tests.browser.servers import serve_bot
from tests.golden_retriever.chat_server import MODELS, ChatServer, chatting

pytestmark = [pytest.mark.browser, pytest.mark.slow]

PAYLOADS = (
    "<img src=x onerror=hacked=1>",
    "<script>hacked=1</script>",
    '"><svg onload=hacked=1>',
    "[link](javascript:hacked=1)",
    "{{constructor.constructor('hacked=1')()}} ${hacked=1}",
)
HOSTILE = " ".join(PAYLOADS)
FACT = "The Zindel valve of the tunnel kiln opens at 417 degrees"
QUESTION = "At what temperature does the Zindel valve of the tunnel kiln open?"
TABS = ("terms", "candidates", "queue", "import", "history", "contexts")
PLACES = (
    "/",
    *(f"/dictionary?tab={tab}" for tab in TABS),
    "/documents",
    "/documents?doc={document}",
    "/review",
    "/review?turn={turn}",
    "/review?tab=cases",
    "/review?tab=runs",
    "/overview",
)
WATCH = """window.tried = [];
document.addEventListener("securitypolicyviolation", (event) => window.tried.push(event.sample || event.blockedURI));"""


SHIFTED = """() => new Promise((done) => {
  let shifted = 0;
  new PerformanceObserver((list) => {
    for (const each of list.getEntries()) shifted += each.hadRecentInput ? 0 : each.value;
  }).observe({ type: "layout-shift", buffered: true });
  setTimeout(() => done(shifted), 100);
})"""


@pytest.fixture(scope="module")
def chat() -> Iterator[ChatServer]:
    with chatting(ChatServer(answer=f"{FACT}. {HOSTILE}", summary=HOSTILE)) as opened:
        yield opened


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, chat: ChatServer) -> Iterator[str]:
    files: dict[str, str | bytes] = {}
    for number, payload in enumerate(PAYLOADS):
        name = payload.replace("/", "-").replace(":", "-")
        text = f"# {payload}\n\n{FACT} {payload}. The Hostile Markup Text{number} (HMT{number}) is {payload}.\n"
        files |= {f"{name}.md": text, f"{name}.txt": ""}

    def fill_dictionary(application: Application) -> None:
        for payload in PAYLOADS:
            fields = {"context": payload, "description": payload, "aliases": (f"A {payload}",)}
            application.jargon.add_sense(payload, payload, **fields)
            application.jargon.record_unknown(f"QX {payload}", payload, payload)

    model = f"{chat.address}#{MODELS[0]}"
    with serve_bot(tmp_path_factory.mktemp("bot"), files, prepare=fill_dictionary, llm=model) as served:
        yield served


@pytest.fixture(scope="module")
def places(address: str) -> dict[str, str]:
    """Ask, complain and make a test case of it; return the ids for ``PLACES``."""
    with httpx.Client(base_url=address, headers={"x-golden-request": "1"}, timeout=180) as http:
        body = {"messages": [{"role": "user", "content": f"{QUESTION} {HOSTILE}"}]}
        message = http.post("/v1/chat/completions", json=body).raise_for_status().json()["choices"][0]["message"]
        turn = str(message["golden"]["turn_id"])
        opinion = {"turn": turn, "verdict": "down", "reason": "wrong", "text": HOSTILE}
        http.post("/api/feedback", json=opinion).raise_for_status()
        case = {"question": HOSTILE, "expect": "answered", "answer": HOSTILE}
        http.post(f"/api/review/{turn}/case", json=case).raise_for_status()
        (document, *_) = http.get("/api/documents", params={"state": "ready"}).json()["documents"]
        return {"turn": turn, "document": document["id"]}


@pytest.fixture
def page(context: BrowserContext) -> Page:
    context.add_init_script(WATCH)
    return context.new_page()


def go(page: Page, place: str, places: dict[str, str]) -> None:
    page.goto(place.format(**places))
    expect(page.locator("#content, .welcome:not(.waiting)").first).to_be_visible()
    expect(page.locator("[aria-busy=true]")).to_have_count(0)


def test_a_hostile_answer_is_shown_and_does_nothing(page: Page, places: dict[str, str]) -> None:
    go(page, "/", places)
    ask_to_the_end(page, f"{QUESTION} {HOSTILE}")
    page.locator("#live .cite").first.click()
    expect(page.locator("#panel mark").first).to_be_visible()
    expect_harmless(page)
    assert "hacked=1" in page.locator("body").inner_text()


def expect_harmless(page: Page) -> None:
    """Open all that can be opened, and see that nothing ran and nothing was refused that tried to."""
    for details in page.locator("details").all():
        details.evaluate("(each) => { each.open = true; }")
    page.mouse.move(200, 200)
    assert page.evaluate("[window.hacked, window.tried]") == [None, []]


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (768, "dark"), (1024, "dark"), (1280, "light")])
def test_nothing_moves_all_fits_axe_finds_nothing_and_hostile_text_does_nothing(
    browser: Browser, address: str, places: dict[str, str], width: int, scheme: str
) -> None:
    page = browser.new_page(base_url=address, viewport={"width": width, "height": 900}, color_scheme=scheme)  # type: ignore[arg-type]
    page.add_init_script(WATCH)
    for place in PLACES:
        go(page, place, places)
        assert page.evaluate(SHIFTED) <= 0.1, place
        # At 640 pixels, what is shown of a window of 1280 at 200 %.
        for narrow in (640, 1280) if width == 1280 else (width,):
            page.set_viewport_size({"width": narrow, "height": 900})
            wide = page.evaluate("document.documentElement.scrollWidth")
            assert wide <= narrow, f"{place} is {wide} px wide at {narrow} px"
        lightness = page.evaluate("getComputedStyle(document.body).backgroundColor.match(/[0-9]+/g).map(Number)")
        assert (max(lightness[:3]) < 80) == (scheme == "dark"), place
        expect_accessible(page)
        expect_harmless(page)
        if place not in ("/", "/dictionary?tab=import", "/review?tab=runs", "/overview"):
            assert "hacked=1" in page.locator("body").inner_text(), place
    page.close()


@pytest.mark.parametrize("place", ["/", "/dictionary?tab=terms", "/documents", "/review", "/overview"])
def test_keyboard_reaches_everything_in_the_order_of_the_page(page: Page, places: dict[str, str], place: str) -> None:
    go(page, place, places)
    page.locator(".skip").focus()
    reached: list[tuple[int, str]] = []
    for _ in range(200):
        step = page.evaluate(
            """() => {
              const all = [...document.querySelectorAll("*")], at = document.activeElement;
              if (!at || at === document.body) return null;
              const style = getComputedStyle(at);
              const seen = style.outlineStyle !== "none" || style.boxShadow !== "none" || at.matches(".skip");
              return { place: all.indexOf(at), name: at.outerHTML.slice(0, 80), seen };
            }"""
        )
        if step is None:
            break
        assert step["seen"], f"no focus is shown on {step['name']}"
        reached.append((step["place"], step["name"]))
        page.keyboard.press("Tab")
    assert len(reached) > 5
    assert reached == sorted(reached), "the focus jumps"
