"""The door of the pages alone is kept by the server: it says who somebody is, by what their browser sent."""

from pathlib import Path

import httpx
import pytest

from contracts.errors import Unavailable
from golden_retriever.alone.keeping import RemoteDoorkeeper
from serving.access import Forbidden, Knock, LoopbackGuard, Unauthenticated
from serving.identity.session import COOKIE
from serving.keys import account_of
from tests.serving.login.house import House, new_house, serve


@pytest.fixture
def house(tmp_path: Path) -> House:
    return new_house(tmp_path)


def knock(method: str = "GET", **headers: str) -> Knock:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Knock(method=method, headers={"host": "127.0.0.1:7861"} | named, peer="127.0.0.1")


async def test_whom_the_server_knows_is_let_in_for_a_moment_without_asking_again(house: House) -> None:
    key, record = house.keys.create("bot", groups=["everyone", "lab"])
    token = house.desk.sessions.begin_for_key(record, account=account_of(record))
    now = [0.0]
    async with serve(house) as http:
        keeper = RemoteDoorkeeper(http, clock=lambda: now[0])
        for brought in ({"authorization": f"Bearer {key}"}, {"cookie": f"{COOKIE}={token}"}):
            actor = await keeper.let_in(knock(**brought))
            assert (actor.name, actor.account, actor.scopes) == ("bot", account_of(record), frozenset({"ask"}))
            assert actor.groups == frozenset({"everyone", "lab"})
        house.keys.revoke(record.id)
        now[0] = 4.9
        await keeper.let_in(knock(authorization=f"Bearer {key}"))
        now[0] = 5.1
        with pytest.raises(Unauthenticated, match="was revoked"):
            await keeper.let_in(knock(authorization=f"Bearer {key}"))
        with pytest.raises(Unauthenticated):
            await keeper.let_in(knock(cookie=f"{COOKIE}={token}"))


async def test_whom_the_server_does_not_know_or_let_ask_is_not_let_in(house: House) -> None:
    nightly, _ = house.keys.create("nightly", scopes=["manage"])
    async with serve(house) as http:
        keeper = RemoteDoorkeeper(http)
        with pytest.raises(Unauthenticated):
            await keeper.let_in(knock())
        with pytest.raises(Forbidden, match="scope 'ask'"):
            await keeper.let_in(knock(authorization=f"Bearer {nightly}"))


async def test_pages_of_other_origins_are_refused_here_whatever_was_known_before(house: House) -> None:
    _, record = house.keys.create("bot")
    cookie = f"{COOKIE}={house.desk.sessions.begin_for_key(record, account=account_of(record))}"
    async with serve(house) as http:
        keeper = RemoteDoorkeeper(http)
        await keeper.let_in(knock(cookie=cookie))
        await keeper.let_in(knock(cookie=cookie, sec_fetch_site="cross-site", sec_fetch_mode="navigate"))
        await keeper.let_in(knock("POST", cookie=cookie, content_type="application/json"))
        for method, headers in (
            ("GET", {"origin": "http://evil.example"}),
            ("GET", {"sec_fetch_site": "cross-site", "sec_fetch_mode": "cors"}),
            ("POST", {"content_type": "text/plain"}),
            ("POST", {"content_type": "application/json", "sec_fetch_site": "same-site"}),
        ):
            with pytest.raises(Forbidden):
                await keeper.let_in(knock(method, cookie=cookie, **headers))


async def test_a_name_that_the_server_is_not_asked_for_by_is_refused(house: House) -> None:
    async with serve(house, LoopbackGuard(user="Ada")) as http:
        keeper = RemoteDoorkeeper(http)
        assert (await keeper.let_in(knock())).name == "Ada"
        with pytest.raises(Forbidden, match=r"rebound\.example"):
            await keeper.let_in(knock(host="rebound.example"))


async def test_beyond_this_machine_only_a_server_that_asks_everyone_is_served(house: House) -> None:
    key, _ = house.keys.create("bot")
    async with serve(house, LoopbackGuard(user="Ada")) as http:
        with pytest.raises(Forbidden, match="asks nobody"):
            await RemoteDoorkeeper(http, closed_only=True).let_in(knock())
    async with serve(house) as http:
        keeper = RemoteDoorkeeper(http, closed_only=True)
        assert (await keeper.let_in(knock(authorization=f"Bearer {key}"))).name == "bot"


async def test_while_the_server_is_away_nobody_is_let_in() -> None:
    async with httpx.AsyncClient(base_url="http://127.0.0.1:1") as http:
        for closed_only in (True, False):
            with pytest.raises(Unavailable, match="cannot be reached"):
                await RemoteDoorkeeper(http, closed_only=closed_only).let_in(knock())
