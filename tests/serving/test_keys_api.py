"""Keys over HTTP: made, shown once, listed, revoked, by whoever may."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from typing import Any

import httpx
import pytest

from agent.chatbot import Chatbot
from library.keys import KeyStore, is_key
from serving.access import LoopbackGuard
from serving.app import create_app
from serving.identity.guards import FirstKeyGuard, IdentityGuard
from serving.keys import KeyRecogniser
from serving.keys_api import PREFIX, keys_area
from tests.agent.scripted import Script
from tests.servers import chat_of, client_of, nothing_missing

Opener = Callable[..., AbstractAsyncContextManager[httpx.AsyncClient]]


@asynccontextmanager
async def serve(store: KeyStore, key: str = "") -> AsyncIterator[httpx.AsyncClient]:
    """Serve on loopback, open until there is a key; the client sends ``key``."""
    known = IdentityGuard([KeyRecogniser(store)])
    now = iter(range(0, 1_000_000, 10))
    guard = FirstKeyGuard(store, before=LoopbackGuard(user="Ada"), after=known, clock=lambda: float(next(now)))
    app = create_app(
        chat_of(Chatbot(Script().services())), readiness=nothing_missing, guard=guard, areas=[partial(keys_area, store)]
    )
    async with client_of(app, headers={"authorization": f"Bearer {key}"} if key else {}) as http:
        yield http


def error_of(response: httpx.Response) -> dict[str, Any]:
    error: dict[str, Any] = response.json()["error"]
    return error


async def test_a_key_is_made_shown_once_listed_and_revoked(store: KeyStore) -> None:
    admin, own = store.create("root", scopes=["admin"], groups=None)
    async with serve(store, admin) as http:
        wanted = {"name": "open-webui", "groups": ["everyone", "nand"], "expires_at": "2101-01-31T00:00:00+01:00"}
        made = await http.post(PREFIX, json=wanted)
        assert made.status_code == 201
        assert made.headers["cache-control"] == "no-store"
        key, number = made.json()["key"], made.json()["id"]
        assert is_key(key)
        assert (made.json()["scopes"], made.json()["created_by"]) == (["ask"], "root")
        assert made.json()["expires_at"] == "2101-01-30T23:00:00+00:00"
        listed = await http.get(PREFIX)
        assert [each["name"] for each in listed.json()["keys"]] == ["root", "open-webui"]
        shown = await http.get(f"{PREFIX}/{number}")
        assert shown.json() == {name: value for name, value in made.json().items() if name != "key"}
        for response in (listed, shown):
            assert key[3:] not in response.text
            assert "digest" not in response.text
        bearer = {"authorization": f"Bearer {key}"}
        assert (await http.get("/v1/models", headers=bearer)).status_code == 200
        assert (await http.get(PREFIX, headers=bearer)).status_code == 403
        gone = await http.delete(f"{PREFIX}/{number}")
        assert (gone.json()["state"], gone.json()["revoked_by"]) == ("revoked", "root")
        assert (await http.get("/v1/models", headers=bearer)).status_code == 401
        assert [each["id"] for each in (await http.get(PREFIX)).json()["keys"]] == [own.id]
        assert len((await http.get(PREFIX, params={"revoked": True})).json()["keys"]) == 2
        assert (await http.delete(f"{PREFIX}/{number}")).status_code == 409
        assert (await http.delete(f"{PREFIX}/nobody")).status_code == 404


async def test_nobody_gives_what_they_may_not_read(store: KeyStore) -> None:
    admin, _ = store.create("root", scopes=["admin"], groups=["everyone", "lab"])
    async with serve(store, admin) as http:
        for groups in ("all", ["secret"], ["lab", "secret"], [" secret "]):
            refused = await http.post(PREFIX, json={"name": "spy", "groups": groups})
            assert refused.status_code == 403, groups
            assert error_of(refused)["code"] == "forbidden"
        assert (await http.post(PREFIX, json={"name": "lab", "groups": ["lab"]})).status_code == 201


async def test_a_key_that_cannot_be_is_named(subtests: pytest.Subtests, store: KeyStore) -> None:
    admin, _ = store.create("root", scopes=["admin"], groups=None)
    for body, param in [
        ({}, "name"),
        ({"name": ""}, "name"),
        ({"name": "  "}, "name"),
        ({"name": "bot", "scopes": ["root"]}, "scopes[0]"),
        ({"name": "bot", "scopes": []}, "scopes"),
        ({"name": "bot", "groups": []}, "group"),
        ({"name": "bot", "expires_at": "2101-01-31T00:00:00"}, "expires_at"),
        ({"name": "bot", "expires_at": "2001-01-31T00:00:00Z"}, "expires"),
        ({"name": "bot", "key": "gr_mine"}, "key"),
    ]:
        with subtests.test(body=body):
            async with serve(store, admin) as http:
                refused = await http.post(PREFIX, json=body)
                assert refused.status_code == 422
                assert error_of(refused)["param"].startswith(param)
                assert len((await http.get(PREFIX)).json()["keys"]) == 1


async def test_the_first_key_closes_a_running_server(store: KeyStore) -> None:
    async with serve(store) as http:
        assert (await http.get("/v1/models")).status_code == 200
        described = (await http.get("/openapi.json")).json()["paths"][PREFIX]["get"]
        assert {} in described["security"]
        made = (await http.post(PREFIX, json={"name": "first", "groups": "all", "scopes": ["ask"]})).json()
        assert made["created_by"] == "Ada"
        assert (await http.get("/v1/models")).status_code == 401
        bearer = {"authorization": f"Bearer {made['key']}"}
        assert (await http.get("/v1/models", headers=bearer)).status_code == 200
        described = (await http.get("/openapi.json", headers=bearer)).json()["paths"][PREFIX]["get"]
        assert {} not in described["security"]
        assert described["x-golden-scope"] == "admin"
        assert described["description"].endswith("Needs the scope `admin`.")
        store.revoke(made["id"])
        assert (await http.get("/v1/models")).status_code == 401
