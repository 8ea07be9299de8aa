"""Several processes on one port, under uvicorn's supervisor."""

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
from multiprocessing import resource_tracker
from pathlib import Path

import structlog
import uvicorn
from prometheus_client.multiprocess import mark_process_dead
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from contracts.errors import GoldenError, InvalidInput
from golden_retriever.folder_lock import server_lock
from golden_retriever.logs import start_logging
from golden_retriever.server import ServerOrder, announce, claim, serve_on, shared_search
from golden_retriever.settings import Settings
from golden_retriever.stopping import StopSignals
from golden_retriever.wiring import open_library

_METRICS_FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_log = structlog.get_logger(__name__)


def run_workers(settings: Settings, *, starter: Path | None = None) -> int:
    """Serve the API with ``settings.server_workers`` processes until a signal comes; return the exit status.

    The chat's page is not served: it opens several connections, and its session is in the memory of one process. The
    embedded Chroma belongs to one process, so the workers search the exact index, unless Chroma runs as a server.

    Raises:
        ConfigurationError: as of ``run_server``.
    """
    settings = shared_search(settings)
    keyed, listener = claim(settings)
    order = ServerOrder(settings=settings, keyed=keyed, starter=starter, with_ui=False)
    with tempfile.TemporaryDirectory(prefix="golden-metrics-") as folder:
        # The metrics library reads it when a worker imports it.
        os.environ[_METRICS_FOLDER] = folder
        with server_lock(settings) as publish:
            supervisor = _Supervisor(order, listener, publish)
            supervisor.run()
        return supervisor.status


class _Worker(Process):
    """A process that serves. It writes to its pipe when it accepts requests."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket], order: ServerOrder) -> None:
        self._order = order
        super().__init__(config, sockets)

    def is_ready(self, timeout: float = 0) -> bool:
        """Return whether the worker accepts requests, or did before it ended."""
        return self.parent_conn.poll(timeout)

    def target(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until a signal comes, in the worker's own process."""
        threading.Thread(target=_stop_with_parent, daemon=True).start()
        start_logging(self._order.settings)
        structlog.contextvars.bind_contextvars(worker=os.getpid())
        (listener,) = sockets or []
        signals, say = StopSignals((signal.SIGTERM,)), self.child_conn.send
        try:
            asyncio.run(serve_on(listener, self._order, signals=signals, on_ready=lambda _: say("ready")))
        except (GoldenError, OSError) as error:
            sys.stderr.write(f"golden: {error}\n")
            sys.exit(2 if isinstance(error, InvalidInput) else 1)


class _Supervisor(Multiprocess):
    """Replaces workers that end, and announces the server when all are ready; ``status`` is its exit status.

    A worker that ends before it was ready stops the server: whatever ended it would end its successor too.
    """

    # A closed terminal stops the server; the number of workers is a setting.
    handle_hup = Multiprocess.handle_term
    handle_ttin = handle_ttou = None  # type: ignore[assignment]

    def __init__(self, order: ServerOrder, listener: socket.socket, publish: Callable[[socket.socket], None]) -> None:
        super().__init__(uvicorn.Config("", workers=order.settings.server_workers, log_config=None), [listener])
        self._order = order
        self._publish = publish
        self._announced = False
        self.status = 0

    def init_processes(self) -> None:
        """Start one worker, which migrates the database and reads the starter folder before the others start."""
        self._start()

    def keep_subprocess_alive(self) -> None:
        """Start workers that are missing, once those that there are have become ready."""
        for worker in [each for each in self.processes if not each.process.is_alive()]:
            mark_process_dead(worker.pid or 0)  # type: ignore[no-untyped-call]
            self.processes.remove(worker)
            if not worker.is_ready():
                _log.error("a worker ended before it was ready", pid=worker.pid, status=worker.exitcode)
                self.status = max(worker.exitcode or 0, 1)
                self.should_exit.set()
                return
            _log.warning("a worker ended and is replaced", pid=worker.pid, status=worker.exitcode)
        if all(each.is_ready() for each in self.processes):
            missing = self.processes_num - len(self.processes)
            for _ in range(missing):
                self._start()
            if not missing and not self._announced:
                self._announced = True
                self._publish(self.sockets[0])
                with open_library(self._order.settings) as library:
                    announce(self._order, self.sockets[0], documents=len(library.documents()))

    def join_all(self) -> None:
        """Wait for the workers to end, at once after a second signal."""
        for listener in self.sockets:
            listener.close()
        while any(each.process.is_alive() for each in self.processes):
            time.sleep(0.1)
            if self.signal_queue:
                self.signal_queue.clear()
                self.terminate_all()
        for each in self.processes:
            # A worker that was told to stop before it could handle signals ends with -SIGTERM.
            if each.exitcode not in (0, -signal.SIGTERM):
                self.status = self.status or each.exitcode or 0

    def _start(self) -> None:
        worker = _Worker(self.config, self.sockets, self._order)
        # The terminal sends Ctrl+C to the workers too: they inherit that it is blocked, and are sent SIGTERM instead.
        # Python's resource tracker would start with the first worker, and unblock the signal.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        worker.start()
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        self.processes.append(worker)


def _stop_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
