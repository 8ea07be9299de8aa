"""Requests with keys over a real server: who is let in, how often, what others and a page are told of them."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import AsyncMock, Mock

import httpx
import openai
import pytest

from agent.chatbot import Chatbot
from contracts.errors import Unavailable
from contracts.jargon import Context
from library.keys import KeyStore
from serving.access import TooManyRequests
from serving.identity.credentials import KeyRecogniser
from serving.identity.guards import Guard
from serving.me import PREFIX, me_router
from serving.rate_limits import RequestLimits
from tests.agent.judges import ScriptedWriter
from tests.agent.scripted import Script
from tests.servers import app_of, client_of, me_service

ASK = {"messages": [{"role": "user", "content": "What is VPP on DDR4?"}]}


@asynccontextmanager
async def serve(store: KeyStore, chatbot: Chatbot | None = None, **limits: int) -> AsyncIterator[httpx.AsyncClient]:
    """Serve a scripted bot to those who have a key of ``store``."""
    bounded = RequestLimits(**{"a_minute": 0, "at_once": 0, **limits})
    async with client_of(app_of(chatbot, guard=Guard([KeyRecogniser(store)]), limits=bounded)) as http:
        yield http


def bearer(key: str) -> dict[str, str]:
    return {"authorization": f"Bearer {key}"}


async def test_expired_revoked_and_unknown_keys_are_refused(store: KeyStore, key: str) -> None:
    short, _ = store.create("short", expires_at=datetime.now(UTC) + timedelta(seconds=0.3))
    async with serve(store) as http:
        assert (await http.get("/v1/models", headers=bearer(key))).status_code == 200
        await asyncio.sleep(0.4)
        store.revoke("bot")
        for ended, why in ((key, "was revoked"), (short, "has expired"), ("gr_" + "0" * 49, "not an API key")):
            response = await http.get("/v1/models", headers=bearer(ended))
            assert response.status_code == 401
            assert why in response.json()["error"]["message"]
            assert ended not in response.text


async def test_request_bodies_are_bounded_on_every_path(store: KeyStore, key: str) -> None:
    async with serve(store) as http:
        for path in ("/v1/chat/completions", "/gradio_api/upload", "/nowhere"):
            reader, writer = await asyncio.open_connection(http.base_url.host, http.base_url.port)
            # The request is refused because of its headers: not one byte of the body is sent.
            lines = (f"POST {path} HTTP/1.1", "Host: bot", f"Authorization: Bearer {key}", f"Content-Length: {1 << 40}")
            writer.write("\r\n".join((*lines, "", "")).encode())
            response = await asyncio.wait_for(reader.read(4_096), 20)
            writer.close()
            assert response.startswith(b"HTTP/1.1 413"), (path, response)


async def test_key_over_its_rate_limit_must_wait(store: KeyStore, key: str) -> None:
    other, _ = store.create("other")
    async with serve(store, a_minute=2) as http:
        statuses = [(await http.get("/v1/models", headers=bearer(key))).status_code for _ in range(2)]
        assert statuses == [200, 200]
        refused = await http.get("/v1/models", headers=bearer(key))
        assert refused.status_code == 429
        assert 1 <= int(refused.headers["retry-after"]) <= 60
        assert refused.json()["error"]["code"] == "rate_limit_exceeded"
        assert (await http.get("/v1/models", headers=bearer(other))).status_code == 200
        client = openai.AsyncOpenAI(base_url=f"{http.base_url}/v1", api_key=key, max_retries=0)
        with pytest.raises(openai.RateLimitError):
            await client.models.list()


async def test_stream_counts_as_concurrent_until_its_end(store: KeyStore, key: str) -> None:
    script = Script(writer=ScriptedWriter(["word " * 50], pause_s=0.02))
    body = {**ASK, "stream": True}
    async with serve(store, Chatbot(script.services()), at_once=1) as http:
        async with http.stream("POST", "/v1/chat/completions", json=body, headers=bearer(key)) as one:
            assert one.status_code == 200
            refused = await http.get("/v1/models", headers=bearer(key))
            assert (refused.status_code, refused.headers["retry-after"]) == (429, "1")
            async for _ in one.aiter_lines():
                pass
        async with asyncio.timeout(30):
            while (await http.get("/v1/models", headers=bearer(key))).status_code == 429:  # noqa: ASYNC110 - over HTTP
                await asyncio.sleep(0.05)


async def test_use_of_a_key_is_recorded_in_the_background(store: KeyStore, key: str) -> None:
    async with serve(store) as http:
        await http.get("/v1/models", headers=bearer(key))
        async with asyncio.timeout(30):
            while store.expect("bot").last_used_at is None:  # noqa: ASYNC110 - in another thread
                await asyncio.sleep(0.02)


async def test_unavailable_database_lets_nobody_in(store: KeyStore, key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "find", Mock(side_effect=Unavailable("the database does not answer")))
    async with serve(store) as http:
        response = await http.get("/v1/models", headers=bearer(key))
    assert response.status_code == 503
    assert response.json()["error"]["code"] == "unavailable"


async def test_key_with_another_scope_is_told_the_required_one(store: KeyStore) -> None:
    key, _ = store.create("curator", scopes=["manage"])
    async with serve(store) as http:
        refused = await http.post("/v1/chat/completions", json=ASK, headers=bearer(key))
        chat = await http.get("/", headers=bearer(key))
    for response in (refused, chat):
        assert response.status_code == 403
        assert "scope 'ask'" in response.json()["error"]["message"]


async def test_rate_limit_resets_after_a_minute(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [time.time()]
    monkeypatch.setattr(time, "time", lambda: now[0])
    limits = RequestLimits(a_minute=2, at_once=0)
    for _ in range(2):
        async with limits.counted("k"):
            now[0] += 20
    with pytest.raises(TooManyRequests) as caught:
        async with limits.counted("k"):
            raise AssertionError("the request should have been refused")
    assert caught.value.retry_after_s == 20
    now[0] += 21
    async with limits.counted("k"):
        pass


async def test_requests_are_accepted_while_redis_is_unavailable(caplog: pytest.LogCaptureFixture) -> None:
    limits = RequestLimits(a_minute=1, at_once=0, redis_url="redis://127.0.0.1:9/0")
    for _ in range(2):
        async with limits.counted("k"):
            pass
    assert "does not respond" in caplog.text


CONTEXTS = (Context(name="Interfaces", examples=("When does the DLL lock?",)), Context(name="Packaging"))


@asynccontextmanager
async def serve_me(guard: Guard) -> AsyncIterator[httpx.AsyncClient]:
    async def examples(groups: frozenset[str] | None) -> tuple[str, ...]:
        return ("What is VPP?",) if groups is None else tuple(f"Who reads {group}?" for group in sorted(groups))

    told = {"contact": "Bo", "department": "Pumps", "keeps_conversations": False, "version": "7.8.9"}
    me = me_service(contexts=AsyncMock(return_value=CONTEXTS), example_questions=examples, **told)
    transport = httpx.ASGITransport(app_of(guard=guard, routers=[me_router(me)]))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:7860") as http:
        yield http


async def told_of_me(http: httpx.AsyncClient, **headers: str) -> dict[str, Any]:
    response = await http.get(PREFIX, headers=headers)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def test_without_keys_every_scope_is_granted_and_there_is_no_logout() -> None:
    async with serve_me(Guard(user="Ada")) as http:
        assert await told_of_me(http) == {
            "name": "Ada",
            "account": "local",
            "scopes": ["ask", "manage", "admin"],
            "groups": None,
            "department": "Pumps",
            "asks_everyone": False,
            "can_log_out": False,
            "contact": "Bo",
            "departments": [each.name for each in CONTEXTS],
            "examples": ["What is VPP?"],
            "has_documents": True,
            "keeps_conversations": False,
            "writer": "",
            "version": "7.8.9",
        }


async def test_me_describes_the_keys_scopes_groups_and_department(store: KeyStore) -> None:
    key, _ = store.create("nand-team", scopes=["manage", "ask"], groups=["nand", "everyone"], department="Memory")
    async with serve_me(Guard([KeyRecogniser(store)])) as http:
        account = await told_of_me(http, authorization=f"Bearer {key}")
        assert account["name"] == "nand-team"
        assert (account["scopes"], account["groups"]) == (["ask", "manage"], ["everyone", "nand"])
        assert (account["department"], account["asks_everyone"], account["can_log_out"]) == ("Memory", True, False)
        assert account["account"] not in ("", "local")
        assert account["examples"] == ["Who reads everyone?", "Who reads nand?"]
        assert (await told_of_me(http, authorization=f"Bearer {key}"))["account"] == account["account"]
