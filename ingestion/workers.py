"""Worker processes: files are read outside of the server, so that a reader that crashes or hangs takes only itself."""

import asyncio
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError, UnreadableFile
from contracts.text import Page
from ingestion.archives import local_copy
from ingestion.bounds import bound_memory
from ingestion.counting import count_pages
from ingestion.limits import IngestionLimits
from ingestion.readers import reader_for
from ingestion.reading import HearPages, ReadFile
from tools.ocr import OcrEngine

_LISTENING_S = 0.25


@dataclass(frozen=True, slots=True)
class _Refusal:
    """An ``UnreadableFile`` on its way between processes: exceptions with several arguments do not survive it."""

    reason: str
    page: int | None


# What a worker shares with its parent while it reads: the pages read, and the pages there are (0: not known).
_pages_shared: Any = None


def read_file(path: Path, limits: IngestionLimits, ocr: OcrEngine | None, hear: HearPages | None = None) -> ReadFile:
    """Read a file in this process.

    Raises:
        UnreadableFile: it cannot be read.
    """
    started = time.monotonic()
    pages: list[Page] = []
    try:
        with local_copy(path, limits) as file:
            reader = reader_for(file)
            for page in reader.read(file, limits, ocr):
                pages.append(page)
                if hear is not None:
                    hear(len(pages), None)
            title = reader.title(file)
    except UnreadableFile as error:
        # A file out of an archive is known by its path there, not by that of its copy.
        raise UnreadableFile(str(path), error.reason, page=error.page) from error
    return ReadFile(tuple(pages), title, reader.media_type, time.monotonic() - started)


class ProcessReaderPool:
    """Reads files in worker processes of this machine, one file a process at a time.

    Each process stands alone: when one dies or takes too long, it is known which file it was reading, that file is
    reported, and a new process takes its place. The OCR engine travels to the workers, so it must be picklable.
    """

    def __init__(self, workers: int, limits: IngestionLimits, ocr: OcrEngine | None) -> None:
        if workers < 1:
            raise ConfigurationError(f"ingestion needs at least one worker process, not {workers}")
        self._limits = limits
        self._ocr = ocr
        # spawn: a forked copy of a process with threads (a server, an embedding model) may hang.
        self._context = multiprocessing.get_context("spawn")
        self._shared = [self._context.Array("q", 2, lock=False) for _ in range(workers)]
        self._executors: list[ProcessPoolExecutor | None] = [None] * workers
        self._reading: dict[int, int] = {}  # slot: the process that reads a file
        self._idle: asyncio.Queue[int] = asyncio.Queue()
        for slot in range(workers):
            self._idle.put_nowait(slot)

    async def read(self, path: Path, hear: HearPages | None = None) -> ReadFile:
        """Read a file in the next idle worker; ``hear`` is told how far it is.

        Raises:
            UnreadableFile: it cannot be read, its worker died, or it took longer than the limit.
        """
        slot = await self._idle.get()
        listening = asyncio.create_task(_listen(self._shared[slot], hear)) if hear is not None else None
        try:
            result = await self._call(slot, path, _read_or_refuse, path, self._limits, self._ocr)
        finally:
            if listening is not None:
                listening.cancel()
            self._idle.put_nowait(slot)
        if isinstance(result, _Refusal):
            raise UnreadableFile(str(path), result.reason, page=result.page)
        assert isinstance(result, ReadFile)
        return result

    async def count_pages(self, paths: Sequence[Path]) -> tuple[int | None, ...]:
        """Count the pages of files in the next idle worker; None for each where one of them was too much for it."""
        slot = await self._idle.get()
        try:
            counted = await self._call(slot, paths[0], _count_all, tuple(paths))
            return tuple(counted)
        except UnreadableFile:
            return (None,) * len(paths)
        finally:
            self._idle.put_nowait(slot)

    def close(self) -> None:
        """End the workers, those that still read among them: whoever interrupts need not wait for a long file."""
        for process in self._reading.values():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self._reading.clear()
        for slot, executor in enumerate(self._executors):
            if executor is not None:
                # Waited for: an executor that is still closing when the interpreter ends says so, with a traceback.
                executor.shutdown(wait=True, cancel_futures=True)
                self._executors[slot] = None

    async def _call(self, slot: int, path: Path, work: Callable[..., Any], *arguments: Any) -> Any:
        loop = asyncio.get_running_loop()
        executor = self._executors[slot] or self._start(slot)
        self._shared[slot][:] = [0, 0]
        try:
            with _interrupts_ignored():
                # The first call starts the process, which inherits that it ignores Ctrl+C.
                start = loop.run_in_executor(executor, os.getpid)
            start.add_done_callback(_look_at)
            process = await start
            self._reading[slot] = process
            job = loop.run_in_executor(executor, work, *arguments)
            job.add_done_callback(_look_at)
            done, _ = await asyncio.wait([job], timeout=self._limits.file_s)
            del self._reading[slot]
            if not done:
                os.kill(process, signal.SIGKILL)
                await asyncio.wait([job])
                self._discard(slot)
                raise UnreadableFile(str(path), f"it was not read within {self._limits.file_s:g} s and was given up")
            return job.result()
        except BrokenProcessPool as error:
            self._discard(slot)
            raise UnreadableFile(
                str(path), "its worker process died while reading it (out of memory, or a crash in a library)"
            ) from error

    def _start(self, slot: int) -> ProcessPoolExecutor:
        executor = ProcessPoolExecutor(
            max_workers=1,
            mp_context=self._context,
            initializer=_begin_worker,
            initargs=(self._shared[slot], self._limits),
        )
        self._executors[slot] = executor
        return executor

    def _discard(self, slot: int) -> None:
        executor = self._executors[slot]
        self._executors[slot] = None
        if executor is not None:
            executor.shutdown(wait=False, cancel_futures=True)


async def _listen(shared: Any, hear: HearPages) -> None:
    while True:
        await asyncio.sleep(_LISTENING_S)
        read, total = shared[0], shared[1]
        hear(read, total or None)


def _count_all(paths: Sequence[Path]) -> list[int | None]:
    return [count_pages(path) for path in paths]


def _read_or_refuse(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> ReadFile | _Refusal:
    def tell(read: int, _: int | None) -> None:
        if _pages_shared is not None:
            _pages_shared[0] = read

    try:
        if _pages_shared is not None:
            _pages_shared[1] = count_pages(path) or 0
        return read_file(path, limits, ocr, tell)
    except UnreadableFile as error:
        return _Refusal(error.reason, error.page)
    except MemoryError:
        return _Refusal("there is not enough memory to read it", None)
    except Exception as error:
        # A format's library meets a file that its authors did not think of: this file fails, the others go on.
        return _Refusal(f"it cannot be read ({type(error).__name__}: {error})", None)


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


def _begin_worker(shared: Any, limits: IngestionLimits) -> None:
    global _pages_shared
    _pages_shared = shared
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
