"""What a server says of itself while it is measured: the lag of its event loop, its memory, what it holds open."""

import asyncio
import os
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from evaluation.speed.memory import resident_mb

_EVERY_S = 0.02
_MEMORY_EVERY_S = 0.5
_FILES = Path("/proc/self/fd")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReport:
    """What was seen since the last report.

    ``lags_ms`` is how late the loop came to each of many timers, in milliseconds; ``memory`` are pairs of monotonic
    seconds and resident MB. ``cpu_s`` is what the whole process has computed since it was started, ``loop_cpu_s`` what
    the loop's thread has. Files are those that are open, None where the system does not say.
    """

    lags_ms: tuple[float, ...]
    memory: tuple[tuple[float, float], ...]
    cpu_s: float
    loop_cpu_s: float
    tasks: int
    threads: int
    files: int | None


class LoopProbe:
    """Watches the running loop."""

    def __init__(self) -> None:
        self._lags_ms: list[float] = []
        self._memory: list[tuple[float, float]] = []

    async def watch(self) -> None:
        """Sleep again and again, and note by how much too long; never ends by itself."""
        measured_s = 0.0
        while True:
            due = time.monotonic() + _EVERY_S
            await asyncio.sleep(_EVERY_S)
            now = time.monotonic()
            self._lags_ms.append(max(0.0, now - due) * 1_000)
            if now - measured_s >= _MEMORY_EVERY_S:
                measured_s = now
                self._memory.append((now, resident_mb()))

    def report(self) -> ProbeReport:
        """Return what was seen since the last report; called on the loop's thread."""
        found = ProbeReport(
            lags_ms=tuple(self._lags_ms),
            memory=(*self._memory, (time.monotonic(), resident_mb())),
            cpu_s=time.process_time(),
            loop_cpu_s=time.thread_time(),
            tasks=len(asyncio.all_tasks()),
            threads=threading.active_count(),
            files=len(os.listdir(_FILES)) if _FILES.is_dir() else None,
        )
        self._lags_ms, self._memory = [], []
        return found


@asynccontextmanager
async def probed_through(pipe: Connection) -> AsyncIterator[None]:
    """Watch the running loop for the length of the block; whatever comes through ``pipe`` is answered by a report."""
    loop, probe = asyncio.get_running_loop(), LoopProbe()

    def answer() -> None:
        try:
            pipe.recv()
            pipe.send(probe.report())
        except (EOFError, OSError):
            loop.remove_reader(pipe.fileno())

    watching = asyncio.create_task(probe.watch())
    loop.add_reader(pipe.fileno(), answer)
    try:
        yield
    finally:
        loop.remove_reader(pipe.fileno())
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
