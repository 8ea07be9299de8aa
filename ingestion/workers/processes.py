"""Worker processes: files are read outside the server, so that a reader that crashes or hangs harms nothing else."""

import asyncio
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing.connection import Connection, wait
from pathlib import Path
from types import ModuleType
from typing import Any

from contracts.errors import ConfigurationError
from ingestion.limits import IngestionLimits, bound_memory
from ingestion.workers.pool import ReaderPool, WorkerLost
from ingestion.workers.tasks import perform
from tools.ocr import OcrEngine

# spawn: a forked copy of a process with threads (a server, an embedding model) may hang.
_SPAWN = multiprocessing.get_context("spawn")


class ProcessReaderPool(ReaderPool):
    """Reads files in ``workers`` processes of this machine. The OCR engine is sent to them, so it must be picklable."""

    def __init__(self, workers: int, limits: IngestionLimits, ocr: OcrEngine | None) -> None:
        if workers < 1:
            raise ConfigurationError(f"ingestion needs at least one worker process, not {workers}")
        super().__init__(partial(ProcessWorker, limits), workers, limits, ocr)


class ProcessWorker:
    """A process of this machine."""

    def __init__(self, limits: IngestionLimits) -> None:
        self._pipe, theirs = _SPAWN.Pipe()
        self._process = _SPAWN.Process(target=_serve, args=(theirs, limits), daemon=True)
        with _quiet_start():
            self._process.start()
        theirs.close()
        self._thread = ThreadPoolExecutor(1)

    async def ready(self) -> None:
        await self.call(os.getpid, None, ())

    async def call(self, task: Callable[..., Any], file: Path | None, arguments: tuple[Any, ...]) -> Any:
        """Perform a task. Raises ``WorkerLost`` if the process dies."""
        whole = (task, *arguments) if file is None else (task, file, *arguments)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._thread, self._exchange, whole)
        except (EOFError, OSError) as error:
            raise WorkerLost from error

    def end(self) -> None:
        self._process.kill()
        self._process.join()
        self._thread.shutdown()
        self._pipe.close()

    def _exchange(self, task: tuple[Any, ...]) -> Any:
        self._pipe.send(task)
        return self._pipe.recv()


@contextmanager
def _quiet_start() -> Iterator[None]:
    """Start a process that ignores Ctrl+C, and does not run the program's main module again, as ``spawn`` would.

    The parent decides what an interruption means. The workers need nothing from the main module, and a script may
    ingest in its first line.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        sys.modules["__main__"] = main


def _serve(pipe: "Connection[Any, Any]", limits: IngestionLimits) -> None:
    """Do one task after another, as the parent sends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    bound_memory(limits.worker_bytes)
    parent = multiprocessing.parent_process()
    if parent is not None:
        # Otherwise a worker would finish its task after the parent was killed.
        threading.Thread(target=_end_with, args=(parent.sentinel,), daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            pipe.send(perform(*pipe.recv()))


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
