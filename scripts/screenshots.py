"""Take the screenshots for the docs, from a real server with the example documents.

Run it from the repository's root; only the pictures remain::

    .venv/bin/python scripts/screenshots.py

It starts ``golden serve`` on a free port with a temporary folder, and uses the pages in chromium as people do: it asks
questions (one with an answer, one with an unknown term, one with an ambiguous term, one without an answer in the
documents), gives a thumbs down, uploads a document, and runs the examples' quiz for the overview. It writes a picture
of each page, light and dark, to ``docs/images``. It needs chromium (or chrome) on PATH.
"""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import httpx
from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
QUESTION = "How many clock cycles does the DLL of a DDR3 part need to lock?"
UNKNOWN = "What is the limit for LDXQ on a TLC die?"
AMBIGUOUS = "What does CE mean?"
UNANSWERABLE = "What do we charge for a gigabyte of QLC flash?"
QUIZ_ASKED = 16
UPLOADED = ("burn-in-rack.md", "# Burn-in rack\n\nThe burn-in rack holds 240 parts at 125 degrees Celsius.\n")
SCHEMES = ("light", "dark")
SIZES = {"wide": (1440, 900), "narrow": (360, 740), "widget": (1000, 760)}
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
WIDGET_PAGE = ROOT / "examples" / "widget.html"
_COLOURS = 128
_PLAIN_PATHS = r"""() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode;
    text.data = text.data.replace(/^\/[^ ]*(?=\/documents\/)/, "/srv/golden");
  }
}"""
_PATIENCE_MS = 90_000
_ADDRESS_IN_PAGE = "http://127.0.0.1:7860"
_ADDRESS = re.compile(r"http://[\d.]+:\d+")


class Shot(NamedTuple):
    """A picture: its name, the address of its page, the window, and the steps before it is taken."""

    name: str
    path: str
    size: str
    prepare: Callable[[Page], None]


