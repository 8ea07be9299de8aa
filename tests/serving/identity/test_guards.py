"""Who is let in: by the address of a request, a proxy's headers, the cookie of a login, or any of several ways."""

from datetime import timedelta
from ipaddress import ip_network
from typing import Any
from unittest.mock import Mock

import pytest
from sqlalchemy import Engine

from contracts.errors import InvalidInput, Unavailable
from library.keys import KeyStore
from library.sessions import SessionStore
from serving.access import Actor, Forbidden, RequestInfo, Unauthenticated
from serving.identity.base import Grants, InvalidToken, MissingIdentity
from serving.identity.credentials import COOKIE, KeyRecogniser, SessionRecogniser
from serving.identity.guards import Guard
from serving.identity.provider import SigningKeys
from serving.identity.proxy import ProxyRecogniser
from serving.identity.tokens import TokenRecogniser
from tests.serving.identity.provider import AUDIENCE, Provider


def info(method: str = "GET", *, peer: str = "127.0.0.1", **headers: str) -> RequestInfo:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return RequestInfo(method=method, headers={"host": "127.0.0.1:7860"} | named, peer=peer)


GUARD = Guard(user="Ada", hosts=["bot.example", "Second.Example"])
# Requests that any page can send without a preflight.
PLAIN = [
    "", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/json",
    "text/plain; application/json", "application/jsonp",
]  # fmt: skip


async def test_loopback_hosts_and_own_pages_are_accepted(subtests: pytest.Subtests) -> None:
    for asked in [
        *(info(host=host) for host in (
            "127.0.0.1", "127.0.0.1:7860", "localhost:7860", "LOCALHOST", "[::1]:7860", "127.8.9.1", "bot.example",
            "BOT.example:443", "second.example", "localhost.",
        )),
        *(info("POST", content_type="application/json", **page) for page in (
            {"origin": "http://127.0.0.1:7860", "sec_fetch_site": "same-origin"},
            {"sec_fetch_site": "none"},
            {"host": "bot.example", "origin": "https://bot.example"},
            {"origin": "https://bot.example:8443"},
        )),
        *(info("POST", content_type=kind)
          for kind in ("application/json", "Application/JSON; charset=utf-8", "application/ld+json")),
        *(info("POST", content_type=kind, x_golden_request="1") for kind in PLAIN),
        *(info("POST", content_type=kind, if_match='"1.1"') for kind in PLAIN),
    ]:  # fmt: skip
        with subtests.test(asked=asked):
            actor = await GUARD.authenticate(asked)
            assert (actor.name, actor.groups) == ("Ada", None)


async def test_other_hosts_origins_and_simple_cross_site_requests_are_refused(subtests: pytest.Subtests) -> None:
    others = [
        {"origin": "https://evil.example"}, {"origin": "null"}, {"origin": ""}, {"origin": "http://127.0.0.1:3000"},
        {"origin": "file://127.0.0.1:7860"}, {"sec_fetch_site": "cross-site"}, {"sec_fetch_site": "same-site"},
        {"origin": "http://127.0.0.1:7860", "sec_fetch_site": "cross-site"},
    ]  # fmt: skip
    for why, asked in [
        *(("GOLDEN_TRUSTED_HOSTS", info(host=host)) for host in (
            "", "evil.example", "evil.example:7860", "127.0.0.1.evil.example", "localhost.evil.example", "[::1", "[::]",
            "0.0.0.0:7860", "192.168.1.7", "127.0.0.1@evil.example", "2130706433", "127.0.0.1, evil.example", "\xff",
        )),
        *(("server's own page", info(method, content_type="application/json", x_golden_request="1", **other))
          for other in others for method in ("GET", "POST", "DELETE")),
        *(("X-Golden-Request: 1", info("POST", content_type=kind)) for kind in PLAIN),
    ]:  # fmt: skip
        with subtests.test(asked=asked), pytest.raises(Forbidden, match=why):
            await GUARD.authenticate(asked)


