"""A real chromium, and real servers on loopback."""

import asyncio
import shutil
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from urllib.parse import urlsplit

import pytest
import uvicorn
from fastapi import FastAPI
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ARGUMENTS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
Opener = Callable[[], AbstractAsyncContextManager[FastAPI]]


@contextmanager
def serve(open_web: Opener, *, patience_s: float = 60) -> Iterator[str]:
    """Serve an application from a thread with a loop of its own; yield its address."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        servers: list[uvicorn.Server] = []
        broken: list[BaseException] = []

        async def run() -> None:
            async with open_web() as web:
                servers.append(uvicorn.Server(uvicorn.Config(web, log_level="warning", timeout_graceful_shutdown=1)))
                await servers[0].serve(sockets=[listener])

        def work() -> None:
            try:
                asyncio.run(run())
            except BaseException as error:
                broken.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        deadline = time.monotonic() + patience_s
        while not (servers and servers[0].started) and not broken and time.monotonic() < deadline:
            time.sleep(0.05)
        if broken:
            raise broken[0]
        assert servers, f"the server did not start in {patience_s} s"
        yield f"http://127.0.0.1:{port}"
        servers[0].should_exit = True
        thread.join(timeout=20)


@pytest.fixture(scope="session")
def serve_application() -> Callable[..., object]:
    """Return ``serve``: test modules are no packages that could import it."""
    return serve


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Open the browser for one module: its event loop must be gone before other modules run async tests."""
    if CHROMIUM is None:
        pytest.skip("no chromium on PATH: install Debian's package chromium to run the browser tests")
    # What a page must come to show is waited for; how soon says the load of the machine, and no test asserts that.
    expect.set_options(timeout=30_000)
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield opened
        opened.close()


@pytest.fixture
def context(browser: Browser, address: str) -> Iterator[BrowserContext]:
    """Open a browser of its own on the module's ``address``; afterwards, check that no other host was asked."""
    opened = browser.new_context(viewport={"width": 1280, "height": 900}, base_url=address)
    hosts: set[str] = set()
    opened.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    yield opened
    opened.close()
    assert hosts - {""} == {urlsplit(address).netloc}
