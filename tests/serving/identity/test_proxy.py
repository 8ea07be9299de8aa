"""Whom a proxy names, and from whom its headers are believed."""

from ipaddress import ip_network
from typing import Any

import pytest

from contracts.errors import InvalidInput
from serving.access import Actor, Forbidden, RequestInfo, Unauthenticated
from serving.identity.base import Grants
from serving.identity.proxy import ProxyRecogniser

READER = ProxyRecogniser(
    networks=tuple(map(ip_network, ("10.1.0.0/16", "192.168.7.9", "fd00::/8"))),
    user_header="x-forwarded-user",
    groups_header="x-forwarded-groups",
    grants=Grants(by_role={"it": frozenset({"admin", "all-groups"}), "desk": frozenset({"manage"})}),
)
ADA = {"x-forwarded-user": "ada@corp.example", "x-forwarded-groups": "nand, /desk"}


def info(headers: dict[str, str], *, peer: str = "10.1.2.3", method: str = "GET", **more: Any) -> RequestInfo:
    return RequestInfo(method=method, headers=headers, peer=peer, **more)


async def test_proxy_headers_identify_the_caller() -> None:
    assert await READER.recognise(info(ADA)) == Actor(
        name="ada@corp.example",
        account="proxy:ada@corp.example",
        groups=frozenset({"everyone", "nand", "desk"}),
        scopes=frozenset({"ask", "manage"}),
    )
    every = await READER.recognise(info({"x-forwarded-user": "bob", "x-forwarded-groups": "it"}))
    assert every is not None
    assert every.groups is None
    assert every.scopes == {"ask", "admin"}
    plain = await READER.recognise(info({"x-forwarded-user": "UTF-8''J%C3%B6rg", "x-forwarded-groups": " , "}))
    assert plain is not None
    assert plain.name == "Jörg"
    assert plain.groups == frozenset({"everyone"})


async def test_proxy_headers_count_only_from_the_proxys_address(subtests: pytest.Subtests) -> None:
    for peer in ["10.1.255.255", "192.168.7.9", "::ffff:10.1.0.1", "fd00::1", "fd12::7%eth0"]:
        with subtests.test(peer=peer):
            assert await READER.recognise(info(ADA, peer=peer)) is not None
    for headers in [{}, {"x-forwarded-user": " "}, {"x-forwarded-groups": "it"}, {"x-user": "ada"}]:
        with subtests.test(headers=headers):
            assert await READER.recognise(info(headers)) is None
    for peer in [
        "", "10.2.0.1", "192.168.7.8", "127.0.0.1", "::1", "fe80::1", "::ffff:10.2.0.1", "10.1.2.3, 9.9.9.9",
        "10.1.2.3.evil.example", "unix:", "010.1.2.3",
    ]:  # fmt: skip
        with subtests.test(peer=peer):
            assert await READER.recognise(info(ADA, peer=peer)) is None
            claims = dict.fromkeys(("x-forwarded-for", "x-real-ip", "host"), "10.1.2.3") | {"forwarded": "for=10.1.2.3"}
            assert await READER.recognise(info(ADA | claims, peer=peer)) is None


async def test_repeated_proxy_headers_and_invalid_names_are_refused() -> None:
    for name in ("x-forwarded-user", "x-forwarded-groups"):
        with pytest.raises(Unauthenticated, match="sent twice"):
            await READER.recognise(info(ADA, repeated=frozenset({name})))
    for user in ("x" * 101, "a\x00b", "UTF-8''%FF", "UTF-8''a%0Ab", "a\x7fb"):
        with pytest.raises(InvalidInput, match="x-forwarded-user"):
            await READER.recognise(info(ADA | {"x-forwarded-user": user}))


async def test_other_web_pages_cannot_use_the_proxy_login() -> None:
    for site in ("cross-site", "same-site"):
        with pytest.raises(Forbidden, match="own page"):
            await READER.recognise(info(ADA | {"sec-fetch-site": site, "sec-fetch-mode": "cors"}))
        assert await READER.recognise(info(ADA | {"sec-fetch-site": site, "sec-fetch-mode": "navigate"})) is not None
    with pytest.raises(Forbidden, match="X-Golden-Request"):
        await READER.recognise(info(ADA | {"content-type": "text/plain"}, method="POST"))
    assert await READER.recognise(info(ADA | {"content-type": "application/json"}, method="POST")) is not None
