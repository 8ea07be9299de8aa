"""The chat's page under the policy of the server that it is served by: nothing of it is refused by the browser."""

from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, asynccontextmanager

import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, expect

from tests.ui.scripted_bot import ScriptedBot
from tests.ui.scripted_services import build_pages

pytestmark = pytest.mark.browser
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
def address(serve_application: Callable[..., AbstractContextManager[str]]) -> Iterator[str]:
    @asynccontextmanager
    async def open_web() -> AsyncIterator[FastAPI]:
        # The server's own application sends the policy.
        yield build_pages(ScriptedBot(pause_s=0.02))

    with serve_application(open_web) as served:
        yield served


def test_the_page_works_with_nothing_refused_and_what_is_put_into_it_does_not_run(
    browser: Browser, address: str
) -> None:
    context = browser.new_context(base_url=address)
    context.add_init_script(WATCH)
    page = context.new_page()
    page.goto("/")
    expect(page.locator(".welcome")).to_be_visible()
    box = page.get_by_label("Your question")
    box.fill("What does DLL need to lock?")
    box.press("Enter")
    expect(page.locator(".certainty")).to_have_text("Found · 80 %")
    page.locator(".answer .cite").first.click()
    expect(page.locator("#panel mark")).to_be_visible()
    assert page.evaluate("window.refused") == []
    refused = page.evaluate(FOREIGN)
    assert [each.split(" ")[0] for each in refused] == ["script-src-elem", "img-src"]
    assert page.evaluate("window.injected === undefined")
    context.close()
