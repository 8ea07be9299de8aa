"""Pages of other sites: no route of a server without keys serves them, Gradio's own among them, and no file stays."""

import asyncio
import re
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any

import httpx
import pytest

from serving.health import PATHS as HEALTH_PATHS
from tests.golden_retriever.routes import every_route
from tests.servers import client_of
from tests.ui.scripted_bot import ScriptedBot
from tests.ui.scripted_services import build_pages

FILES = {"files": ("a.pdf", b"%PDF-1.7")}
OTHER_SITES: Sequence[dict[str, str]] = (
    {"origin": "https://evil.example", "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
    {"origin": "http://127.0.0.1:9", "sec-fetch-site": "same-site", "sec-fetch-mode": "cors"},
    {"origin": "https://evil.example"},
    {"origin": "null"},
    {"sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors"},
)


@pytest.fixture
def web(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "uploads"))
    return build_pages(ScriptedBot())


@pytest.fixture
async def http(web: Any) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(web) as http:
        yield http


async def test_no_route_serves_another_site(web: Any, http: httpx.AsyncClient, subtests: pytest.Subtests) -> None:
    for headers in OTHER_SITES:
        with subtests.test(headers=headers):
            some = {("POST", "/gradio_api/upload"), ("GET", "/config"), ("POST", "/v1/chat/completions")}
            routes = {each for each in every_route(web.routes) if each[1] not in HEALTH_PATHS}
            assert some <= routes
            # Each route asks the one guard: that it refuses all of them is told by some.
            for method, path in sorted(routes if headers is OTHER_SITES[0] else some):
                response = await http.request(method, re.sub(r"[{}]|:path", "", path), headers=headers)
                assert response.status_code == 403, (method, path)


async def test_a_link_of_another_site_opens_the_page(http: httpx.AsyncClient) -> None:
    link = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert (await http.get("/", headers=link)).status_code == 200
    assert (await http.post("/gradio_api/queue/join", json={}, headers=link)).status_code == 403


async def test_gradio_keeps_no_file(http: httpx.AsyncClient, tmp_path: Path, subtests: pytest.Subtests) -> None:
    for path in ["/gradio_api/upload", "/gradio_api/upload/", "/gradio_api/process_recording"]:
        with subtests.test(path=path):
            response = await http.post(path, files=FILES, headers={"X-Golden-Request": "1"}, follow_redirects=True)
            assert response.status_code == 403
            assert "send documents to /api/documents" in response.json()["error"]["message"]
            assert not await asyncio.to_thread(lambda: list(tmp_path.rglob("*.pdf")))
