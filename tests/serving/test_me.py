"""Who asks, over a real server: what a page is told of them, with keys and without."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import httpx

from contracts.jargon import Context
from library.keys import KeyStore
from serving.access import Guard, LoopbackGuard
from serving.identity.guards import IdentityGuard
from serving.keys import KeyRecogniser
from serving.me import PREFIX, me_router
from tests.servers import app_of, me_service

CONTEXTS = (Context(name="Interfaces", examples=("When does the DLL lock?",)), Context(name="Packaging"))


@asynccontextmanager
async def serve(guard: Guard) -> AsyncIterator[httpx.AsyncClient]:
    async def contexts() -> tuple[Context, ...]:
        return CONTEXTS

    async def examples(groups: frozenset[str] | None) -> tuple[str, ...]:
        return ("What is VPP?",) if groups is None else tuple(f"Who reads {group}?" for group in sorted(groups))

    told = {"contact": "Bo", "department": "Pumps", "keeps_conversations": False, "version": "7.8.9"}
    me = me_service(contexts=contexts, example_questions=examples, **told)
    transport = httpx.ASGITransport(app_of(guard=guard, routers=[me_router(me)]))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:7860") as http:
        yield http


async def asked(http: httpx.AsyncClient, **headers: str) -> dict[str, Any]:
    response = await http.get(PREFIX, headers=headers)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


async def test_without_keys_everybody_may_do_everything_and_none_can_log_out() -> None:
    async with serve(LoopbackGuard(user="Ada")) as http:
        assert await asked(http) == {
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


async def test_a_key_says_what_its_holder_may_do_and_read_and_where_they_ask_from(store: KeyStore) -> None:
    key, _ = store.create("nand-team", scopes=["manage", "ask"], groups=["nand", "everyone"], department="Memory")
    async with serve(IdentityGuard([KeyRecogniser(store)])) as http:
        account = await asked(http, authorization=f"Bearer {key}")
        assert (account["name"], account["scopes"], account["groups"]) == (
            "nand-team",
            ["ask", "manage"],
            ["everyone", "nand"],
        )
        assert (account["department"], account["asks_everyone"], account["can_log_out"]) == ("Memory", True, False)
        assert account["account"] not in ("", "local")
        assert account["examples"] == ["Who reads everyone?", "Who reads nand?"]
        assert (await asked(http, authorization=f"Bearer {key}"))["account"] == account["account"]