READER = ProxyRecogniser(
    networks=tuple(map(ip_network, ("10.1.0.0/16", "192.168.7.9", "fd00::/8"))),
    user_header="x-forwarded-user",
    groups_header="x-forwarded-groups",
    grants=Grants(by_role={"it": frozenset({"admin", "all-groups"}), "desk": frozenset({"manage"})}),
)
ADA = {"x-forwarded-user": "ada@corp.example", "x-forwarded-groups": "nand, /desk"}


def from_proxy(headers: dict[str, str], *, peer: str = "10.1.2.3", method: str = "GET", **more: Any) -> RequestInfo:
    return RequestInfo(method=method, headers=headers, peer=peer, **more)


async def test_proxy_headers_identify_the_caller() -> None:
    assert await READER.recognise(from_proxy(ADA)) == Actor(
        name="ada@corp.example",
        account="proxy:ada@corp.example",
        groups=frozenset({"everyone", "nand", "desk"}),
        scopes=frozenset({"ask", "manage"}),
    )
    every = await READER.recognise(from_proxy({"x-forwarded-user": "bob", "x-forwarded-groups": "it"}))
    assert every is not None
    assert every.groups is None
    assert every.scopes == {"ask", "admin"}
    plain = await READER.recognise(from_proxy({"x-forwarded-user": "J\xc3\xb6rg", "x-forwarded-groups": " , "}))
    assert plain is not None
    assert plain.name == "Jörg"
    assert plain.groups == frozenset({"everyone"})


async def test_proxy_headers_count_only_from_the_proxys_address(subtests: pytest.Subtests) -> None:
    for peer in ["10.1.255.255", "192.168.7.9", "::ffff:10.1.0.1", "fd00::1", "fd12::7%eth0"]:
        with subtests.test(peer=peer):
            assert await READER.recognise(from_proxy(ADA, peer=peer)) is not None
    for headers in [{}, {"x-forwarded-user": " "}, {"x-forwarded-groups": "it"}, {"x-user": "ada"}]:
        with subtests.test(headers=headers):
            assert await READER.recognise(from_proxy(headers)) is None
    for peer in [
        "", "10.2.0.1", "192.168.7.8", "127.0.0.1", "::1", "fe80::1", "::ffff:10.2.0.1", "10.1.2.3, 9.9.9.9",
        "10.1.2.3.evil.example", "unix:", "010.1.2.3",
    ]:  # fmt: skip
        with subtests.test(peer=peer):
            assert await READER.recognise(from_proxy(ADA, peer=peer)) is None
            claims = dict.fromkeys(("x-forwarded-for", "x-real-ip", "host"), "10.1.2.3") | {"forwarded": "for=10.1.2.3"}
            assert await READER.recognise(from_proxy(ADA | claims, peer=peer)) is None


async def test_repeated_proxy_headers_and_invalid_names_are_refused() -> None:
    for name in ("x-forwarded-user", "x-forwarded-groups"):
        with pytest.raises(Unauthenticated, match="sent twice"):
            await READER.recognise(from_proxy(ADA, repeated=frozenset({name})))
    for user in ("x" * 101, "a\x00b", "a\x7fb"):
        with pytest.raises(InvalidInput, match="x-forwarded-user"):
            await READER.recognise(from_proxy(ADA | {"x-forwarded-user": user}))


async def test_other_web_pages_cannot_use_the_proxy_login() -> None:
    for site in ("cross-site", "same-site"):
        with pytest.raises(Forbidden, match="own page"):
            await READER.recognise(from_proxy(ADA | {"sec-fetch-site": site, "sec-fetch-mode": "cors"}))
        opened = from_proxy(ADA | {"sec-fetch-site": site, "sec-fetch-mode": "navigate"})
        assert await READER.recognise(opened) is not None
    with pytest.raises(Forbidden, match="X-Golden-Request"):
        await READER.recognise(from_proxy(ADA | {"content-type": "text/plain"}, method="POST"))
    assert await READER.recognise(from_proxy(ADA | {"content-type": "application/json"}, method="POST")) is not None


