"""The script that pages load."""

import re

import httpx
from fastapi import FastAPI

from serving.widget.routes import widget_router


def client() -> httpx.AsyncClient:
    app = FastAPI()
    app.include_router(widget_router())
    return httpx.AsyncClient(transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1")


async def test_any_page_may_load_the_script_and_keep_it_a_while() -> None:
    async with client() as http:
        got = await http.get("/widget.js", headers={"accept-encoding": "identity"})
        same = await http.get("/widget.js", headers={"if-none-match": f'"other", {got.headers["etag"]}'})
        head = await http.head("/widget.js")
    assert got.headers["content-type"] == "text/javascript; charset=utf-8"
    assert got.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "max-age=" in got.headers["cache-control"]
    assert (same.status_code, same.content) == (304, b"")
    assert (head.status_code, head.content) == (200, b"")


async def test_the_script_needs_nothing_else_and_writes_no_markup() -> None:
    async with client() as http:
        script = (await http.get("/widget.js")).text
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
                      "setAttribute(\"style\"", "import(", "localStorage", "document.cookie"):  # fmt: skip
        assert forbidden not in script
    # The only address in it names SVG's elements.
    assert set(re.findall(r"https?://[\w.]+[^\s\"'`)]*", script)) == {"http://www.w3.org/2000/svg"}


async def test_each_language_says_everything() -> None:
    async with client() as http:
        script = (await http.get("/widget.js")).text
    english, german = (
        re.findall(r"^\s+(\w+): [\"{\[]|[{,] (\w+): \"", table, re.MULTILINE)
        for table in re.split(r"^  (?:en|de): \{$", script, flags=re.MULTILINE)[1:3]
    )
    assert len(english) > 80
    assert english == german[: len(english)]
