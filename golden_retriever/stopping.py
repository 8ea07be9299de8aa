"""Stopping: what a signal means to the serving process, and how the answers under way come to their ends."""

import asyncio
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from golden_retriever.unfinished import keep_unfinished

if TYPE_CHECKING:
    from golden_retriever.wiring import Application
    from serving.phases import PhaseMiddleware

_LOOK_EVERY_S = 0.05
# What an answer that is told to end needs to say so to its client.
_LAST_WORDS_S = 3.0


class StopSignals:
    """Hears the signals that stop a process: the first one asks it to, the second one ends it at once."""

    def __init__(self, heard: tuple[signal.Signals, ...] = (signal.SIGTERM, signal.SIGINT)) -> None:
        self._heard = heard
        self._asked = asyncio.Event()

    @property
    def asked(self) -> bool:
        """Whether a signal came."""
        return self._asked.is_set()

    async def wait(self) -> None:
        """Wait for the first signal."""
        await self._asked.wait()

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Hear signals while the block runs, which must be in the main thread."""
        loop = asyncio.get_running_loop()
        for each in self._heard:
            loop.add_signal_handler(each, self._hear, each)
        try:
            yield
        finally:
            for each in self._heard:
                loop.remove_signal_handler(each)

    def _hear(self, number: signal.Signals) -> None:
        if self._asked.is_set():
            sys.stdout.flush()
            sys.stderr.flush()
            # Nothing that is kept needs an orderly end: SQL and the indexes survive a kill.
            os._exit(128 + number)
        self._asked.set()


async def drain(application: "Application", phases: "PhaseMiddleware", stop_listening: Callable[[], None]) -> None:
    """Let balancers notice, take no more requests, and let what is under way end, in this order.

    Ingestions stop where they are: a document is stored whole or not at all, and the next server on this data folder
    takes them up. Answers have ``GOLDEN_SHUTDOWN_GRACE_S``, then each is told that its server stops.
    """
    settings = application.settings
    phases.phase = "leaving"
    await asyncio.sleep(settings.shutdown_delay_s)
    phases.phase = "closed"
    stop_listening()
    await asyncio.to_thread(keep_unfinished, application)
    await application.close()

    def busy() -> bool:
        return bool(phases.under_way or application.closing.under_way)

    await _until_not(busy, settings.shutdown_grace_s)
    application.closing.close()
    await _until_not(busy, _LAST_WORDS_S)


async def _until_not(busy: Callable[[], bool], most_s: float) -> None:
    loop = asyncio.get_running_loop()
    limit = loop.time() + most_s
    while busy() and loop.time() < limit:  # noqa: ASYNC110 - it changes in several places
        await asyncio.sleep(_LOOK_EVERY_S)
