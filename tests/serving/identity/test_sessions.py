"""The cookie of a login says who asks: the same account as the key's own, and nothing that another page could use."""

from datetime import timedelta

import pytest
from sqlalchemy import Engine

from library.keys import KeyStore
from library.sessions import SessionStore
from serving.access import Actor, Forbidden, RequestInfo
from serving.identity.sessions import COOKIE, SessionRecogniser
from serving.keys import KeyRecogniser

HOST = {"host": "bot.example"}
OWN = HOST | {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "origin": "http://bot.example"}
OTHER = HOST | {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "origin": "http://evil.example"}
LINKED = HOST | {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
JSON = {"content-type": "application/json"}
FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture
def store(engine: Engine) -> SessionStore:
    return SessionStore(engine, idle=timedelta(hours=1), whole=timedelta(hours=12))


def info(token: str, headers: dict[str, str], method: str = "GET", *, allowed: bool = False) -> RequestInfo:
    cookies = {"cookie": f"theme=dark; {COOKIE}={token}; other=1"}
    return RequestInfo(method=method, headers=cookies | headers, from_allowed_origin=allowed)


async def recognised(store: SessionStore, asked: RequestInfo) -> Actor | None:
    return await SessionRecogniser(store).recognise(asked)


async def test_session_of_a_key_has_the_keys_account(engine: Engine, store: SessionStore) -> None:
    keys = KeyStore(engine)
    key, record = keys.create("nand-team", scopes=["ask", "manage"], groups=["nand"], department="Memory")
    token = store.begin_for_key(record, account=f"key:{record.id}")
    found = await recognised(store, info(token, OWN))
    by_key = await KeyRecogniser(keys).recognise(RequestInfo(method="GET", headers={"authorization": f"Bearer {key}"}))
    assert found is not None
    assert by_key is not None
    assert found.by_session
    assert not by_key.by_session
    for name in ("name", "account", "groups", "scopes", "department", "key_id"):
        assert getattr(found, name) == getattr(by_key, name)
    keys.revoke(record.id)
    assert await recognised(store, info(token, OWN)) is None


async def test_session_of_a_person_has_the_identity_from_the_provider(store: SessionStore) -> None:
    token = store.begin_for_person("Ada", account="token:f3a9", scopes=["ask"], groups=["everyone", "lab"])
    assert await recognised(store, info(token, OWN)) == Actor(
        name="Ada",
        account="token:f3a9",
        scopes=frozenset({"ask"}),
        groups=frozenset({"everyone", "lab"}),
        by_session=True,
    )
    every = await recognised(store, info(store.begin_for_person("Bo", account="b", scopes=["ask"], groups=None), OWN))
    assert every is not None
    assert every.groups is None


async def test_session_cookie_counts_only_for_requests_of_own_pages(
    subtests: pytest.Subtests, store: SessionStore
) -> None:
    token = store.begin_for_person("Ada", account="token:f3a9", scopes=["ask"], groups=None)
    for method, headers in [
        ("GET", OWN), ("GET", LINKED), ("GET", HOST), ("POST", OWN | JSON),
        ("POST", OWN | FORM | {"x-golden-request": "1"}), ("DELETE", OWN),
    ]:  # fmt: skip
        with subtests.test(method=method, headers=headers):
            assert await recognised(store, info(token, headers, method)) is not None
    for method, headers in [
        ("GET", OTHER), ("GET", HOST | {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors"}),
        ("GET", OTHER | {"sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}), ("POST", OTHER | JSON),
        ("POST", OTHER | FORM), ("POST", LINKED | FORM), ("DELETE", OTHER), ("POST", HOST | FORM),
        ("POST", HOST | {"content-type": "text/plain"}), ("POST", OWN | FORM),
    ]:  # fmt: skip
        with subtests.test(method=method, headers=headers), pytest.raises(Forbidden):
            await recognised(store, info(token, headers, method))


async def test_session_cookie_is_ignored_with_a_bearer_or_from_other_origins(store: SessionStore) -> None:
    token = store.begin_for_person("Ada", account="token:f3a9", scopes=["ask"], groups=None)
    assert await recognised(store, info(token, OWN | {"authorization": "Bearer sk-other"})) is None
    assert await recognised(store, info(token, OTHER, allowed=True)) is None
    assert await recognised(store, info("", OWN)) is None
    assert await recognised(store, info("A" * 43, OTHER)) is None, "an unknown session is ignored rather than refused"