HOST = {"host": "bot.example"}
OWN = HOST | {"sec-fetch-site": "same-origin", "sec-fetch-mode": "cors", "origin": "http://bot.example"}
OTHER = HOST | {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "origin": "http://evil.example"}
LINKED = HOST | {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
JSON = {"content-type": "application/json"}
FORM = {"content-type": "application/x-www-form-urlencoded"}


@pytest.fixture
def sessions(engine: Engine) -> SessionStore:
    return SessionStore(engine, idle=timedelta(hours=1), whole=timedelta(hours=12))


def with_session(token: str, headers: dict[str, str], method: str = "GET", *, allowed: bool = False) -> RequestInfo:
    cookies = {"cookie": f"theme=dark; {COOKIE}={token}; other=1"}
    return RequestInfo(method=method, headers=cookies | headers, from_allowed_origin=allowed)


async def recognised(sessions: SessionStore, asked: RequestInfo) -> Actor | None:
    return await SessionRecogniser(sessions).recognise(asked)


async def test_session_of_a_key_has_the_keys_account(engine: Engine, sessions: SessionStore) -> None:
    keys = KeyStore(engine)
    key, record = keys.create("nand-team", scopes=["ask", "manage"], groups=["nand"], department="Memory")
    token = sessions.begin_for_key(record, account=f"key:{record.id}")
    found = await recognised(sessions, with_session(token, OWN))
    by_key = await KeyRecogniser(keys).recognise(RequestInfo(method="GET", headers={"authorization": f"Bearer {key}"}))
    assert found is not None
    assert by_key is not None
    assert found.by_session
    assert not by_key.by_session
    for name in ("name", "account", "groups", "scopes", "department", "key_id"):
        assert getattr(found, name) == getattr(by_key, name)
    keys.revoke(record.id)
    assert await recognised(sessions, with_session(token, OWN)) is None


async def test_session_of_a_person_has_the_identity_from_the_provider(sessions: SessionStore) -> None:
    token = sessions.begin_for_person("Ada", account="token:f3a9", scopes=["ask"], groups=["everyone", "lab"])
    assert await recognised(sessions, with_session(token, OWN)) == Actor(
        name="Ada",
        account="token:f3a9",
        scopes=frozenset({"ask"}),
        groups=frozenset({"everyone", "lab"}),
        by_session=True,
    )
    token = sessions.begin_for_person("Bo", account="b", scopes=["ask"], groups=None)
    every = await recognised(sessions, with_session(token, OWN))
    assert every is not None
    assert every.groups is None


async def test_session_cookie_counts_only_for_own_pages(subtests: pytest.Subtests, sessions: SessionStore) -> None:
    token = sessions.begin_for_person("Ada", account="token:f3a9", scopes=["ask"], groups=None)
    for method, headers in [
        ("GET", OWN), ("GET", LINKED), ("GET", HOST), ("POST", OWN | JSON),
        ("POST", OWN | FORM | {"x-golden-request": "1"}), ("DELETE", OWN),
    ]:  # fmt: skip
        with subtests.test(method=method, headers=headers):
            assert await recognised(sessions, with_session(token, headers, method)) is not None
    for method, headers in [
        ("GET", OTHER), ("GET", HOST | {"sec-fetch-site": "same-site", "sec-fetch-mode": "cors"}),
        ("GET", OTHER | {"sec-fetch-mode": "no-cors", "sec-fetch-dest": "image"}), ("POST", OTHER | JSON),
        ("POST", OTHER | FORM), ("POST", LINKED | FORM), ("DELETE", OTHER), ("POST", HOST | FORM),
        ("POST", HOST | {"content-type": "text/plain"}), ("POST", OWN | FORM),
    ]:  # fmt: skip
        with subtests.test(method=method, headers=headers), pytest.raises(Forbidden):
            await recognised(sessions, with_session(token, headers, method))
    # With a bearer or from an allowed origin it is ignored, and an unknown session is ignored rather than refused.
    assert await recognised(sessions, with_session(token, OWN | {"authorization": "Bearer sk-other"})) is None
    assert await recognised(sessions, with_session(token, OTHER, allowed=True)) is None
    assert await recognised(sessions, with_session("", OWN)) is None
    assert await recognised(sessions, with_session("A" * 43, OTHER)) is None


@pytest.fixture
def no_keys() -> Mock:
    """Return a keeper of keys that has none."""
    return Mock(spec=KeyStore, find=Mock(return_value=None), any_kept=Mock(return_value=False))


@pytest.fixture
def guard(provider: Provider, no_keys: Mock) -> Guard:
    """Return a guard that knows every way in."""
    keys, grants = SigningKeys(provider.issuer), Grants()
    tokens = TokenRecogniser(keys=keys, issuer=provider.issuer, audiences=(AUDIENCE,), grants=grants)
    networks = (ip_network("127.0.0.1"),)
    proxy = ProxyRecogniser(networks=networks, user_header="x-forwarded-user", grants=grants)
    return Guard([KeyRecogniser(no_keys), tokens, proxy])


async def test_first_matching_authentication_identifies_the_caller(guard: Guard, provider: Provider) -> None:
    token = f"Bearer {provider.token()}"
    assert (await guard.authenticate(info(authorization=token, x_forwarded_user="bob"))).account == "token:f3a9"
    assert (await guard.authenticate(info(x_forwarded_user="bob"))).account == "proxy:bob"
    # Credentials for the proxy's own login do not concern this server.
    assert (await guard.authenticate(info(authorization="Bearer secret", x_forwarded_user="bob"))).name == "bob"


async def test_hosts_are_checked_if_they_are_configured() -> None:
    named, anywhere = Guard([READER], hosts=["bot.example"]), Guard([READER])
    assert await named.authenticate(from_proxy(ADA | {"host": "bot.example"}))
    assert await anywhere.authenticate(from_proxy(ADA | {"host": "evil.example"}))
    with pytest.raises(Forbidden, match="GOLDEN_TRUSTED_HOSTS"):
        await named.authenticate(from_proxy(ADA | {"host": "evil.example"}))


async def test_invalid_credentials_are_not_replaced_by_another_kind(guard: Guard, provider: Provider) -> None:
    with pytest.raises(Unauthenticated, match="not an API key"):
        await guard.authenticate(info(authorization="Bearer gr_" + "0" * 49, x_forwarded_user="bob"))
    with pytest.raises(InvalidToken, match="expired"):
        await guard.authenticate(info(authorization=f"Bearer {provider.token(exp=1)}", x_forwarded_user="bob"))


async def test_missing_credentials_error_names_every_kind(guard: Guard) -> None:
    with pytest.raises(MissingIdentity) as caught:
        await guard.authenticate(info())
    for word in ("Bearer gr_", "Bearer eyJ", "proxy"):
        assert word in str(caught.value)
    with pytest.raises(Unauthenticated, match="another credential that it accepts"):
        await guard.authenticate(info(authorization="Bearer sk-abc"))
    with pytest.raises(MissingIdentity):
        await guard.authenticate(info(peer="10.0.0.1", x_forwarded_user="bob"))
    with pytest.raises(Forbidden, match="open the server's own page"):
        await guard.authenticate(info(x_forwarded_user="bob", origin="https://evil.example"))


async def test_open_access_ends_permanently_with_the_first_key(no_keys: Mock) -> None:
    guard = Guard([KeyRecogniser(no_keys)], user="Ada", before=no_keys)
    local = info(host="127.0.0.1")
    assert (await guard.authenticate(local)).name == "Ada"
    assert not guard.asks_everyone
    for kept in (True, False):
        no_keys.any_kept.return_value = kept
        with pytest.raises(MissingIdentity):
            await guard.authenticate(local)
        assert guard.asks_everyone


async def test_access_is_refused_while_the_key_store_is_unavailable(no_keys: Mock) -> None:
    guard = Guard([KeyRecogniser(no_keys)], before=no_keys)
    no_keys.any_kept.side_effect = Unavailable("the database does not answer")
    for _ in range(2):
        with pytest.raises(Unavailable):
            await guard.authenticate(info(host="127.0.0.1"))
    no_keys.any_kept.side_effect = None
    assert not (await guard.authenticate(info(host="127.0.0.1"))).account
