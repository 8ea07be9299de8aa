"""The whole bot over two groups of documents, served with keys, its log kept at the finest level."""

import io
import json
import logging
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from anyio.from_thread import start_blocking_portal

from contracts.question import SuggestedQuestion
from golden_retriever.logs import start_logging
from golden_retriever.settings import Settings, load_settings
from golden_retriever.web import build_web_application
from golden_retriever.wiring import Application, open_application
from library.keys import KeyStore
from library.suggested_questions import SuggestedQuestionStore
from serving.metrics import Metrics
from tests.servers import client_of
from tests.serving.identity.provider import AUDIENCE, Provider

OPEN = {
    "pumps.txt": "The Pump Level Register (PLR) holds the water level of the pump.\n\nThe VDM is checked at noon by "
    "the crew of the pump house.\n",
}
# Words that occur nowhere else: people who may not read the group must never see one of them.
CANARIES = ("zorblaxite", "quorvex", "vantorin")
SECRET = {
    "zorblaxite.txt": "The Quorvex Lattice is made of zorblaxite from Vantorin.\n\nThe Pump Level "
    "Register (PLR) of Vantorin holds zorblaxite.\n\nThe Vantorin Drift Meter (VDM) weighs zorblaxite at noon.\n",
}


# The loopback address of the trusted proxy; no other client in the tests uses it.
PROXY = "127.0.0.2"


@dataclass(frozen=True, kw_only=True)
class Person:
    """Somebody who is known without a key: what their requests bring, and from which address they come."""

    headers: dict[str, str]
    peer: str = "127.0.0.1"


@dataclass(kw_only=True)
class Keyed:
    """A running server: its address, its application, who is known to it, and its log."""

    address: str
    keys: dict[str, str]
    store: KeyStore
    web: Any
    people: dict[str, Person] = field(default_factory=dict)
    log: io.StringIO = field(default_factory=io.StringIO)

    def client(self, name: str) -> httpx.Client:
        """Return a client that brings the key of this name, or is the person of this name."""
        bearer = {"authorization": f"Bearer {self.keys.get(name, '')}"}
        person = self.people.get(name) or Person(headers=bearer)
        headers = {**person.headers, "x-golden-request": "1"}
        transport = httpx.HTTPTransport(local_address=person.peer)
        return httpx.Client(base_url=self.address, headers=headers, timeout=60, transport=transport)


@contextmanager
def keyed_server(folder: Path, keys: dict[str, dict[str, Any]], **settings: Any) -> Iterator[Keyed]:
    """Ingest both groups, make the keys (``KeyStore.create``'s arguments by name), and serve with the chat."""
    log = io.StringIO()
    serving = _served(folder, keys, settings, log)
    with _heard(log), start_blocking_portal() as portal, portal.wrap_async_context_manager(serving) as server:
        yield server


@contextmanager
def _heard(log: io.StringIO) -> Iterator[None]:
    """Write to ``log`` all that our parts and the libraries log, at the finest level, whoever set up what before."""
    root, web = logging.getLogger(), [logging.getLogger(name) for name in ("uvicorn", "uvicorn.access")]
    handlers, level = root.handlers[:], root.level
    quiet = [(each, each.handlers[:], each.propagate) for each in web]
    start_logging(load_settings(log_level="debug", log_format="json"), log)
    # The client of the tests runs in this process, too.
    root.handlers[-1].addFilter(lambda record: not record.name.startswith(("httpcore", "httpx", "openai")))
    root.setLevel(logging.DEBUG)
    for each in web:
        each.handlers, each.propagate = [], True
    try:
        yield
    finally:
        for each, before, passed_on in quiet:
            each.handlers, each.propagate = before, passed_on
        root.handlers[:] = handlers
        root.setLevel(level)


def identity_of(provider: Provider, roles: str) -> dict[str, Any]:
    """Return the settings with which tokens of ``provider`` and headers of a proxy at ``PROXY`` are believed."""
    return {
        "oidc_issuer": provider.issuer,
        "oidc_audience": AUDIENCE,
        "oidc_scopes_claim": "roles",
        "proxy_user_header": "X-Forwarded-User",
        "proxy_groups_header": "X-Forwarded-Groups",
        "trusted_proxies": PROXY,
        "roles": roles,
        "key_requests_per_minute": 0,
    }


async def ingest_groups(application: Application, folder: Path) -> None:
    """Read the files of both groups, each into its own."""
    for group, files in (("everyone", OPEN), ("secret", SECRET)):
        (folder / group).mkdir()
        for name, text in files.items():
            (folder / group / name).write_text(text, encoding="utf-8")
        await application.pipeline.ingest([folder / group], group=group)


@asynccontextmanager
async def _served(
    folder: Path, keys: dict[str, dict[str, Any]], settings: dict[str, Any], log: io.StringIO
) -> AsyncIterator[Keyed]:
    data = Settings(data_dir=folder / "data", workers=1, dense_index="exact", **settings)
    metrics = Metrics(log_questions=data.log_questions)
    async with open_application(data, watchers=(metrics,), observers=(metrics.count_call,)) as application:
        await ingest_groups(application, folder)
        offered = SuggestedQuestionStore(application.store.engine)
        for document in offered.unchecked(9):
            text = f"What does {document.name.removesuffix('.txt')} weigh at noon?"
            question = SuggestedQuestion(text=text, kind="asked", subject=document.name, certainty=0.9)
            offered.keep(document, [question])
        await application.vector_index.synchronise()
        store = KeyStore(application.store.engine)
        made = {name: store.create(name, **options)[0] for name, options in keys.items()}
        web = await build_web_application(application, keyed=True, metrics=metrics)
        async with client_of(web, log_config=None, log_level="debug", proxy_headers=False) as http:
            yield Keyed(address=str(http.base_url).rstrip("/"), keys=made, store=store, web=web, log=log)


def ask_the_chat(server: Keyed, key: str, question: str) -> str:
    """Ask on the chat's page as a browser does that is logged in with a key; return all that it is sent."""
    headers = {"authorization": f"Bearer {server.keys[key]}"}
    with httpx.Client(base_url=server.address, headers=headers, timeout=60) as http:
        page = http.get("/")
        assert page.status_code == 200
        config = http.get("/config").json()
        number = next(each["id"] for each in config["dependencies"] if each["api_name"] == "ask")
        session = re.sub(r"\W", "", f"{key}{abs(hash(question))}")
        event = {"action": "send", "fields": {"question": question}}
        body = {"data": [{}], "event_data": event, "fn_index": number, "session_hash": session}
        joined = http.post("/gradio_api/queue/join", json=body)
        assert joined.status_code == 200, joined.text
        received = [page.text, json.dumps(config)]
        with http.stream("GET", "/gradio_api/queue/data", params={"session_hash": session}) as events:
            for line in events.iter_lines():
                received.append(line)
                if '"process_completed"' in line:
                    break
    return "\n".join(received)
