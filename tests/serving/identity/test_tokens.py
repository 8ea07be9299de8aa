"""Who a token says one is, and every token that says nothing."""

import json
import time
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from serving.access import Actor, RequestInfo
from serving.identity.base import Grants, InvalidToken
from serving.identity.provider import SigningKeys
from serving.identity.tokens import MAX_TOKEN_CHARACTERS, TokenRecogniser
from tests.serving.identity.provider import AUDIENCE, EC, ED, RSA, Provider, as_segment, new_pair, signed_by_hand

GRANTS = Grants(
    by_role={"helpdesk": frozenset({"manage"}), "it": frozenset({"admin", "all-groups"}), "x y": frozenset({"admin"})}
)
HEAD = {"alg": "ES256", "kid": "ec-1", "typ": "JWT"}


def recogniser(provider: Provider, **rules: Any) -> TokenRecogniser:
    keys, audiences = SigningKeys(provider.issuer), (AUDIENCE, "second")
    return TokenRecogniser(keys=keys, issuer=provider.issuer, audiences=audiences, grants=GRANTS, **rules)


async def read(provider: Provider, token: str, **rules: Any) -> Actor:
    asked = RequestInfo(method="GET", headers={"authorization": f"Bearer {token}"})
    actor = await recogniser(provider, **rules).recognise(asked)
    assert actor is not None
    return actor


async def assert_refused(provider: Provider, token: str) -> str:
    with pytest.raises(InvalidToken) as caught:
        await read(provider, token)
    assert caught.value.__cause__ is None
    return str(caught.value)


async def test_provider_token_identifies_the_caller_despite_small_clock_skew(provider: Provider) -> None:
    now = time.time()
    differing: dict[str, Any] = {"exp": now - 10, "nbf": now + 10, "iat": now + 10}
    for pair in (RSA, EC, ED):
        for times in ({}, differing):
            assert await read(provider, provider.token(pair, **times)) == Actor(
                name="ada", groups=frozenset({"lab", "everyone"}), scopes=frozenset({"ask"}), account="token:f3a9"
            )


async def test_groups_and_roles_come_from_the_claims(subtests: pytest.Subtests, provider: Provider) -> None:
    for claims, rules, groups, scopes in [
        ({"groups": None}, {}, {"everyone"}, {"ask"}),
        ({"groups": "x y"}, {}, {"everyone", "x y"}, {"ask", "admin"}),
        ({"groups": ["/nand", " ", "/a/b"]}, {}, {"everyone", "nand", "a/b"}, {"ask"}),
        ({"groups": ["it"]}, {}, None, {"ask", "admin"}),
        ({"groups": ["IT", "Helpdesk", "all-groups", "admin", "*"]}, {},
         {"everyone", "IT", "Helpdesk", "all-groups", "admin", "*"}, {"ask"}),
        # With a separate claim for roles, groups do not count as roles, nor roles as groups.
        ({"groups": ["it"], "roles": ["helpdesk"]}, {"roles_claim": "roles"}, {"everyone", "it"}, {"ask", "manage"}),
        ({"scope": "openid helpdesk"}, {"roles_claim": "scope"}, {"everyone", "lab"}, {"ask", "manage"}),
        ({"realm_access": {"roles": ["it"]}}, {"roles_claim": "realm_access.roles"}, None, {"ask", "admin"}),
        ({"realm_access": "it"}, {"roles_claim": "realm_access.roles"}, {"everyone", "lab"}, {"ask"}),
        ({"https://x.example/groups": ["g"]}, {"groups_claim": "https://x.example/groups"}, {"everyone", "g"}, {"ask"}),
    ]:  # fmt: skip
        with subtests.test(claims=claims, rules=rules, groups=groups, scopes=scopes):
            actor = await read(provider, provider.token(**claims), **rules)
            assert actor.groups == (None if groups is None else frozenset(groups))
            assert actor.scopes == scopes


