"""Everybody is asked who they are: from the start, or from the first key on."""

import asyncio

import pytest

from contracts.errors import Unavailable
from contracts.keys import ApiKey
from serving.access import Actor, Forbidden, LoopbackGuard, RequestInfo, Unauthenticated
from serving.identity.base import Grants, InvalidToken, MissingIdentity
from serving.identity.guards import FIRST_KEY_NOTICED_S, FirstKeyGuard, IdentityGuard
from serving.identity.provider import SigningKeys
from serving.identity.proxy import ProxyRecogniser, ProxyRules, networks_in
from serving.identity.tokens import TokenRecogniser, TokenRules
from serving.keys import KeyRecogniser
from tests.serving.identity.provider import AUDIENCE, Provider


class Keys:
    """A keeper of keys that has none, until ``kept``."""

    def __init__(self) -> None:
        self.kept: bool | None = False
        self.asked = 0

    def find(self, key: str) -> ApiKey | None:
        return None

    def note_use(self, key_id: str) -> None:
        raise AssertionError("no key is in force")

    def any_kept(self) -> bool:
        self.asked += 1
        if self.kept is None:
            raise Unavailable("the database does not answer")
        return self.kept


def every_way(provider: Provider) -> IdentityGuard:
    rules = TokenRules(issuer=provider.issuer, audiences=(AUDIENCE,))
    proxy = ProxyRules(networks=networks_in(["127.0.0.1"]), user_header="x-forwarded-user")
    grants = Grants()
    tokens = TokenRecogniser(SigningKeys(provider.issuer), rules=rules, grants=grants)
    return IdentityGuard([KeyRecogniser(Keys()), tokens, ProxyRecogniser(rules=proxy, grants=grants)])


def info(*, peer: str = "127.0.0.1", **headers: str) -> RequestInfo:
    return RequestInfo(
        method="GET", headers={name.replace("_", "-"): value for name, value in headers.items()}, peer=peer
    )


async def test_the_first_kind_that_fits_says_who_asks(provider: Provider) -> None:
    guard = every_way(provider)
    token = f"Bearer {provider.token()}"
    assert (await guard.authenticate(info(authorization=token, x_forwarded_user="bob"))).account == "token:f3a9"
    assert (await guard.authenticate(info(x_forwarded_user="bob"))).account == "proxy:bob"
    # What the proxy's own login was is none of this server's.
    assert (await guard.authenticate(info(authorization="Bearer secret", x_forwarded_user="bob"))).name == "bob"


async def test_what_fits_but_does_not_hold_is_not_saved_by_another_kind(provider: Provider) -> None:
    guard = every_way(provider)
    with pytest.raises(Unauthenticated, match="no API key"):
        await guard.authenticate(info(authorization="Bearer gr_" + "0" * 49, x_forwarded_user="bob"))
    with pytest.raises(InvalidToken, match="expired"):
        await guard.authenticate(info(authorization=f"Bearer {provider.token(exp=1)}", x_forwarded_user="bob"))


async def test_who_brings_nothing_is_told_every_kind(provider: Provider) -> None:
    guard = every_way(provider)
    with pytest.raises(MissingIdentity) as caught:
        await guard.authenticate(info())
    for word in ("Bearer gr_", "Bearer eyJ", "proxy"):
        assert word in str(caught.value)
    with pytest.raises(Unauthenticated, match="nothing else that it knows"):
        await guard.authenticate(info(authorization="Bearer sk-abc"))
    with pytest.raises(MissingIdentity):
        await guard.authenticate(info(peer="10.0.0.1", x_forwarded_user="bob"))
    with pytest.raises(Forbidden, match="open the server's own page"):
        await guard.authenticate(info(x_forwarded_user="bob", origin="https://evil.example"))


async def test_the_first_key_closes_for_good() -> None:
    keys, now = Keys(), [0.0]
    guard = FirstKeyGuard(
        keys, before=LoopbackGuard(user="Ada"), after=IdentityGuard([KeyRecogniser(keys)]), clock=lambda: now[0]
    )
    local = info(host="127.0.0.1")
    for _ in range(5):
        assert await guard.authenticate(local) is None
    assert keys.asked == 1
    assert not guard.asks_everyone
    keys.kept = True
    now[0] += FIRST_KEY_NOTICED_S - 0.1
    assert await guard.authenticate(local) is None, "the window that the documentation names"
    now[0] += 0.2
    for _ in range(5):
        with pytest.raises(MissingIdentity):
            await guard.authenticate(local)
        with pytest.raises(MissingIdentity):
            await guard.admit(local, "ask")
    assert guard.asks_everyone
    assert keys.asked == 2
    keys.kept = False
    now[0] += 1_000
    with pytest.raises(MissingIdentity):
        await guard.authenticate(local)


async def test_nobody_is_let_in_while_nobody_can_say_whether_there_are_keys() -> None:
    keys = Keys()
    guard = FirstKeyGuard(keys, before=LoopbackGuard(), after=IdentityGuard([KeyRecogniser(keys)]))
    keys.kept = None
    for _ in range(2):
        with pytest.raises(Unavailable):
            await guard.authenticate(info(host="127.0.0.1"))
    keys.kept = False
    assert await guard.authenticate(info(host="127.0.0.1")) is None


async def test_many_at_once_look_once() -> None:
    keys = Keys()
    # A clock that stands still: fifty requests take a busy machine longer than a key may go unnoticed.
    guard = FirstKeyGuard(keys, before=LoopbackGuard(), after=IdentityGuard([KeyRecogniser(keys)]), clock=lambda: 0.0)
    found: list[Actor | None] = await asyncio.gather(*(guard.authenticate(info(host="127.0.0.1")) for _ in range(50)))
    assert found == [None] * 50
    assert keys.asked == 1
