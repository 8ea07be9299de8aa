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

import structlog

from contracts.errors import GoldenError, InvalidInput
from golden_retriever.logs import start_logging
from golden_retriever.settings import Settings

# A worker that ends soon after it was let in is not replaced at once: what broke it may break each.
_PAUSE_S = 1.0
_METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_log = structlog.get_logger(__name__)


def run_workers(settings: Settings, *, starter: Path | None = None) -> int:
    """Serve the API with ``settings.server_workers`` processes until a signal comes; return the exit status.

    The chat's page is not served: what it sends for one question comes over several connections, which may end at
    different workers, and its session is in the memory of one.

    They share the socket, the database and the metrics. Chroma's embedded folder has one owner, so the workers search
    the exact index, whose file they share, unless Chroma runs as a server. A worker that ends by itself is replaced;
    one that never became ready ends them all.

    Raises:
        ConfigurationError: as of ``run_server``.
    """
    from golden_retriever.server import ServerOrder, announce, claim
    from golden_retriever.wiring import open_library

    if settings.dense_index == "chroma" and not settings.chroma_url:
        settings = settings.model_copy(update={"dense_index": "exact"})
    keyed, listener = claim(settings)
    listener.listen()
    order = ServerOrder(settings=settings, keyed=keyed, starter=starter, with_ui=False)
    with tempfile.TemporaryDirectory(prefix="golden-metrics-") as folder:
        # Read by the metrics' library when a worker loads it.
        os.environ[_METRICS_FOLDER] = folder
        crew = _Crew(lambda: _start(listener, order), settings.server_workers)
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
    ready: bool = False


class _Crew:
    """The workers, and the signals that are passed on to them."""

    def __init__(self, start: Callable[[], _Worker], wanted: int) -> None:
        self._start = start
        self._wanted = wanted
        self._workers: list[_Worker] = []
        self._signal: signal.Signals | None = None
        self._status = 0

    def forwarding(self) -> "_Forwarding":
        """Pass signals on while the block runs."""
        return _Forwarding(self._pass_on)

    def hire(self, number: int) -> None:
        """Start so many more."""
        self._workers += [self._start() for _ in range(number)]

    def wait_until_ready(self) -> bool:
        """Wait until each serves; return whether all do."""
        while not self._stopping and not all(each.ready for each in self._workers):
            self._hear()
        return not self._stopping

    def look_after(self) -> int:
        """Replace who ends, until all are told to; return the exit status."""
        while self._workers:
            self._hear()
            while not self._stopping and len(self._workers) < self._wanted:
                time.sleep(_PAUSE_S)
                self.hire(1)
        return self._status

    @property
    def _stopping(self) -> bool:
        return self._signal is not None

    def _hear(self) -> None:
        """Wait for news of a worker: that it is ready, or that it has ended."""
        heard = wait([*(each.news for each in self._workers), *(each.process.sentinel for each in self._workers)], 1.0)
        for worker in [each for each in self._workers if each.news in heard and not each.ready]:
            try:
                worker.news.recv()
                worker.ready = True
            except EOFError:
                pass
        for worker in [each for each in self._workers if each.process.sentinel in heard]:
            self._bury(worker)

    def _bury(self, worker: _Worker) -> None:
        from prometheus_client.multiprocess import mark_process_dead

        worker.process.join()
        status = worker.process.exitcode or 0
        if worker.process.pid is not None:
            mark_process_dead(worker.process.pid)  # type: ignore[no-untyped-call]
        self._workers.remove(worker)
        if self._stopping:
            # One that is told to stop before it can listen to signals has nothing to end in order.
            self._status = self._status or (0 if status == -signal.SIGTERM else status)
        elif worker.ready:
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


def _start(listener: socket.socket, order: object) -> _Worker:
    context = multiprocessing.get_context("spawn")
    news, telling = context.Pipe()
    process = context.Process(target=_work, args=(listener, order, telling))
    process.start()
    # The worker's end is the worker's alone: so each learns of the other's death.
    telling.close()
    return _Worker(process=process, news=news)


def _work(listener: socket.socket, order: "object", telling: Connection) -> None:
    """Be a worker: serve until this process, or the one that looks after it, is told to stop."""
    from golden_retriever.server import ServerOrder, serve_on
    from golden_retriever.stopping import StopSignals

    assert isinstance(order, ServerOrder)
    start_logging(order.settings)
    structlog.contextvars.bind_contextvars(worker=os.getpid())
    threading.Thread(target=_end_with_parent, args=(telling,), daemon=True).start()

    async def serve() -> None:
        signals = StopSignals((signal.SIGTERM,), ignored=(signal.SIGINT,))
        await serve_on(listener, order, signals=signals, on_ready=lambda _: telling.send("ready"))

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
