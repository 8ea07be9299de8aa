"""A server with a login, for browsers."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

import httpx
from sqlalchemy import Engine

from library.keys import KeyStore
from library.sessions import SessionStore
from serving.identity.credentials import COOKIE, KeyRecogniser, SessionRecogniser
from serving.identity.guards import Guard
from serving.login.addresses import Addresses
from serving.me import me_router
from serving.rate_limits import RequestLimits
from tests.servers import app_of, client_of, me_service
from ui.login.routes import Login, login_router

OPENS = {"sec-fetch-mode": "navigate", "sec-fetch-dest": "document", "sec-fetch-site": "none", "accept": "text/html"}
CALLS = {"sec-fetch-mode": "cors", "sec-fetch-site": "same-origin"}


@dataclass(frozen=True, kw_only=True)
class House:
    """What is kept, and what the login is set to."""

    engine: Engine
    desk: Login

    @property
    def keys(self) -> KeyStore:
        return KeyStore(self.engine)

    def with_addresses(self, **addresses: Any) -> "House":
        return replace(self, desk=replace(self.desk, addresses=Addresses(**addresses)))

    def with_desk(self, **fields: Any) -> "House":
        return replace(self, desk=replace(self.desk, **fields))


def new_house(engine: Engine) -> House:
    """Return a house without keys, whose logins are not bounded."""
    store = SessionStore(engine, idle=timedelta(hours=1), whole=timedelta(hours=12))
    attempts = RequestLimits(a_minute=0, at_once=0)
    keys, guard = KeyStore(engine), Guard([])
    desk = Login(keys=keys, sessions=store, addresses=Addresses(), attempts=attempts, guard=guard)
    return House(engine=engine, desk=desk)


@asynccontextmanager
async def serve(
    house: House, guard: Guard | None = None, *, hosts: tuple[str, ...] = ()
) -> AsyncIterator[httpx.AsyncClient]:
    """Serve on loopback to those who are known; the client keeps cookies, as a browser does."""
    guard = guard or Guard([KeyRecogniser(house.keys), SessionRecogniser(house.desk.sessions)], hosts=hosts)
    routers = [login_router(replace(house.desk, guard=guard)), me_router(me_service())]
    app = app_of(guard=guard, routers=routers, prefix=house.desk.addresses.prefix)
    async with client_of(app, proxy_headers=False) as http:
        yield http


def from_page(http: httpx.AsyncClient, site: str = "same-origin") -> dict[str, str]:
    """Return what a browser says of a form that its page sends."""
    origin = str(http.base_url).rstrip("/")
    return {"origin": origin, "sec-fetch-site": site, "sec-fetch-mode": "navigate", "accept": "text/html"}


async def log_in(http: httpx.AsyncClient, key: str, path: str = "/login", **fields: str) -> httpx.Response:
    return await http.post(path, data={"key": key, **fields}, headers=from_page(http))


def cookie_of(response: httpx.Response) -> dict[str, str]:
    """Return the session's cookie as it was set: its value and its attributes, by lower-case names."""
    cookie = next(each for each in response.headers.get_list("set-cookie") if each.startswith(f"{COOKIE}="))
    value, *attributes = cookie.split("; ")
    named = dict(each.partition("=")[::2] for each in attributes)
    return {"value": value.partition("=")[2], **{name.lower(): text for name, text in named.items()}}


async def who(http: httpx.AsyncClient, **headers: str) -> Any:
    return (await http.get("/api/me", headers=CALLS | headers)).json()
