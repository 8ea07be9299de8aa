"""Worker processes: files are read outside of the server, so that a reader that crashes or hangs takes only itself."""

import asyncio
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from types import ModuleType
from typing import Any

from contracts.errors import ConfigurationError
from ingestion.bounds import bound_memory
from ingestion.limits import IngestionLimits
from ingestion.workers.crew import Errand, Turns, WorkerLate, WorkerLost
from ingestion.workers.crew_reading import CrewReaderPool
from ingestion.workers.pool import HearPages
from ingestion.workers.tasks import listen
from tools.ocr import OcrEngine

_LISTENING_S = 0.25


class ProcessReaderPool(CrewReaderPool):
    """Reads files in ``workers`` processes of this machine.

    The OCR engine travels to the workers, so it must be picklable.
    """

    def __init__(self, workers: int, limits: IngestionLimits, ocr: OcrEngine | None) -> None:
        super().__init__(ProcessCrew(workers, limits), limits, ocr)


class ProcessCrew:
    """Does errands in processes of this machine, each of which stands alone and starts at its first errand.

    When one dies or takes too long, it is known at what, and a new process takes its place.
    """

    def __init__(self, workers: int, limits: IngestionLimits) -> None:
        if workers < 1:
            raise ConfigurationError(f"ingestion needs at least one worker process, not {workers}")
        self._limits = limits
        # spawn: a forked copy of a process with threads (a server, an embedding model) may hang.
        self._context = multiprocessing.get_context("spawn")
        self._shared = [self._context.Array("q", 2, lock=False) for _ in range(workers)]
        self._executors: list[ProcessPoolExecutor | None] = [None] * workers
        self._discarded: list[ProcessPoolExecutor] = []
        self._busy: dict[int, int] = {}  # slot: the process at work there
        self._turns = Turns(list(range(workers)))

    @property
    def size(self) -> int:
        """How many errands can be done at once."""
        return len(self._executors)

    async def do(self, errand: Errand) -> Any:
        """Do an errand when a worker is idle, and return what its task returns. Cancelled, it ends its worker.

        Raises:
            WorkerLost: the worker died at it.
            WorkerLate: it was not done within ``most_s`` seconds, and its worker was ended.
        """
        slot = await self._turns.take(errand.order)
        self._shared[slot][:] = [0, 0]
        hear = errand.hear
        listening = asyncio.create_task(_listen(self._shared[slot], hear)) if hear is not None else None
        try:
            return await self._call(slot, errand)
        except BrokenProcessPool as error:
            self._discard(slot)
            raise WorkerLost from error
        finally:
            if listening is not None:
                listening.cancel()
            self._turns.give(slot)

    def close(self) -> None:
        """End the workers, those at work among them: whoever interrupts need not wait for a long file."""
        for slot in list(self._busy):
            self._kill(slot)
        for slot in range(len(self._executors)):
            self._discard(slot)
        if self._discarded:
            # Waited for: an executor that is still closing when the interpreter ends says so, with a traceback.
            with ThreadPoolExecutor(len(self._discarded)) as waiting:
                list(waiting.map(_shut_down, self._discarded))
        self._discarded.clear()

    async def _call(self, slot: int, errand: Errand) -> Any:
        loop = asyncio.get_running_loop()
        executor = self._executors[slot] or self._start(slot)
        with _interrupts_ignored(), _main_left_out():
            # The first call starts the process, which inherits that it ignores Ctrl+C.
            start = loop.run_in_executor(executor, os.getpid)
        start.add_done_callback(_look_at)
        self._busy[slot] = await start
        job = loop.run_in_executor(executor, errand.task, errand.file, *errand.arguments)
        job.add_done_callback(_look_at)
        try:
            done, _ = await asyncio.wait([job], timeout=errand.most_s)
            if done:
                return job.result()
            self._kill(slot)
            await asyncio.wait([job])
            self._discard(slot)
            raise WorkerLate
        finally:
            if not job.done():
                # Given up, its error is no news, even when it is heard in the loop's last step.
                job.cancel()
                self._kill(slot)
                self._discard(slot)
            self._busy.pop(slot, None)

    def _start(self, slot: int) -> ProcessPoolExecutor:
        executor = ProcessPoolExecutor(
            max_workers=1,
            mp_context=self._context,
            initializer=_begin_worker,
            initargs=(self._shared[slot], self._limits),
        )
        self._executors[slot] = executor
        return executor

    def _kill(self, slot: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._busy[slot], signal.SIGKILL)

    def _discard(self, slot: int) -> None:
        executor = self._executors[slot]
        self._executors[slot] = None
        if executor is not None:
            # Not shut down yet: who shuts one down without waiting can never wait for it.
            self._discarded.append(executor)


async def _listen(shared: Any, hear: HearPages) -> None:
    while True:
        await asyncio.sleep(_LISTENING_S)
        read, total = shared[0], shared[1]
        hear(read, total or None)


def _shut_down(executor: ProcessPoolExecutor) -> None:
    executor.shutdown(wait=True, cancel_futures=True)


def _look_at(future: "asyncio.Future[Any]") -> None:
    # Nobody waits any more for what an interrupted run had begun: its error is no news.
    if not future.cancelled():
        future.exception()


@contextmanager
def _interrupts_ignored() -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before if before is not None else signal.SIG_DFL)


@contextmanager
def _main_left_out() -> Iterator[None]:
    """Start no process that runs the program's main module again, as ``spawn`` does.

    The workers need nothing of it, and a script may well ingest in its first line.
    """
    main = sys.modules["__main__"]
    sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = main


def _begin_worker(shared: Any, limits: IngestionLimits) -> None:
    def tell(read: int, total: int | None) -> None:
        shared[0], shared[1] = read, total or 0

    listen(tell)
    bound_memory(limits.worker_bytes)
    _end_with_parent()


def _end_with_parent() -> None:
    """Let this worker end when its parent does, and not speak of it.

    By itself it would wait for work for ever when the parent is killed. Ctrl+C reaches it too: what that means is for
    the parent to say.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_watch, args=(parent.sentinel,), daemon=True).start()


def _watch(sentinel: int) -> None:
    wait([sentinel])
    os._exit(1)
