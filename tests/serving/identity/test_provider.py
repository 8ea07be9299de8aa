"""The provider's keys: found, fetched seldom, and kept while it is away."""

import asyncio
import json
from typing import Any

import pytest

from contracts.errors import Unavailable
from serving.identity.provider import SigningKeys, is_safe_url, signing_keys_of
from tests.serving.identity.provider import EC, ED, RSA, Provider, new_pair


class Clock:
    now_s = 1_000.0

    def __call__(self) -> float:
        return self.now_s


async def found(keys: SigningKeys, kid: str, algorithm: str = "ES256") -> str | None:
    key = await keys.find(kid, algorithm)
    return key.key_id if key is not None else None


async def test_provider_keys_are_fetched_once_and_unknown_ids_rate_limited(provider: Provider) -> None:
    clock = Clock()
    keys = SigningKeys(provider.issuer, clock=clock)
    assert set(await asyncio.gather(*(found(keys, "ec-1") for _ in range(20)))) == {"ec-1"}
    assert await found(keys, "rsa-1", "RS256") == "rsa-1"
    assert provider.asked == ["/.well-known/openid-configuration", "/keys"]
    for number in range(50):
        assert await found(keys, f"made-up-{number}") is None
    assert provider.asked.count("/keys") == 1
    provider.entries.append(new_pair("ES256", "ec-2").entry)
    clock.now_s += 31
    assert await found(keys, "ec-2") == "ec-2"
    for number in range(50):
        assert await found(keys, f"made-up-{number}") is None
    assert provider.asked.count("/keys") == 2


async def test_a_key_that_was_withdrawn_is_refused_within_the_hour(provider: Provider) -> None:
    clock = Clock()
    keys = SigningKeys(provider.issuer, clock=clock)
    assert await found(keys, "ec-1") == "ec-1"
    provider.entries[:] = [RSA.entry]
    clock.now_s += 3_601
    assert await found(keys, "ec-1") is None
    assert await found(keys, "rsa-1", "RS256") == "rsa-1"


async def test_known_keys_stay_valid_for_a_limited_time_without_the_provider(
    provider: Provider, caplog: pytest.LogCaptureFixture
) -> None:
    clock = Clock()
    keys = SigningKeys(provider.issuer, clock=clock)
    assert await found(keys, "ec-1") == "ec-1"
    provider.away = True
    for _ in range(3):
        clock.now_s += 7_000
        assert await found(keys, "ec-1") == "ec-1"
    assert "stay in use" in caplog.text
    clock.now_s += 24 * 3_600
    with pytest.raises(Unavailable, match="answered 503"):
        await keys.find("ec-1", "ES256")
    provider.away = False
    clock.now_s += 31
    assert await found(keys, "ec-1") == "ec-1"


async def test_unreachable_provider_is_not_asked_by_every_request(provider: Provider) -> None:
    clock = Clock()
    provider.away = True
    keys = SigningKeys(provider.issuer, clock=clock)
    for _ in range(10):
        with pytest.raises(Unavailable, match="identity provider"):
            await keys.find("ec-1", "ES256")
    assert len(provider.asked) == 1
    nobody = SigningKeys("http://127.0.0.1:9", clock=clock)
    with pytest.raises(Unavailable):
        await nobody.find("", "ES256")


@pytest.mark.parametrize(
    ("description", "why"),
    [
        ({}, "issuer is None"),
        ({"issuer": "https://evil.example", "jwks_uri": "https://evil.example/keys"}, "must match exactly"),
        ({"jwks_uri": "http://evil.example/keys"}, "not an https address"),
        ({"jwks_uri": "file:///etc/passwd"}, "not an https address"),
    ],
)
async def test_invalid_description_is_refused(provider: Provider, description: dict[str, Any], why: str) -> None:
    own = {"issuer": provider.issuer} if description and "issuer" not in description else {}
    provider.description = own | description
    with pytest.raises(Unavailable, match=why):
        await SigningKeys(provider.issuer).find("ec-1", "ES256")
    assert provider.asked == ["/.well-known/openid-configuration"]


async def test_response_that_is_not_a_key_set_is_reported(subtests: pytest.Subtests, provider: Provider) -> None:
    for raw in [b"<html>", b"[]", b"{}", b'{"keys": {}}', b'{"keys": []}', b"\xff", b"[" * 100_000]:
        with subtests.test(raw=raw):
            provider.raw = raw
            with pytest.raises(Unavailable):
                await SigningKeys(provider.issuer).find("ec-1", "ES256")


def test_only_signature_verification_keys_are_used() -> None:
    odd: list[Any] = [
        {"kty": "oct", "k": "c2VjcmV0", "kid": "oct", "alg": "HS256"},
        {**EC.entry, "use": "enc"},
        {**EC.entry, "alg": "HS256"},
        {**EC.entry, "crv": "P-521"},
        {"kty": "EC"},
        {**RSA.entry, "alg": "RSA-OAEP"},
        {**ED.entry, "crv": "X25519"},
        7,
        None,
    ]
    keys = signing_keys_of({"keys": [*odd, EC.entry, ED.entry]})
    assert [(key.key_id, key.algorithm_name) for key in keys] == [("ec-1", "ES256"), ("ed-1", "EdDSA")]
    with pytest.raises(ValueError, match="keys"):
        signing_keys_of(json.loads(json.dumps({"keys": odd})))


def test_only_https_and_loopback_addresses_are_safe(subtests: pytest.Subtests) -> None:
    for url, safe in [
        ("https://id.example", True), ("http://127.0.0.1:8080/realms/x", True), ("http://localhost", True),
        ("http://id.example", False), ("ftp://127.0.0.1", False), ("https://", False), ("http://[", False),
        ("", False), ("http://127.0.0.1@evil.example/", False), ("http://localhost.evil.example", False),
    ]:  # fmt: skip
        with subtests.test(url=url, safe=safe):
            assert is_safe_url(url) is safe
