"""Several processes on one port: each answers whatever comes, and one process looks after them."""

import asyncio
import multiprocessing
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import structlog

from contracts.errors import GoldenError, InvalidInput
from golden_retriever.handing import Channel, Door, HandedConnections, Load, make_way
from golden_retriever.logs import start_logging
from golden_retriever.settings import Settings

if TYPE_CHECKING:
    from golden_retriever.server import Beside, ServerOrder

# A worker that ends soon after it was let in is not replaced at once: what broke it may break each.
_PAUSE_S = 1.0
# A connection that no worker takes just now is offered again after so long.
_RETRY_S = 0.02
# As many wait at the port as at a server of one process.
_BACKLOG = 2_048
_METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_log = structlog.get_logger(__name__)


def run_workers(settings: Settings, *, starter: Path | None = None, beside: "Beside | None" = None) -> int:
    """Serve the API with ``settings.server_workers`` processes until a signal comes; return the exit status.

    What is served is announced when every worker is ready. ``beside`` runs in each of them.

    The chat's page is not served: what it sends for one question comes over several connections, which may end at
    different workers, and its session is in the memory of one.

    They share the port, the database and the metrics: this process takes each connection and hands it to the worker
    that is least busy. Chroma's embedded folder has one owner, so the workers search the exact index, whose file they
    share, unless Chroma runs as a server. A worker that ends by itself is replaced; one that never became ready ends
    them all.

    Raises:
        ConfigurationError: as of ``run_server``.
    """
    from golden_retriever.server import ServerOrder, announce, claim
    from golden_retriever.wiring import open_library

    if settings.dense_index == "chroma" and not settings.chroma_url:
        settings = settings.model_copy(update={"dense_index": "exact"})
    keyed, listener = claim(settings)
    listener.listen(_BACKLOG)
    order = ServerOrder(settings=settings, keyed=keyed, starter=starter, with_ui=False, beside=beside)
    with tempfile.TemporaryDirectory(prefix="golden-metrics-") as folder:
        # Read by the metrics' library when a worker loads it.
        os.environ[_METRICS_FOLDER] = folder
        crew = _Crew(lambda: _start(order), settings.server_workers, Door(listener))
        with crew.forwarding():
            # One alone migrates the database and reads what is to be read first; the others find it done.
            crew.hire(1)
            if crew.wait_until_ready():
                order = replace(order, starter=None)
                crew.hire(settings.server_workers - 1)
                if crew.wait_until_ready():
                    with open_library(settings) as library:
                        announce(order, listener, documents=len(library.documents()))
            return crew.look_after()


@dataclass(kw_only=True)
class _Worker:
    process: SpawnProcess
    news: Connection
    channel: Channel
    ready: bool = False


