"""A visit of the dictionary's desk: the real service over a real store, in this process."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
from fastapi import FastAPI

from contracts.jargon import Context
from jargon_db.migrations import DICTIONARY
from jargon_db.store import JargonStore
from library.migrations import LIBRARY
from library.store import LibraryStore
from serving.me import me_router
from tests.databases import open_new_sqlite
from tests.servers import me_service
from tests.serving.dictionary.desk import build_app, service_of
from tests.ui.visits import Visitor, services_of, visit_of
from ui.dictionary.page import DictionaryPage


@dataclass(kw_only=True)
class DictionaryVisitor(Visitor):
    """Somebody at the desk, beside what the page shows and the API that it sends sheets to."""

    store: JargonStore
    web: FastAPI

    async def send_sheet(self, content: bytes, **query: str) -> str:
        """Import a sheet over the API, as the page's script does; return what it says."""
        transport = httpx.ASGITransport(self.web)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            answer = await http.post(
                "/api/dictionary/import",
                params=query,
                files={"terms": ("terms.csv", content)},
                headers={"x-golden-request": "1"},
            )
        return answer.text


@asynccontextmanager
async def visiting(folder: Path) -> AsyncIterator[DictionaryVisitor]:
    """Open a desk over an empty dictionary."""
    engine = open_new_sqlite(folder / "golden.db", LIBRARY, DICTIONARY)
    store = JargonStore(engine)

    async def contexts() -> tuple[Context, ...]:
        return tuple(each.context for each in store.context_entries())

    me = me_service(contexts=contexts)
    library = LibraryStore(engine)
    web = build_app(store, library, me_router(me))
    visit = visit_of(services_of(me=me, dictionary=service_of(store, library)))
    try:
        yield DictionaryVisitor(page=DictionaryPage(), visit=visit, store=store, web=web)
    finally:
        engine.dispose()
