"""Everybody is asked who they are: from the start, or from the first key on."""

from ipaddress import ip_network

import pytest

from contracts.errors import Unavailable
from contracts.keys import ApiKey
from serving.access import Forbidden, LoopbackGuard, RequestInfo, Unauthenticated
from serving.identity.base import Grants, InvalidToken, MissingIdentity
from serving.identity.guards import FirstKeyGuard, IdentityGuard
from serving.identity.provider import SigningKeys
from serving.identity.proxy import ProxyRecogniser
from serving.identity.tokens import TokenRecogniser
from serving.keys import KeyRecogniser
from tests.serving.identity.provider import AUDIENCE, Provider


class Keys:
    """A keeper of keys that has none, until ``kept``."""

    def __init__(self) -> None:
        self.kept: bool | None = False

    def find(self, key: str) -> ApiKey | None:
        return None

    def note_use(self, key_id: str) -> None:
        raise AssertionError("no key is in force")

    def any_kept(self) -> bool:
        if self.kept is None:
            raise Unavailable("the database does not answer")
        return self.kept


def every_way(provider: Provider) -> IdentityGuard:
    keys, grants = SigningKeys(provider.issuer), Grants()
    tokens = TokenRecogniser(keys=keys, issuer=provider.issuer, audiences=(AUDIENCE,), grants=grants)
    networks = (ip_network("127.0.0.1"),)
    proxy = ProxyRecogniser(networks=networks, user_header="x-forwarded-user", grants=grants)
    return IdentityGuard([KeyRecogniser(Keys()), tokens, proxy])


def info(*, peer: str = "127.0.0.1", **headers: str) -> RequestInfo:
    return RequestInfo(
        method="GET", headers={name.replace("_", "-"): value for name, value in headers.items()}, peer=peer
    )


async def test_first_matching_authentication_identifies_the_caller(provider: Provider) -> None:
    guard = every_way(provider)
    token = f"Bearer {provider.token()}"
    assert (await guard.authenticate(info(authorization=token, x_forwarded_user="bob"))).account == "token:f3a9"
    assert (await guard.authenticate(info(x_forwarded_user="bob"))).account == "proxy:bob"
    # Credentials for the proxy's own login do not concern this server.
    assert (await guard.authenticate(info(authorization="Bearer secret", x_forwarded_user="bob"))).name == "bob"


async def test_invalid_credentials_are_not_replaced_by_another_kind(provider: Provider) -> None:
    guard = every_way(provider)
    with pytest.raises(Unauthenticated, match="not an API key"):
        await guard.authenticate(info(authorization="Bearer gr_" + "0" * 49, x_forwarded_user="bob"))
    with pytest.raises(InvalidToken, match="expired"):
        await guard.authenticate(info(authorization=f"Bearer {provider.token(exp=1)}", x_forwarded_user="bob"))


async def test_missing_credentials_error_names_every_kind(provider: Provider) -> None:
    guard = every_way(provider)
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


async def test_open_access_ends_permanently_with_the_first_key() -> None:
    keys = Keys()
    guard = FirstKeyGuard(keys, before=LoopbackGuard(user="Ada"), after=IdentityGuard([KeyRecogniser(keys)]))
    local = info(host="127.0.0.1")
    assert (await guard.authenticate(local)).name == "Ada"
    assert not guard.asks_everyone
    for kept in (True, False):
        keys.kept = kept
        with pytest.raises(MissingIdentity):
            await guard.authenticate(local)
        assert guard.asks_everyone


async def test_access_is_refused_while_the_key_store_is_unavailable() -> None:
    keys = Keys()
    guard = FirstKeyGuard(keys, before=LoopbackGuard(), after=IdentityGuard([KeyRecogniser(keys)]))
    keys.kept = None
    for _ in range(2):
        with pytest.raises(Unavailable):
            await guard.authenticate(info(host="127.0.0.1"))
    keys.kept = False
    assert not (await guard.authenticate(info(host="127.0.0.1"))).account