async def test_invalid_name_claim_falls_back_to_the_subject(subtests: pytest.Subtests, provider: Provider) -> None:
    for named, name in [
        ("Jörg", "Jörg"), (None, "f3a9"), ("a\u202eb", "f3a9"), ("x" * 101, "f3a9"), (["ada"], "f3a9"),
    ]:  # fmt: skip
        with subtests.test(named=named, name=name):
            actor = await read(provider, provider.token(preferred_username=named))
            assert (actor.name, actor.account) == (name, "token:f3a9")


async def test_invalid_claims_are_refused(subtests: pytest.Subtests, provider: Provider) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"exp": time.time() - 60}, "has expired"),
        ({"nbf": time.time() + 3_600}, "is not valid yet"),
        ({"iat": time.time() + 3_600}, "is not valid yet"),
        ({"exp": None}, "lacks a required claim"),
        ({"sub": None}, "lacks a required claim"),
        ({"aud": "other"}, "a different service"),
        ({"aud": ["golden-retriever", 7]}, "a different service"),
        ({"sub": ""}, "sub is not a name"),
        ({"sub": "a\nb"}, "sub is not a name"),
        ({"sub": "x" * 256}, "sub is not a name"),
        ({"cnf": {"jkt": "x"}}, "bound to a key"),
        *(({"groups": wrong}, "groups is not a list of names")
          for wrong in (7, True, {"lab": 1}, {"0": "lab"}, ["lab", 7], ["lab", None], [["lab"]], 0, False)),
        *(({"iss": issuer}, "this server's provider")
          for issuer in ("https://evil.example", f"{provider.issuer}/", provider.issuer.upper())),
    ]  # fmt: skip
    for claims, why in cases:
        with subtests.test(claims=claims, why=why):
            assert why in await assert_refused(provider, provider.token(**claims))
    # Contents that libraries refuse to sign.
    types: list[dict[str, Any]] = [
        {"exp": "soon"}, {"exp": {}}, {"nbf": [1]}, {"iat": "now"}, {"sub": 7}, {"sub": ["a"]}, {"jti": 7},
        {"iss": [provider.issuer]}, {"iss": 7},
    ]  # fmt: skip
    bodies: list[Any] = ["[]", '"x"', "", "{", "\x00", "[" * 100_000, *(provider.claims(**each) for each in types)]
    for odd in bodies:
        with subtests.test(odd=str(odd)[:9]):
            assert "This token" in await assert_refused(provider, signed_by_hand(HEAD, odd))


async def test_unsigned_token_is_refused(provider: Provider) -> None:
    claims = provider.claims()
    body = as_segment(json.dumps(claims).encode())
    for name in ("none", "None", "NONE", "nOnE", ""):
        head = as_segment(json.dumps({"alg": name, "kid": "ec-1", "typ": "JWT"}).encode())
        for signature in ("", "AA"):
            assert "must be signed with" in await assert_refused(provider, f"{head}.{body}.{signature}")
    stripped = provider.token().rpartition(".")[0] + "."
    assert "not signed" in await assert_refused(provider, stripped)
    other = provider.token(sub="other").split(".")
    mixed = ".".join((provider.token().split(".")[0], other[1], provider.token().split(".")[2]))
    assert "not signed" in await assert_refused(provider, mixed)


async def test_symmetric_and_other_algorithms_are_refused(subtests: pytest.Subtests, provider: Provider) -> None:
    for algorithm in ["HS256", "HS512", "RS384", "PS256", "ES256K"]:
        with subtests.test(algorithm=algorithm):
            pem = RSA.private.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
            head = {"alg": algorithm, "kid": "rsa-1", "typ": "JWT"}
            signed = ".".join(as_segment(json.dumps(each).encode()) for each in (head, provider.claims()))
            hmac = jwt.get_algorithm_by_name(algorithm if algorithm.startswith("HS") else "HS256")
            for secret in (pem, pem.strip(), json.dumps(RSA.entry).encode(), b""):
                try:
                    signature = hmac.sign(signed.encode(), secret or b"x")
                except jwt.PyJWTError:
                    continue
                assert "must be signed with" in await assert_refused(provider, f"{signed}.{as_segment(signature)}")


