"""Which pages of others may ask from a browser, the script that they load, and the path prefix before it all."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import pytest
from fastapi import APIRouter
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from contracts.errors import ConfigurationError
from golden_retriever.settings import load_settings
from library.keys import KeyStore
from serving.identity.credentials import KeyRecogniser
from serving.identity.guards import Guard
from serving.origins import SharedOrigins
from serving.routing import guarded_router
from serving.widget.routes import widget_router
from tests.servers import app_of
from tests.ui.scripted_bot import ScriptedBot

INTRANET, FOREIGN = "https://intranet.example", "https://evil.example"
ASK = {"messages": [{"role": "user", "content": "What does DLL need to lock?"}], "stream": True}
PREFLIGHT = {"access-control-request-method": "POST", "access-control-request-headers": "authorization,content-type"}
FROM_PAGE = {"origin": INTRANET, "sec-fetch-site": "cross-site"}


def managing_router() -> APIRouter:
    """Return routes of the kind that no page of others may use, and feedback's, of which they may give some."""
    router = guarded_router("", "managing", "manage")

    @router.get("/api/documents")
    async def documents() -> list[str]:
        return ["plan.pdf"]

    @router.api_route("/api/feedback", methods=["GET", "POST"])
    @router.api_route("/api/feedback/{turn}", methods=["GET", "DELETE"])
    async def feedback() -> list[str]:
        return []

    return router


@asynccontextmanager
async def serve(keys: KeyStore | None = None, *, prefix: str = "") -> AsyncIterator[httpx.AsyncClient]:
    guard = Guard([KeyRecogniser(keys)]) if keys else Guard()
    routers = [widget_router(), managing_router()]
    app = app_of(ScriptedBot(), routers=routers, guard=guard, origins=[INTRANET], prefix=prefix)
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:7860") as http:
        yield http


def cors_of(response: httpx.Response) -> dict[str, str]:
    return {name: value for name, value in response.headers.items() if name.startswith("access-control")}


async def test_allowed_origin_can_ask_with_a_key_if_keys_exist(store: KeyStore, key: str) -> None:
    async with serve() as http:
        answer = await http.post("/v1/chat/completions", json=ASK, headers=FROM_PAGE)
    async with serve(keys=store) as http:
        without = await http.post("/v1/chat/completions", json=ASK, headers=FROM_PAGE)
        headers = FROM_PAGE | {"authorization": f"Bearer {key}"}
        with_key = await http.post("/v1/chat/completions", json=ASK, headers=headers)
    # The page can also read why it is refused, so that it can tell its users.
    assert [each.status_code for each in (answer, without, with_key)] == [200, 401, 200]
    for each in (answer, without, with_key):
        assert cors_of(each) == {
            "access-control-allow-origin": INTRANET,
            "access-control-expose-headers": "retry-after, x-request-id",
        }
    assert "origin" in answer.headers["vary"].lower()
    assert without.json()["error"]["code"] == "missing_api_key"


async def test_preflight_needs_no_key_and_lists_allowed_methods_and_headers(store: KeyStore) -> None:
    store.create("widget")
    async with serve(keys=store) as http:
        response = await http.options("/v1/chat/completions", headers=FROM_PAGE | PREFLIGHT)
    assert response.status_code == 200
    assert response.headers["access-control-allow-origin"] == INTRANET
    assert "POST" in response.headers["access-control-allow-methods"]
    assert "authorization" in response.headers["access-control-allow-headers"]
    assert "content-type" in response.headers["access-control-allow-headers"]
    assert 0 < int(response.headers["access-control-max-age"]) <= 3600
    assert "access-control-allow-credentials" not in response.headers


async def test_others_are_refused_without_cors_headers(subtests: pytest.Subtests, store: KeyStore, key: str) -> None:
    for origin in [
        FOREIGN, "null", "*", "https://intranet.example:8443", "http://intranet.example", f"{INTRANET}/",
        f"{INTRANET}.evil.example", "https://Intranet.example", f"{INTRANET}, {FOREIGN}",
    ]:  # fmt: skip
        for keyed in (False, True):
            with subtests.test(keyed=keyed, origin=origin):
                headers = {"origin": origin, "authorization": f"Bearer {key}", "sec-fetch-site": "cross-site"}
                async with serve(keys=store if keyed else None) as http:
                    asked = await http.post("/v1/chat/completions", json=ASK, headers=headers)
                    preflight = await http.options("/v1/chat/completions", headers=headers | PREFLIGHT)
                assert asked.status_code == 403
                assert preflight.status_code >= 400
                assert not cors_of(asked)
                assert not cors_of(preflight)
    twice = [("origin", INTRANET), ("origin", FOREIGN), ("sec-fetch-site", "cross-site")]
    async with serve() as http:
        asked = await http.post("/v1/chat/completions", json=ASK, headers=twice)
    assert (asked.status_code, cors_of(asked)) == (403, {})


async def test_no_mounted_part_sends_its_own_cors_headers(subtests: pytest.Subtests) -> None:
    for origins in [(), (INTRANET,)]:
        with subtests.test(origins=origins):
            # Gradio, which serves the chat, answers every preflight and allows other ports of this machine.
            async def liberal(scope: Scope, receive: Receive, send: Send) -> None:
                headers = {"Access-Control-Allow-Origin": "*", "access-control-max-age": "9"}
                await PlainTextResponse("OK", headers=headers)(scope, receive, send)

            transport = httpx.ASGITransport(app=SharedOrigins(liberal, origins=origins))
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:7860") as http:
                for origin in (FOREIGN, "http://127.0.0.1:3000"):
                    preflight = await http.options("/", headers={"origin": origin} | PREFLIGHT)
                    page = await http.get("/", headers={"origin": origin})
                    assert (preflight.status_code, page.status_code) == (403, 200)
                    assert "GOLDEN_ALLOWED_ORIGINS" in preflight.json()["error"]["message"]
                    assert not cors_of(preflight) | cors_of(page)


