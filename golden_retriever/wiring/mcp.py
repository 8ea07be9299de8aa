"""MCP: the knowledge that the tools use, and the process that offers them over standard input and output."""

import asyncio
import os
import signal
from collections.abc import Sequence

from golden_retriever import __version__
from golden_retriever.settings import Settings
from golden_retriever.wiring.application import Application, open_application
from serving.access import Actor
from serving.mcp.server import Knowledge, build_server


def build_knowledge(application: Application) -> Knowledge:
    """Return the knowledge that the tools of ``/mcp`` and ``golden mcp`` use."""
    return Knowledge(chatbot=application.chatbot, services=application.services, library=application.store)


async def serve_over_stdio(settings: Settings, *, groups: Sequence[str] = ()) -> None:
    """Offer the tools over standard input and output until the input ends or a signal stops the process.

    If ``groups`` are named, only their documents are read.
    """
    for number in (signal.SIGINT, signal.SIGTERM):
        # A thread waits for the next input line, and nothing can wake it. Stored data survives a kill.
        asyncio.get_running_loop().add_signal_handler(number, os._exit, 0)
    readable = frozenset(groups) or None

    async def actor(_context: object) -> Actor:
        return Actor(name=settings.effective_user, groups=readable, department=settings.department)

    async with open_application(settings, one_shot=True) as application:
        await build_server(build_knowledge(application), actor, version=__version__).run_stdio_async()
