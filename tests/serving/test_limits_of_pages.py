"""What the pages ask of the API in the same process: questions count against an account's limits, looking does not."""

from pathlib import Path

import pytest

from agent.chatbot import Chatbot
from library.keys import KeyStore
from library.migrations import LIBRARY
from serving.app import create_app
from serving.identity.guards import IdentityGuard
from serving.keys import KeyRecogniser
from serving.rate_limits import RequestLimits
from tests.agent.scripted import Script
from tests.databases import open_new_sqlite
from tests.servers import chat_of, nothing_missing
from ui.client import ApiClient, ApiProblem, Caller


@pytest.mark.parametrize("path", ["/api/review/abc/replay", "/api/review/cases/run", "/v1/chat/completions"])
async def test_what_asks_the_bot_counts_and_what_looks_does_not(tmp_path: Path, path: str) -> None:
    engine = open_new_sqlite(tmp_path / "golden.db", LIBRARY)
    store = KeyStore(engine)
    key = store.create("ada", scopes=["ask"])[0]

    web = create_app(
        chat_of(Chatbot(Script().services())),
        readiness=nothing_missing,
        guard=IdentityGuard([KeyRecogniser(store)]),
        limits=RequestLimits(a_minute=1, at_once=0),
    )
    session = ApiClient.of_application(web).session(
        Caller(headers={"host": "127.0.0.1", "authorization": f"Bearer {key}"})
    )
    statuses = []
    for method, asked in (("GET", "/api/nothing"), ("GET", path), ("POST", path), ("POST", path), ("GET", path)):
        with pytest.raises(ApiProblem) as refused:
            await session.send(method, asked)
        statuses.append(refused.value.status)
    assert statuses[3] == 429
    assert 429 not in (*statuses[:3], statuses[4])
    engine.dispose()
