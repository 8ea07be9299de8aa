"""MCP: what the tools work with, and the process that offers them over standard input and output."""

import asyncio
import importlib
import os
import signal
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from golden_retriever.settings import Settings
from golden_retriever.wiring.application import Application, open_application

if TYPE_CHECKING:
    from serving.access import Actor
    from serving.mcp.server import Knowledge

# What takes longest to import; elsewhere these are imported where they are used.
_HEAVY = ("agent.chatbot", "agent.previewing", "jargon_db.store", "library.store", "tools.search.hybrid")


def build_knowledge(application: Application) -> "Knowledge":
    """Return what the tools of ``/mcp`` and ``golden mcp`` work with."""
    from serving.mcp.server import Knowledge

    return Knowledge(chatbot=application.chatbot, services=application.services, pages=application.store)


class _LaterApplication:
    """Opens the application while the client is answered already; whoever needs it waits for it."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._opened: asyncio.Future[Application] | None = None
        self._holding: asyncio.Task[None] | None = None
        self._closing = asyncio.Event()

    async def get(self) -> Application:
        """Return the application when it is open; where opening failed before, try again.

        Raises:
            ConfigurationError, Unavailable: as of ``open_application``.
        """
        self.open()
        assert self._opened is not None
        # Whoever stops waiting stops nobody else.
        return await asyncio.shield(self._opened)

    def open(self) -> None:
        """Begin to open it, unless that has begun."""
        opened = self._opened
        if opened is None or (opened.done() and opened.exception() is not None):
            self._opened = asyncio.get_running_loop().create_future()
            self._holding = asyncio.create_task(self._hold(self._opened))

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
    from golden_retriever import __version__
    from serving.mcp.server import build_server

    later = _LaterApplication(settings)

    async def knowledge() -> "Knowledge":
        return build_knowledge(await later.get())

    async def actor(_context: object) -> "Actor":
        return await _local_actor(settings, later, frozenset(groups))

    server = build_server(knowledge, actor, version=__version__)
    async with _stop_signals() as stopped:
        later.open()
        talking = asyncio.create_task(server.run_stdio_async())
        waiting = asyncio.create_task(stopped.wait())
        await asyncio.wait({talking, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        await later.close()
        if stopped.is_set():
            # A thread waits for the next line of the input, and nothing can wake it: everything else is closed.
            os._exit(0)
        await talking


@asynccontextmanager
async def _stop_signals() -> AsyncIterator[asyncio.Event]:
    """Give what is set when a signal asks the process to stop."""
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        try:
            asyncio.get_running_loop().add_signal_handler(number, stopped.set)
        except NotImplementedError:
            # Windows has none of these; a client ends the process there, or closes its input.
            break
    yield stopped


async def _local_actor(settings: Settings, later: _LaterApplication, groups: frozenset[str]) -> "Actor":
    """Return who asks over standard input: this account, or the holder of the key in the settings.

    Raises:
        Unauthenticated: the key is not in force.
        Unavailable: the keys cannot be looked up just now.
    """
    from library.keys import KeyStore
    from serving.access import Actor, Unauthenticated
    from serving.keys import KeyRecogniser

    key = settings.mcp_key.get_secret_value()
    actor = Actor(name=settings.effective_user)
    if key:
        keys = KeyRecogniser(KeyStore((await later.get()).store.engine))
        holder, state = await keys.holder(key)
        if holder is None:
            raise Unauthenticated(
                f"The API key in GOLDEN_MCP_KEY is {state}: set one that is in force (golden keys list), or leave it "
                "out."
            )
        actor = holder
    if groups:
        actor = replace(actor, groups=groups if actor.groups is None else groups & actor.groups)
    return actor if actor.department else replace(actor, department=settings.department)
