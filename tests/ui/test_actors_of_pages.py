"""Who an event of a page is of: the person of the browser's own request, with their scopes, over a real server."""

import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import httpx
import pytest

from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from library.keys import KeyStore
from library.migrations import LIBRARY
from library.store import LibraryStore
from serving.access import Actor, Forbidden, TooManyRequests
from serving.identity.credentials import KeyRecogniser
from serving.identity.guards import Guard
from serving.rate_limits import RequestLimits
from tests.databases import open_new_sqlite
from tests.servers import app_of, client_of, me_service
from tests.serving.dictionary.dictionary_client import service_of
from tests.ui.visits import Visitor, services_of, visit_of
from ui.app import build_ui, mount_ui
from ui.chat.page import ChatPage
from ui.dictionary.page import DictionaryPage
from ui.documents.page import DocumentsPage
from ui.frame import Frame
from ui.overview.page import OverviewPage
from ui.pages import Page
from ui.review.page import ReviewPage


class Pages:
    """The dictionary's page on a server that asks everyone for a key."""

    def __init__(self, http: httpx.AsyncClient, keys: KeyStore, store: JargonStore) -> None:
        self.http = http
        self.keys = keys
        self.store = store

    async def act(self, sent: dict[str, Any], **headers: str) -> str:
        """Send an event of the dictionary's page as its script does; return what it is told last."""
        own = {name: value for name, value in headers.items() if name != "origin"}
        config = (await self.http.get("/config", headers=own)).json()
        number = next(each["id"] for each in config["dependencies"] if each["api_name"] == "act")
        body = {"fn_index": number, "data": [{}], "event_data": sent, "session_hash": "s"}
        joined = await self.http.post("/gradio_api/queue/join", json=body, headers=headers)
        if joined.status_code != 200:
            return joined.text
        output = ""
        url = "/gradio_api/queue/data"
        async with self.http.stream("GET", url, params={"session_hash": "s"}, headers=headers) as events:
            async for line in events.aiter_lines():
                message = json.loads(line[5:]) if line.startswith("data:") else {}
                output += json.dumps(message.get("output", ""))
                if message.get("msg") == "process_completed":
                    return output
        return output


@pytest.fixture
async def pages(tmp_path: Path) -> AsyncIterator[Pages]:
    engine = open_new_sqlite(tmp_path / "golden.db", LIBRARY, DICTIONARY)
    keys, store = KeyStore(engine), JargonStore(engine)
    guard = Guard([KeyRecogniser(keys)])
    services = services_of(me=me_service(), dictionary=service_of(store, LibraryStore(engine)))
    web = app_of(guard=guard)
    mount_ui(web, build_ui(Frame(services, guard), [DictionaryPage()]))
    async with client_of(web) as http:
        yield Pages(http, keys, store)
    engine.dispose()


async def test_an_event_is_of_the_person_of_its_request_and_needs_their_scope(pages: Pages) -> None:
    fields = {"term": "PLR", "extended_name": "Pump Level Register"}
    event = {"action": "save", "values": {"id": "0"}, "fields": fields, "place": {}}
    asker, manager = (
        {"authorization": f"Bearer {pages.keys.create(name, scopes=scopes)[0]}"}
        for name, scopes in (("ada", ["ask"]), ("bob", ["ask", "manage"]))
    )
    assert "This needs the scope &#39;manage&#39;" in await pages.act(event, **asker)
    assert pages.store.senses() == ()
    assert "may not use this server" in await pages.act(event, **manager, origin="http://evil.example")
    assert pages.store.senses() == ()
    assert "Added PLR: Pump Level Register" in await pages.act(event, **manager)
    assert [each.who for each in pages.store.history()] == ["bob"]


@pytest.mark.parametrize(
    ("page", "names"),
    [
        (DictionaryPage(), "save delete merge publish reject define dismiss undo redact"),
        (DocumentsPage(), "search remove watch reread"),
        (ReviewPage(), "decide save_new save remove run stop_run replay follow tab"),
        (OverviewPage(), "range"),
    ],
)
async def test_managers_pages_refuse_every_action_of_who_may_only_ask(page: Page, names: str) -> None:
    behind = Mock()
    services = services_of(dictionary=behind, documents=behind, records=behind, me=me_service())
    asking = Visitor(page=page, visit=visit_of(services, Actor(name="Ada", scopes=frozenset({"ask"}))))
    fields = {"question": "Q", "expect": "declined", "term": "T", "extended_name": "Name"}
    for name in names.split():
        with pytest.raises(Forbidden):
            await asking.do(name, fields, id=1, days=7, verb="ignore", turn="a", case="a", run="a", tab="runs")
    assert behind.mock_calls == []


async def test_the_chat_refuses_who_may_only_manage() -> None:
    reviewer = Actor(name="Bo", scopes=frozenset({"manage"}))
    with pytest.raises(Forbidden):
        await anext(ChatPage().ask(visit_of(services_of(), reviewer), "", "What does DLL need?"))


async def test_a_question_in_a_page_counts_against_the_limits() -> None:
    visit = visit_of(services_of(), Actor(name="Ada", account="key:1"), limits=RequestLimits(a_minute=1, at_once=0))
    async with visit.question():
        pass
    with pytest.raises(TooManyRequests):
        async with visit.question():
            pass
