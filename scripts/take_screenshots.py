"""Take the pictures of the chat and of the widget that the documents show, from the real server.

Run it from the repository's root::

    .venv/bin/python scripts/take_screenshots.py --data-dir .golden --starter examples

It starts ``golden serve`` on a free port, asks an example question, opens the first citation, and writes
``docs/images/chat.png`` (light) and ``docs/images/chat-dark.png``. Then it asks on ``examples/widget.html``, served
from another origin, for ``docs/images/widget.png`` and ``docs/images/widget-dark.png``. It needs chromium (or chrome)
on PATH.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[1]
QUESTION = "How many clock cycles does the DLL of a DDR3 part need to lock?"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")
WIDGET_PAGE = ROOT / "examples" / "widget.html"
WIDGET_SIZE = (1000, 760)
_ADDRESS_IN_PAGE = "http://127.0.0.1:7860"
_ADDRESS = re.compile(r"http://[\d.]+:\d+")


def main() -> None:
    """Take the pictures as the arguments say."""
    parser = argparse.ArgumentParser(description="Take the pictures of the chat for the documents.")
    parser.add_argument("--data-dir", type=Path, default=ROOT / ".golden", help="the server's data folder")
    parser.add_argument("--starter", type=Path, default=None, help="a folder to read on first use, such as examples")
    parser.add_argument("--question", default=QUESTION, help="what to ask")
    parser.add_argument("--department", default="", help="the department to choose first")
    parser.add_argument("--out", type=Path, default=ROOT / "docs" / "images", help="where the pictures go")
    parser.add_argument("--width", type=int, default=1280, help="the window's width in pixels")
    parser.add_argument("--height", type=int, default=900, help="the window's height in pixels")
    given = parser.parse_args()
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        sys.exit(f"no browser on PATH (looked for {', '.join(BROWSERS)}): install Debian's package chromium")
    given.out.mkdir(parents=True, exist_ok=True)
    with (
        TemporaryDirectory() as folder,
        intranet(Path(folder)) as pages,
        running_server(given.data_dir, given.starter, pages) as address,
        sync_playwright() as playwright,
    ):
        page = WIDGET_PAGE.read_text(encoding="utf-8").replace(_ADDRESS_IN_PAGE, address)
        (Path(folder) / "index.html").write_text(page, encoding="utf-8")
        browser = playwright.chromium.launch(executable_path=program, args=list(ARGUMENTS))
        for scheme, name in (("light", "chat.png"), ("dark", "chat-dark.png")):
            take(browser, address, given, scheme, given.out / name)
            sys.stdout.write(f"{given.out / name}\n")
        for scheme, name in (("light", "widget.png"), ("dark", "widget-dark.png")):
            take_widget(browser, pages, given.question, scheme, given.out / name)
            sys.stdout.write(f"{given.out / name}\n")
        browser.close()


@contextmanager
def intranet(folder: Path) -> Iterator[str]:
    """Serve the pages of ``folder`` from an origin of their own; yield it."""

    class Quiet(SimpleHTTPRequestHandler):
        """Serves files and says nothing of it."""

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@contextmanager
def running_server(data_dir: Path, starter: Path | None, pages: str, patience_s: float = 600) -> Iterator[str]:
    """Start ``golden serve`` on a free port; yield its address once it answers; stop it at the end.

    Pages of the origin ``pages`` may ask it.
    """
    command = [sys.executable, "-m", "golden_retriever", "serve", "--port", "0"]
    command += ["--starter", str(starter)] if starter is not None else []
    environment = {
        **os.environ,
        "GOLDEN_DATA_DIR": str(data_dir),
        "PYTHONUNBUFFERED": "1",
        "GOLDEN_ALLOWED_ORIGINS": pages,
    }
    with subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            address = _read_address(server.stdout)
            _wait_until_ready(address, patience_s)
            yield address
        finally:
            server.send_signal(signal.SIGINT)
            try:
                server.wait(timeout=15)
            except subprocess.TimeoutExpired:
                server.kill()


def take(browser: Browser, address: str, given: argparse.Namespace, scheme: str, path: Path) -> None:
    """Ask the question, open the first citation and write the picture."""
    context = browser.new_context(
        viewport={"width": given.width, "height": given.height},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = context.new_page()
    page.goto(address)
    page.wait_for_selector(".welcome", timeout=60_000)
    if given.department:
        page.get_by_label("Department").select_option(given.department)
    page.get_by_label("Your question").fill(given.question)
    page.keyboard.press("Enter")
    page.wait_for_selector("#live [aria-busy=false]", timeout=60_000)
    if page.locator("#live .cite").count():
        page.locator("#live .cite").first.click()
        page.wait_for_selector("#panel .passage", timeout=30_000)
    page.mouse.move(2, given.height - 2)
    # Fonts, the page's picture and short transitions come to rest.
    page.wait_for_timeout(700)
    page.screenshot(path=path)
    context.close()


def take_widget(browser: Browser, pages: str, question: str, scheme: str, path: Path) -> None:
    """Ask the question on the page with the widget, open the first citation and write the picture."""
    width, height = WIDGET_SIZE
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,  # type: ignore[arg-type]
    )
    page = context.new_page()
    page.goto(pages)
    page.locator(".launcher").click(timeout=60_000)
    page.get_by_label("Your question").fill(question)
    page.keyboard.press("Enter")
    page.wait_for_selector(".reply[aria-busy=false]", timeout=60_000)
    if page.locator(".cite").count():
        page.locator(".cite").first.click()
    page.mouse.move(2, height - 2)
    page.wait_for_timeout(700)
    page.screenshot(path=path)
    context.close()


def _read_address(lines: IO[str]) -> str:
    for line in lines:
        if found := _ADDRESS.search(line):
            return found.group()
    sys.exit("golden serve ended before it named its address: run it by hand to see why")


def _wait_until_ready(address: str, patience_s: float) -> None:
    deadline = time.monotonic() + patience_s
    while time.monotonic() < deadline:
        try:
            with urllib.request.urlopen(address, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.3)
    sys.exit(f"{address} did not answer in {patience_s:.0f} s")


if __name__ == "__main__":
    main()