class _Crew:
    """The workers, the connections that are handed to them, and the signals that are passed on to them."""

    def __init__(self, start: Callable[[], _Worker], wanted: int, door: Door) -> None:
        self._start = start
        self._wanted = wanted
        self._door = door
        self._look_again_at = 0.0
        self._hire_at = 0.0
        self._workers: list[_Worker] = []
        self._signal: signal.Signals | None = None
        self._status = 0

    def forwarding(self) -> "_Forwarding":
        """Pass signals on while the block runs."""
        return _Forwarding(self._pass_on)

    def hire(self, number: int) -> None:
        """Start so many more."""
        for _ in range(number):
            self._workers.append(self._start())
            if self._stopping:
                # The signal came while it was started.
                self._workers[-1].process.terminate()

    def wait_until_ready(self) -> bool:
        """Wait until each serves; return whether all do."""
        while not self._stopping and not all(each.ready for each in self._workers):
            self._hear()
        return not self._stopping

    def look_after(self) -> int:
        """Replace who ends, until all are told to; return the exit status."""
        while self._workers or not self._stopping:
            self._hear()
            if not self._stopping and len(self._workers) < self._wanted and time.monotonic() >= self._hire_at:
                self.hire(1)
        self._door.close()
        return self._status

    @property
    def _stopping(self) -> bool:
        return self._signal is not None

    def _hear(self) -> None:
        """Wait for a connection, or news of a worker: that it is ready, or that it has ended."""
        if self._stopping and not any(each.channel.is_open for each in self._workers):
            self._door.close()
        waited_for: list[Any] = [each.news for each in self._workers if not each.ready]
        waited_for += [each.process.sentinel for each in self._workers]
        now = time.monotonic()
        if self._workers and not self._door.is_closed and now >= self._look_again_at:
            waited_for.append(self._door.listener)
        due = [moment - now for moment in (self._look_again_at, self._hire_at) if moment > now]
        heard = wait(waited_for, min([1.0, *due]))
        for worker in [each for each in self._workers if not each.ready and each.news in heard]:
            try:
                worker.news.recv()
                worker.ready = True
            except EOFError:
                pass
        for worker in [each for each in self._workers if each.process.sentinel in heard]:
            self._bury(worker)
        if self._door.listener in heard:
            self._let_in()

    def _let_in(self) -> None:
        # While none is ready, one that starts says so to whoever asks.
        able = [each for each in self._workers if each.ready] or self._workers
        if not self._door.let_in([each.channel for each in able]):
            self._look_again_at = time.monotonic() + _RETRY_S

    def _bury(self, worker: _Worker) -> None:
        from prometheus_client.multiprocess import mark_process_dead

        worker.process.join()
        status = worker.process.exitcode or 0
        if worker.process.pid is not None:
            mark_process_dead(worker.process.pid)  # type: ignore[no-untyped-call]
        self._workers.remove(worker)
        worker.channel.close()
        if self._stopping:
            # One that is told to stop before it can listen to signals has nothing to end in order.
            self._status = self._status or (0 if status == -signal.SIGTERM else status)
        elif worker.ready:
            self._hire_at = time.monotonic() + _PAUSE_S
            _log.warning("a worker ended and is replaced", pid=worker.process.pid, status=status)
        else:
            self._status = status or 1
            self._pass_on(signal.SIGTERM)

    def _pass_on(self, number: signal.Signals) -> None:
        self._signal = number
        for worker in self._workers:
            # Whatever the signal was: from the terminal they have had it, too, and leave it to this process.
            worker.process.terminate()


class _Forwarding:
    """Calls ``tell`` for each signal that asks to stop."""

    def __init__(self, tell: Callable[[signal.Signals], None]) -> None:
        self._tell = tell
        self._before: dict[signal.Signals, object] = {}

    def __enter__(self) -> None:
        for each in (signal.SIGTERM, signal.SIGINT):
            self._before[each] = signal.signal(each, lambda number, _: self._tell(signal.Signals(number)))

    def __exit__(self, *_: object) -> None:
        for each, handler in self._before.items():
            signal.signal(each, handler)  # type: ignore[arg-type]


def _start(order: "ServerOrder") -> _Worker:
    context = multiprocessing.get_context("spawn")
    news, telling = context.Pipe()
    channel, way, load = make_way(context)
    process = context.Process(target=_work, args=(way, load, order, telling))
    process.start()
    # The worker's ends are the worker's alone: so each learns of the other's death.
    telling.close()
    way.close()
    return _Worker(process=process, news=news, channel=channel)


def _work(way: socket.socket, load: Load, order: "ServerOrder", telling: Connection) -> None:
    """Be a worker: serve until this process, or the one that looks after it, is told to stop."""
    from golden_retriever.server import serve_on
    from golden_retriever.stopping import StopSignals
    from golden_retriever.wiring.turns import compute_in_turns

    start_logging(order.settings)
    structlog.contextvars.bind_contextvars(worker=os.getpid())
    threading.Thread(target=_end_with_parent, args=(telling,), daemon=True).start()

    async def serve() -> None:
        signals = StopSignals((signal.SIGTERM,), ignored=(signal.SIGINT,))
        connections = HandedConnections(way, load)
        compute_in_turns(order.settings, tell=connections.tell_computing)
        await serve_on(connections, order, signals=signals, on_ready=lambda _: telling.send("ready"))

    try:
        asyncio.run(serve())
    except GoldenError as error:
        sys.stderr.write(f"golden: {error}\n")
        sys.exit(2 if isinstance(error, InvalidInput) else 1)


def _end_with_parent(telling: Connection) -> None:
    try:
        telling.recv()
    except (EOFError, OSError):
        os.kill(os.getpid(), signal.SIGTERM)
