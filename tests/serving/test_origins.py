"""Which pages of others may ask from a browser, what their browsers are told, and the path prefix before it all."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import httpx
import pytest
from fastapi import APIRouter
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from contracts.errors import ConfigurationError
from golden_retriever.settings import load_settings
from library.keys import KeyStore
from serving.access import LoopbackGuard
from serving.identity.guards import IdentityGuard
from serving.keys import KeyRecogniser
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
async def serve(
    *, origins: Sequence[str] = (INTRANET,), keys: KeyStore | None = None, prefix: str = ""
) -> AsyncIterator[httpx.AsyncClient]:
    app = app_of(
        ScriptedBot(),
        routers=[widget_router(), managing_router()],
        guard=IdentityGuard([KeyRecogniser(keys)]) if keys else LoopbackGuard(),
        origins=origins,
        prefix=prefix,
    )
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:7860") as http:
        yield http


def cors_of(response: httpx.Response) -> dict[str, str]:
    return {name: value for name, value in response.headers.items() if name.startswith("access-control")}


async def test_a_page_of_an_allowed_origin_asks_and_reads_the_answer() -> None:
    async with serve() as http:
        answer = await http.post("/v1/chat/completions", json=ASK, headers=FROM_PAGE)
    assert answer.status_code == 200
    assert cors_of(answer) == {
        "access-control-allow-origin": INTRANET,
        "access-control-expose-headers": "retry-after, x-request-id",
    }
    assert "origin" in answer.headers["vary"].lower()


async def test_a_preflight_is_answered_without_a_key_and_names_what_is_allowed(store: KeyStore) -> None:
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


async def test_every_other_origin_is_refused_and_told_nothing(subtests: pytest.Subtests, store: KeyStore) -> None:
    secret, _ = store.create("widget")
    for origin in [
        FOREIGN, "null", "*", "https://intranet.example:8443", "http://intranet.example", f"{INTRANET}/",
        f"{INTRANET}.evil.example", "https://Intranet.example", f"{INTRANET}, {FOREIGN}",
    ]:  # fmt: skip
        for keyed in (False, True):
            with subtests.test(keyed=keyed, origin=origin):
                headers = {"origin": origin, "authorization": f"Bearer {secret}", "sec-fetch-site": "cross-site"}
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


async def test_no_part_of_the_application_lets_other_pages_in_by_itself(subtests: pytest.Subtests) -> None:
    for origins in [(), (INTRANET,)]:
        with subtests.test(origins=origins):
            # Gradio, which serves the chat, answers every preflight and allows other ports of this machine.
            async def liberal(scope: Scope, receive: Receive, send: Send) -> None:
                response = PlainTextResponse(
                    "OK", headers={"Access-Control-Allow-Origin": "*", "access-control-max-age": "9"}
                )
                await response(scope, receive, send)

            transport = httpx.ASGITransport(app=SharedOrigins(liberal, origins=origins))
            async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:7860") as http:
                for origin in (FOREIGN, "http://127.0.0.1:3000"):
                    preflight = await http.options("/", headers={"origin": origin} | PREFLIGHT)
                    page = await http.get("/", headers={"origin": origin})
                    assert (preflight.status_code, page.status_code) == (403, 200)
                    assert "GOLDEN_ALLOWED_ORIGINS" in preflight.json()["error"]["message"]
                    assert not cors_of(preflight) | cors_of(page)


async def test_an_allowed_page_may_not_manage(store: KeyStore) -> None:
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
    # An opinion may be given; those of others may not be read.
    assert [each.status_code for each in (*feedback, response)] == [403, 403, 403, 200]
    assert not any(cors_of(each) for each in feedback)
    assert cors_of(response)


async def test_where_keys_are_configured_an_allowed_page_must_bring_one_itself(store: KeyStore) -> None:
    secret, _ = store.create("widget")
    async with serve(keys=store) as http:
        without = await http.post("/v1/chat/completions", json=ASK, headers=FROM_PAGE)
        response_with_key = await http.post(
            "/v1/chat/completions", json=ASK, headers=FROM_PAGE | {"authorization": f"Bearer {secret}"}
        )
    assert without.status_code == 401
    # The page reads why, so that its people learn it.
    assert without.headers["access-control-allow-origin"] == INTRANET
    assert without.json()["error"]["code"] == "missing_api_key"
    assert response_with_key.status_code == 200


def test_origins_are_spelled_as_browsers_send_them(subtests: pytest.Subtests) -> None:
    for text, origins in [
        ("", ()),
        (" HTTPS://Intranet.Example:443 , http://wiki.example:8080,", ("https://intranet.example", "http://wiki.example:8080")),
        ("http://localhost:80,http://localhost", ("http://localhost",)),
        ("http://[::1]:3000", ("http://[::1]:3000",)),
    ]:  # fmt: skip
        with subtests.test(text=text, origins=origins):
            assert load_settings(allowed_origins=text).allowed_origins == origins


def test_what_is_no_origin_is_refused_by_name(subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in [
        "*", "https://*.example", "null", "intranet.example", "https://", "https://intranet.example/page",
        "https://intranet.example?x", "ftp://files.example", "https://me@intranet.example", "https://intranet.example:x",
        "https://[::1", "https://bücher.example", "https://good.example,nonsense", "https://evil.example\\@in.example",
    ]:  # fmt: skip
        with subtests.test(text=text):
            monkeypatch.setenv("GOLDEN_ALLOWED_ORIGINS", text)
            with pytest.raises(ConfigurationError, match=r"GOLDEN_ALLOWED_ORIGINS.*scheme://host"):
                load_settings()


def test_a_prefix_that_is_none_is_refused(subtests: pytest.Subtests, monkeypatch: pytest.MonkeyPatch) -> None:
    assert load_settings(path_prefix="/tools/golden/").path_prefix == "/tools/golden"
    for prefix in ["golden", "/gol den", "//golden", "/golden?x", "https://bot.example/golden"]:
        with subtests.test(prefix=prefix):
            monkeypatch.setenv("GOLDEN_PATH_PREFIX", prefix)
            with pytest.raises(ConfigurationError, match="GOLDEN_PATH_PREFIX"):
                load_settings()


async def test_a_prefix_is_taken_off_where_it_is_passed_on_and_nowhere_else(store: KeyStore) -> None:
    secret, _ = store.create("asker")
    async with serve(keys=store, prefix="/golden") as http:
        key = {"authorization": f"Bearer {secret}"}
        script = await http.get("/golden/widget.js")
        stripped = await http.get("/widget.js")
        asked = await http.post("/golden/v1/chat/completions", json=ASK, headers=key)
        # What needs a scope needs it under the prefix, too, and nothing opens that only begins alike.
        managed = await http.get("/golden/api/documents", headers=key)
        alike = await http.get("/goldenwidget.js")
        from_page = await http.options("/golden/v1/chat/completions", headers=FROM_PAGE | PREFLIGHT)
    assert [script.status_code, stripped.status_code, asked.status_code] == [200, 200, 200]
    assert [managed.status_code, alike.status_code, from_page.status_code] == [403, 401, 200]