async def test_allowed_origin_may_not_manage(store: KeyStore) -> None:
    secret, _ = store.create("boss", scopes=["ask", "manage", "admin"])
    async with serve(keys=store) as http:
        headers = FROM_PAGE | {"authorization": f"Bearer {secret}"}
        listed = await http.get("/api/documents", headers=headers)
        preflight = await http.options("/api/documents", headers=headers | PREFLIGHT)
        from_a_program = await http.get("/api/documents", headers={"authorization": f"Bearer {secret}"})
    async with serve() as http:
        keyless = await http.get("/api/documents", headers=FROM_PAGE)
        feedback = [
            await http.request(method, path, headers=FROM_PAGE)
            for method, path in (("GET", "/api/feedback"), ("DELETE", "/api/feedback/1"), ("GET", "/api/feedback/1"))
        ]
        response = await http.post("/api/feedback", headers=FROM_PAGE)
    assert [listed.status_code, keyless.status_code, from_a_program.status_code] == [403, 403, 200]
    assert preflight.status_code >= 400
    assert not cors_of(listed) | cors_of(preflight) | cors_of(keyless)
    # The page may send feedback, but may not read the feedback of others.
    assert [each.status_code for each in (*feedback, response)] == [403, 403, 403, 200]
    assert not any(cors_of(each) for each in feedback)
    assert cors_of(response)


def test_origins_are_normalised_and_invalid_ones_refused_by_name(
    subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text, origins in [
        ("", ()),
        (" HTTPS://Intranet.Example:443 , http://wiki.example:8080,", ("https://intranet.example", "http://wiki.example:8080")),
        ("http://localhost:80,http://localhost", ("http://localhost",)),
        ("http://[::1]:3000", ("http://[::1]:3000",)),
    ]:  # fmt: skip
        assert load_settings(allowed_origins=text).allowed_origins == origins
    assert load_settings(path_prefix="/tools/golden/").path_prefix == "/tools/golden"
    for name, words, wrong in [
        ("GOLDEN_ALLOWED_ORIGINS", ".*scheme://host", (
            "*", "https://*.example", "null", "intranet.example", "https://", "https://intranet.example/page",
            "https://intranet.example?x", "ftp://files.example", "https://me@intranet.example",
            "https://intranet.example:x", "https://[::1", "https://bücher.example", "https://good.example,nonsense",
            "https://evil.example\\@in.example",
        )),
        ("GOLDEN_PATH_PREFIX", "", ("golden", "/gol den", "//golden", "/golden?x", "https://bot.example/golden")),
    ]:  # fmt: skip
        for text in wrong:
            with subtests.test(text=text), monkeypatch.context() as patch:
                patch.setenv(name, text)
                with pytest.raises(ConfigurationError, match=name + words):
                    load_settings()


async def test_paths_work_with_the_prefix_or_stripped_of_it(store: KeyStore, key: str) -> None:
    async with serve(keys=store, prefix="/golden") as http:
        headers = {"authorization": f"Bearer {key}"}
        script = await http.get("/golden/widget.js")
        stripped = await http.get("/widget.js")
        asked = await http.post("/golden/v1/chat/completions", json=ASK, headers=headers)
        # A path under the prefix needs the same scope, and a path that only begins like the prefix opens nothing.
        managed = await http.get("/golden/api/documents", headers=headers)
        alike = await http.get("/goldenwidget.js")
        from_page = await http.options("/golden/v1/chat/completions", headers=FROM_PAGE | PREFLIGHT)
    assert [script.status_code, stripped.status_code, asked.status_code] == [200, 200, 200]
    assert [managed.status_code, alike.status_code, from_page.status_code] == [403, 401, 200]


async def test_any_page_can_load_and_cache_the_widget_script() -> None:
    async with serve() as http:
        got = await http.get("/widget.js", headers={"accept-encoding": "identity"})
        head = await http.head("/widget.js")
    assert got.headers["content-type"] == "text/javascript; charset=utf-8"
    assert got.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "max-age=" in got.headers["cache-control"]
    assert (head.status_code, head.content) == (200, b"")


async def test_widget_script_is_self_contained_and_writes_no_markup() -> None:
    async with serve() as http:
        script = (await http.get("/widget.js")).text
    for forbidden in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function",
                      "setAttribute(\"style\"", "import(", "localStorage", "document.cookie"):  # fmt: skip
        assert forbidden not in script
    # The only address in it names SVG's elements.
    assert set(re.findall(r"https?://[\w.]+[^\s\"'`)]*", script)) == {"http://www.w3.org/2000/svg"}


async def test_each_language_has_every_text() -> None:
    async with serve() as http:
        script = (await http.get("/widget.js")).text
    english, german = (
        re.findall(r"^\s+(\w+): [\"{\[]|[{,] (\w+): \"", table, re.MULTILINE)
        for table in re.split(r"^  (?:en|de): \{$", script, flags=re.MULTILINE)[1:3]
    )
    assert len(english) > 80
    assert english == german[: len(english)]