async def test_key_verifies_only_its_own_algorithm(provider: Provider) -> None:
    # The id of one key with the algorithm of another.
    for pair, kid in ((EC, "rsa-1"), (RSA, "ec-1"), (ED, "ec-1"), (EC, "ed-1")):
        assert "signed with a key that" in await assert_refused(provider, provider.token(pair, headers={"kid": kid}))


async def test_key_id_selects_among_the_providers_keys_only(subtests: pytest.Subtests, provider: Provider) -> None:
    for kid in [
        "none", "../../dev/null", "' OR 1=1 --", "\x00", "ec-1\x00", "EC-1", "x" * 513, 7, None, ["ec-1"], {"a": 1},
    ]:  # fmt: skip
        with subtests.test(kid=kid):
            stranger = new_pair("ES256", "stranger")
            for pair in (EC, stranger):
                token = signed_by_hand({**HEAD, "kid": kid}, provider.claims(), pair)
                assert "key" in await assert_refused(provider, token)


async def test_token_without_key_id_uses_the_only_key_for_its_algorithm(provider: Provider) -> None:
    head = {"alg": "ES256", "typ": "JWT"}
    assert (await read(provider, signed_by_hand(head, provider.claims()))).name == "ada"
    provider.entries.append(new_pair("ES256", "ec-2").entry)
    assert "signed with a key that" in await assert_refused(provider, signed_by_hand(head, provider.claims()))


async def test_keys_offered_by_the_token_itself_are_ignored(provider: Provider) -> None:
    evil = new_pair("ES256", "ec-1")
    offers = {
        "jwk": evil.entry,
        "jku": f"{provider.issuer}/evil-keys",
        "x5u": f"{provider.issuer}/evil-cert",
        "x5c": ["MIIB"],
    }
    for name, value in offers.items():
        head, claims = {**HEAD, name: value}, provider.claims()
        assert "not signed" in await assert_refused(provider, signed_by_hand(head, claims, evil))
        # They do no harm if the provider itself signed the token.
        assert (await read(provider, signed_by_hand(head, claims))).name == "ada"
    assert not [path for path in provider.asked if "evil" in path]


async def test_tokens_with_unexpected_headers_are_refused(subtests: pytest.Subtests, provider: Provider) -> None:
    for head in [
        {**HEAD, "crit": ["exp"]}, {**HEAD, "crit": []}, {**HEAD, "crit": ["b64"], "b64": False},
        {**HEAD, "typ": "logout+jwt"}, {**HEAD, "typ": "dpop+jwt"}, {**HEAD, "typ": 7},
        {**HEAD, "alg": ["ES256"]}, {**HEAD, "alg": None}, "[]", "{",
    ]:  # fmt: skip
        with subtests.test(head=head):
            token = signed_by_hand(head, provider.claims())
            await assert_refused(provider, token if token.startswith("eyJ") else f"eyJ{token}")


async def test_huge_token_is_refused_unread(provider: Provider) -> None:
    huge = provider.token(groups=[f"group-{number}" for number in range(3_000)])
    assert len(huge) > MAX_TOKEN_CHARACTERS
    assert f"{MAX_TOKEN_CHARACTERS} characters" in await assert_refused(provider, huge)
    assert provider.asked == []
    large = provider.token(groups=[f"group-{number}" for number in range(600)])
    assert len((await read(provider, large)).groups or ()) == 601


async def test_other_authorization_headers_are_left_to_other_recognisers(provider: Provider) -> None:
    reader = recogniser(provider)
    for header in [
        "", "Bearer", "Bearer gr_abc", "Bearer a.b.c", "Bearer eyJ.a.b.c.d", "Basic eyJ.a.b", provider.token(),
    ]:  # fmt: skip
        assert await reader.recognise(RequestInfo(method="GET", headers={"authorization": header})) is None
    assert provider.asked == []