def main() -> None:
    """Take the pictures."""
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        sys.exit(f"no browser on PATH (looked for {', '.join(BROWSERS)}): install Debian's package chromium")
    with (
        TemporaryDirectory() as folder,
        intranet(Path(folder)) as pages,
        running_server(data_dir := Path(folder) / "data", pages) as address,
        sync_playwright() as playwright,
    ):
        page = WIDGET_PAGE.read_text(encoding="utf-8").replace(_ADDRESS_IN_PAGE, address)
        (Path(folder) / "index.html").write_text(page, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        shots = live_through(browser, address, Path(folder))
        shots.append(Shot("widget", pages, "widget", ask_widget))
        take(browser, address, shots)
        # Once a key exists, everybody must log in.
        make_key(data_dir)
        take(browser, address, [Shot("login", "/login", "wide", wait_for("form"))])
        browser.close()


def live_through(browser: Browser, address: str, folder: Path) -> list[Shot]:
    """Use the pages as people do; return the pictures to take."""
    page = browser.new_page(base_url=address, locale="en-GB")
    page.set_default_timeout(_PATIENCE_MS)
    places = {question: ask(page, question) for question in (UNANSWERABLE, AMBIGUOUS, UNKNOWN, QUESTION)}
    page.goto(places[UNANSWERABLE])
    page.locator("#live .thumb.down").click()
    page.locator("#live .thumb.down[aria-pressed=true]").wait_for()
    upload(page, folder)
    page.close()
    ask_quiz(address)
    answer, refusal = places[QUESTION], places[UNKNOWN]
    return [
        Shot("chat", answer, "wide", wait_for("#live .answer")),
        Shot("chat-360", answer, "narrow", wait_for("#live .answer")),
        Shot("answer-page", answer, "wide", open_citation),
        Shot("refusal", refusal, "wide", wait_for("#live .card")),
        Shot("dictionary", "/dictionary", "wide", wait_for("#content h1")),
        Shot("documents", "/documents", "wide", wait_for("#content table, #content li")),
        Shot("review", "/review", "wide", wait_for("#content h1")),
        Shot("overview", "/overview", "wide", wait_for(".overview .figures")),
    ]


def ask(page: Page, question: str) -> str:
    """Ask in a separate conversation; return the address of the conversation."""
    page.goto("/")
    # Until then the page may still restore the previous conversation.
    page.locator("#live .state").wait_for(state="attached")
    page.locator("#composer [data-action=new]").click()
    page.locator(".welcome:not(.waiting)").wait_for()
    page.locator("#composer textarea").fill(question)
    page.keyboard.press("Enter")
    page.locator("#live .state[data-busy=false][data-exchanges='1']").wait_for(state="attached")
    page.wait_for_url("**/?c=*")
    return "/?" + page.url.split("?", 1)[1]


def upload(page: Page, folder: Path) -> None:
    """Upload a document, and wait until it is in the library."""
    name, text = UPLOADED
    path = folder / name
    path.write_text(text, encoding="utf-8")
    page.goto("/documents")
    with page.expect_file_chooser() as chooser:
        page.locator("[data-pick]:not([data-pick=folder])").first.click()
    chooser.value.set_files(path)
    page.wait_for_function(
        "async (name) => (await (await fetch('/api/documents')).text()).includes(name)", arg=name, polling=500
    )


def ask_quiz(address: str) -> None:
    """Ask the questions of the examples' quiz through the API, so that the overview has something to show."""
    lines = (ROOT / "examples" / "quiz.jsonl").read_text(encoding="utf-8").splitlines()
    for line in lines[:: max(1, len(lines) // QUIZ_ASKED)]:
        body = {"messages": [{"role": "user", "content": json.loads(line)["question"]}]}
        httpx.post(f"{address}/v1/chat/completions", json=body, timeout=_PATIENCE_MS / 1_000).raise_for_status()


def wait_for(selector: str) -> Callable[[Page], None]:
    """Return a function that waits until the selected element is visible."""
    return lambda page: page.locator(selector).first.wait_for()


def open_citation(page: Page) -> None:
    """Open the first citation, and wait for the picture of its page."""
    page.locator("#live .cite").first.click()
    page.wait_for_function("() => [...document.querySelectorAll('#panel img')].some((each) => each.naturalWidth > 0)")


def ask_widget(page: Page) -> None:
    """Ask in the widget on a page of another origin, and open the first citation."""
    page.locator(".launcher").click()
    page.get_by_label("Your question").fill(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_selector(".reply[aria-busy=false]")
    page.locator(".cite").first.click()


def take(browser: Browser, address: str, shots: list[Shot]) -> None:
    """Write each picture, light and dark."""
    for name, path, size, prepare in shots:
        width, height = SIZES[size]
        for scheme in SCHEMES:
            context = browser.new_context(
                viewport={"width": width, "height": height}, color_scheme=scheme, base_url=address, locale="en-GB"
            )
            page = context.new_page()
            page.set_default_timeout(_PATIENCE_MS)
            page.goto(path)
            prepare(page)
            page.mouse.move(2, height - 2)
            # Wait until fonts, pictures and short transitions have settled.
            page.wait_for_load_state("networkidle")
            page.wait_for_timeout(700)
            # Hide the paths of this machine.
            page.evaluate(_PLAIN_PATHS)
            file = IMAGES / f"{name}-{scheme}.png"
            save(page.screenshot(), file)
            context.close()
            sys.stdout.write(f"{file} ({file.stat().st_size // 1_000} kB)\n")


def save(picture: bytes, file: Path) -> None:
    """Write a picture with few colours: a page needs no more, and the file is a third of the size."""
    with Image.open(io.BytesIO(picture)) as whole:
        few = whole.convert("RGB").quantize(_COLOURS, dither=Image.Dither.NONE)
        few.save(file, optimize=True)


def make_key(data_dir: Path) -> None:
    """Create a key: a server that has one refuses everybody without a key."""
    command = [sys.executable, "-m", "golden_retriever", "keys", "create", "pictures"]
    environment = {**os.environ, "GOLDEN_DATA_DIR": str(data_dir)}
    subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.DEVNULL)


@contextmanager
def intranet(folder: Path) -> Iterator[str]:
    """Serve the pages of ``folder`` from a separate origin; yield that origin."""

    class Quiet(SimpleHTTPRequestHandler):
        """Serves files without logging the requests."""

        def log_message(self, *_: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def running_server(data_dir: Path, pages: str) -> Iterator[str]:
    """Start ``golden serve`` on a free port, yield its address once it answers, and stop it at the end.

    Pages of the origin ``pages`` may ask questions.
    """
    command = [sys.executable, "-m", "golden_retriever", "serve", "--port", "0", "--starter", "examples"]
    environment = {
        **os.environ,
        "GOLDEN_DATA_DIR": str(data_dir),
        "PYTHONUNBUFFERED": "1",
        "GOLDEN_ALLOWED_ORIGINS": pages,
    }
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        address = next((found.group() for line in server.stdout if (found := _ADDRESS.search(line))), "")
        try:
            if not address:
                sys.exit("golden serve ended before it printed its address: run it by hand to see why")
            with httpx.Client(transport=httpx.HTTPTransport(retries=5)) as http:
                http.get(address)
            yield address
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
