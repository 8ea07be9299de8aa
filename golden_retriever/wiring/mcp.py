"""MCP: what the tools work with, and the process that offers them over standard input and output."""

import asyncio
import os
import signal
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from golden_retriever.settings import Settings
from golden_retriever.wiring.application import Application, open_application

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from serving.access import Actor
    from serving.mcp.server import Knowledge


def build_knowledge(application: Application) -> "Knowledge":
    """Return what the tools of ``/mcp`` and ``golden mcp`` work with."""
    from serving.mcp.server import Knowledge

    return Knowledge(chatbot=application.chatbot, services=application.services, library=application.store)


async def serve_over_stdio(settings: Settings, *, groups: Sequence[str] = ()) -> None:
    """Offer the tools over standard input and output until the input ends, or a signal asks to stop.

    Only documents of ``groups`` are read where any are named. With ``mcp_key`` in the settings, whoever asks is who has
    that key, and each call looks it up.
    """
    from golden_retriever import __version__
    from serving.mcp.server import build_server

    for number in (signal.SIGINT, signal.SIGTERM):
        # A thread waits for the next line of the input, and nothing can wake it. What is stored survives a kill.
        asyncio.get_running_loop().add_signal_handler(number, os._exit, 0)
    async with open_application(settings, one_shot=True) as application:
        tools = build_knowledge(application)

        async def knowledge() -> "Knowledge":
            return tools

        async def actor(_context: object) -> "Actor":
            return await _local_actor(settings, application.store.engine, frozenset(groups))

        await build_server(knowledge, actor, version=__version__).run_stdio_async()


async def _local_actor(settings: Settings, engine: "Engine", groups: frozenset[str]) -> "Actor":
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
        keys = KeyRecogniser(KeyStore(engine))
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
