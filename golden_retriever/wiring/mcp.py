"""MCP: what the tools work with, and the process that offers them over standard input and output."""

import asyncio
import importlib
import logging
import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from contracts.errors import GoldenError
from golden_retriever.settings import Settings
from golden_retriever.wiring.application import Application, open_application

if TYPE_CHECKING:
    from mcp.server.context import ServerRequestContext

    from library.keys import KeyStore
    from serving.access import Actor
    from serving.mcp.desk import KnowledgeDesk

_LOG = logging.getLogger(__name__)
# What takes longest to import; elsewhere these are imported where they are used.
_HEAVY = ("agent.chatbot", "agent.previewing", "jargon_db.store", "library.store", "tools.search.hybrid")


def build_knowledge_desk(application: Application) -> "KnowledgeDesk":
    """Return what the tools of ``/mcp`` and ``golden mcp`` work with."""
    from serving.mcp.desk import KnowledgeDesk

    return KnowledgeDesk(chatbot=application.chatbot, services=application.services, pages=application.store)


class LaterDesk:
    """Opens the application beside what else is done, and keeps it open; whoever needs the desk waits for it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._opened: asyncio.Future[Application] | None = None
        self._holding: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    def open(self) -> None:
        """Begin to open; where it failed before, for example because a database did not answer, try again."""
        failed = self._opened is not None and self._opened.done() and self._opened.exception() is not None
        if self._opened is None or failed:
            self._opened = asyncio.get_running_loop().create_future()
            self._holding = asyncio.create_task(self._hold(self._opened))

    async def application(self) -> Application:
        """Return the application when it is open.

        Raises:
            ConfigurationError, Unavailable: as of ``open_application``.
        """
        self.open()
        assert self._opened is not None
        # Whoever stops waiting stops nobody else.
        return await asyncio.shield(self._opened)

    async def desk(self) -> "KnowledgeDesk":
        """Return the desk when the application is open; raises what ``application`` does."""
        return build_knowledge_desk(await self.application())

    async def close(self) -> None:
        """Close the application, or stop opening it."""
        self._closing.set()
        if self._holding is not None and self._opened is not None:
            if not self._opened.done():
                self._holding.cancel()
            await asyncio.wait({self._holding})

    async def _hold(self, opened: "asyncio.Future[Application]") -> None:
        try:
            for name in _HEAVY:
                # In a thread: meanwhile this one answers the client's first messages.
                await asyncio.to_thread(importlib.import_module, name)
            async with open_application(self._settings, one_shot=True) as application:
                opened.set_result(application)
                await self._closing.wait()
        except asyncio.CancelledError:
            opened.cancel()
            raise
        except Exception as error:
            if opened.done():
                raise
            opened.set_exception(error)
            # Told to whoever asks; where nobody does, nothing is said of it.
            opened.exception()


async def serve_over_stdio(settings: Settings, *, groups: Sequence[str] = ()) -> None:
    """Offer the tools over standard input and output until the input ends, or a signal asks to stop.

    Only documents of ``groups`` are read where any are named. With ``mcp_key`` in the settings, whoever asks is who has
    that key, and each call looks it up.
    """
    from mcp.server.stdio import stdio_server

    from golden_retriever import __version__
    from serving.mcp.server import build_server

    later = LaterDesk(settings)
    server = build_server(later.desk, _LocalActors(settings, later, frozenset(groups)), version=__version__)
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        _on_signal(number, stopped)
    async with stdio_server() as (incoming, outgoing):
        later.open()
        talking = asyncio.create_task(server.run(incoming, outgoing, server.create_initialization_options()))
        waiting = asyncio.create_task(stopped.wait())
        await asyncio.wait({talking, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        await later.close()
        if stopped.is_set():
            # A thread waits for the next line of the input, and nothing can wake it: everything else is closed.
            os._exit(0)
        await talking


def _on_signal(number: int, stopped: asyncio.Event) -> None:
    try:
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    except NotImplementedError:
        # Windows has none of these; a client ends the process there, or closes its input.
        return


class _LocalActors:
    """Says who asks over standard input: this account, or the holder of the key in the settings."""

    def __init__(self, settings: Settings, later: LaterDesk, groups: frozenset[str]) -> None:
        self._settings = settings
        self._later = later
        self._groups = groups
        self._noting: asyncio.Task[None] | None = None

    async def __call__(self, _context: "ServerRequestContext[Any, Any]") -> "Actor":
        from serving.access import Actor

        key = self._settings.mcp_key.get_secret_value()
        actor = await self._holder_of(key) if key else Actor(name=self._settings.effective_user)
        if self._groups:
            groups = self._groups if actor.groups is None else self._groups & actor.groups
            actor = replace(actor, groups=groups)
        return actor if actor.department else replace(actor, department=self._settings.department)

    async def _holder_of(self, key: str) -> "Actor":
        """Return whose key it is, looked up anew: one that was revoked opens nothing from the next call on.

        Raises:
            Unauthenticated: it is not in force.
            Unavailable: the keys cannot be looked up just now.
        """
        from library.keys import KeyStore
        from serving.access import Actor, Unauthenticated

        keys = KeyStore((await self._later.application()).store.engine)
        record = await asyncio.to_thread(keys.find, key)
        state = record.state_at(datetime.now(UTC)) if record is not None else "unknown"
        if record is None or state != "active":
            raise Unauthenticated(
                f"The API key in GOLDEN_MCP_KEY is {state}: set one that is in force (golden keys list), or leave it "
                "out."
            )
        if self._noting is None or self._noting.done():
            # Beside the call: a writer may have to wait for an ingestion.
            self._noting = asyncio.create_task(_note_use(keys, record.id))
        return Actor(
            name=record.name,
            groups=record.groups,
            scopes=record.scopes,
            department=record.department,
            key_id=record.id,
            account=f"key:{record.id}",
        )


async def _note_use(keys: "KeyStore", key_id: str) -> None:
    try:
        await asyncio.to_thread(keys.note_use, key_id)
    except GoldenError as error:
        _LOG.warning("the use of the key %s was not noted: %s", key_id, error)
