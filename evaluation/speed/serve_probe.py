"""What a server says of itself while it is measured: the lag of its event loop, its memory, what it answered."""

import asyncio
import os
import signal
import socket
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path

from contracts.answer import AnswerEvent
from contracts.question import Asker
from evaluation.speed.memory import resident_mb

_EVERY_S = 0.02
_MEMORY_EVERY_S = 0.5
_FILES = Path("/proc/self/fd")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProbeReport:
    """What was seen of one process since the last report; ``serves`` is False for one that only looks after workers.

    ``lags_ms`` is how late the loop came to each of many timers, in milliseconds; ``memory`` are pairs of monotonic
    seconds and resident MB. ``cpu_s`` is what the whole process has computed since it was started, ``loop_cpu_s`` what
    the loop's thread has. Files are those that are open, None where the system does not say. ``answered`` are the
    questions whose answers ended without an error.
    """

    pid: int
    serves: bool
    lags_ms: tuple[float, ...]
    memory: tuple[tuple[float, float], ...]
    cpu_s: float
    loop_cpu_s: float
    tasks: int
    threads: int
    files: int | None
    answered: tuple[str, ...]


class LoopProbe:
    """Watches the running loop, and the questions that its server answers."""

    def __init__(self) -> None:
        self._lags_ms: list[float] = []
        self._memory: list[tuple[float, float]] = []
        self._answered: list[str] = []

    def watch(self, question: str, asker: Asker) -> "_Answered":
        """Begin to follow a question."""
        return _Answered(question, self._answered)

    async def look(self) -> None:
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
        found = _report(
            lags_ms=tuple(self._lags_ms),
            memory=tuple(self._memory),
            loop_cpu_s=time.thread_time(),
            tasks=len(asyncio.all_tasks()),
            answered=tuple(self._answered),
        )
        self._lags_ms.clear()
        self._memory.clear()
        self._answered.clear()
        return found


class _Answered:
    """Notes a question when its answer has ended."""

    def __init__(self, question: str, answered: list[str]) -> None:
        self._question = question
        self._answered = answered

    def hear(self, event: AnswerEvent) -> None:
        """Note nothing."""

    def end(self, error: BaseException | None) -> None:
        """Note the question."""
        if error is None:
            self._answered.append(self._question)


@asynccontextmanager
async def probed_at(place: Path) -> AsyncIterator[LoopProbe]:
    """Watch the running loop for the length of the block; the socket at ``place`` is told of it, whenever it asks.

    A server whose bench has gone is told to stop.
    """
    loop, probe, asked = asyncio.get_running_loop(), LoopProbe(), _connect(place)

    def answer() -> None:
        try:
            asked.recv()
            asked.send(probe.report())
        except (EOFError, OSError):
            loop.remove_reader(asked.fileno())
            os.kill(os.getpid(), signal.SIGTERM)

    looking = asyncio.create_task(probe.look())
    loop.add_reader(asked.fileno(), answer)
    try:
        yield probe
    finally:
        loop.remove_reader(asked.fileno())
        asked.close()
        looking.cancel()
        with suppress(asyncio.CancelledError):
            await looking


def report_at(place: Path) -> None:
    """Tell the socket at ``place`` of this process, which serves nothing itself, from a thread as long as it lives.

    When the bench has gone, the process is told to stop.
    """
    asked = _connect(place)

    def answer() -> None:
        with suppress(EOFError, OSError):
            while True:
                asked.recv()
                asked.send(_report(serves=False))
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=answer, daemon=True).start()


def _report(
    *,
    serves: bool = True,
    lags_ms: tuple[float, ...] = (),
    memory: tuple[tuple[float, float], ...] = (),
    loop_cpu_s: float = 0.0,
    tasks: int = 0,
    answered: tuple[str, ...] = (),
) -> ProbeReport:
    return ProbeReport(
        pid=os.getpid(),
        serves=serves,
        lags_ms=lags_ms,
        memory=(*memory, (time.monotonic(), resident_mb())),
        cpu_s=time.process_time(),
        loop_cpu_s=loop_cpu_s,
        tasks=tasks,
        threads=threading.active_count(),
        files=len(os.listdir(_FILES)) if _FILES.is_dir() else None,
        answered=answered,
    )


def _connect(place: Path) -> Connection:
    meeting = socket.socket(socket.AF_UNIX)
    meeting.connect(str(place))
    return Connection(meeting.detach())
