"""Worker processes: files are read outside of the server, so that a reader that crashes or hangs takes only itself."""

import asyncio
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError, UnreadableFile
from contracts.text import Page
from ingestion.archives import local_copy
from ingestion.limits import IngestionLimits
from ingestion.readers import reader_for
from tools.ocr import OcrEngine


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What a worker read: the pages, and the title and media type of the file."""

    pages: tuple[Page, ...]
    title: str
    media_type: str


@dataclass(frozen=True, slots=True)
class _Refusal:
    """An ``UnreadableFile`` on its way between processes: exceptions with several arguments do not survive it."""

    reason: str
    page: int | None


def read_file(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> ReadFile:
    """Read a file in this process.

    Raises:
        UnreadableFile: it cannot be read.
    """
    try:
        with local_copy(path, limits) as file:
            reader = reader_for(file)
            pages = tuple(reader.read(file, limits, ocr))
            return ReadFile(pages, reader.title(file), reader.media_type)
    except UnreadableFile as error:
        # A file out of an archive is known by its path there, not by that of its copy.
        raise UnreadableFile(str(path), error.reason, page=error.page) from error


class ReaderPool:
    """Reads files in worker processes, one file a process at a time.

    Each process stands alone: when one dies or takes too long, it is known which file it was reading, that file is
    reported, and a new process takes its place. The OCR engine travels to the workers, so it must be picklable.
    """

    def __init__(self, workers: int, limits: IngestionLimits, ocr: OcrEngine | None) -> None:
        if workers < 1:
            raise ConfigurationError(f"ingestion needs at least one worker process, not {workers}")
        self._limits = limits
        self._ocr = ocr
        self._executors: list[ProcessPoolExecutor | None] = [None] * workers
        self._reading: dict[int, int] = {}  # slot: the process that reads a file
        self._idle: asyncio.Queue[int] = asyncio.Queue()
        for slot in range(workers):
            self._idle.put_nowait(slot)

    async def read(self, path: Path) -> ReadFile:
        """Read a file in the next idle worker.

        Raises:
            UnreadableFile: it cannot be read, its worker died, or it took longer than the limit.
        """
        slot = await self._idle.get()
        try:
            return await self._read_in(slot, path)
        finally:
            self._idle.put_nowait(slot)

    def close(self) -> None:
        """End the workers, those that still read among them: whoever interrupts need not wait for a long file."""
        for slot, executor in enumerate(self._executors):
            if executor is not None:
                if slot in self._reading:
                    os.kill(self._reading.pop(slot), signal.SIGKILL)
                executor.shutdown(wait=False, cancel_futures=True)
                self._executors[slot] = None

    async def _read_in(self, slot: int, path: Path) -> ReadFile:
        loop = asyncio.get_running_loop()
        executor = self._executors[slot] or self._start(slot)
        try:
            with _interrupts_ignored():
                # The first call starts the process, which inherits that it ignores Ctrl+C.
                start = loop.run_in_executor(executor, os.getpid)
            start.add_done_callback(_look_at)
            process = await start
            self._reading[slot] = process
            job = loop.run_in_executor(executor, _read_or_refuse, path, self._limits, self._ocr)
            job.add_done_callback(_look_at)
            done, _ = await asyncio.wait([job], timeout=self._limits.file_s)
            del self._reading[slot]
            if not done:
                os.kill(process, signal.SIGKILL)
                await asyncio.wait([job])
                self._discard(slot)
                raise UnreadableFile(str(path), f"it was not read within {self._limits.file_s:g} s and was given up")
            result = job.result()
        except BrokenProcessPool as error:
            self._discard(slot)
            raise UnreadableFile(
                str(path), "its worker process died while reading it (out of memory, or a crash in a library)"
            ) from error
        if isinstance(result, _Refusal):
            raise UnreadableFile(str(path), result.reason, page=result.page)
        return result

    def _start(self, slot: int) -> ProcessPoolExecutor:
        # spawn: a forked copy of a process with threads (a server, an embedding model) may hang.
        context = multiprocessing.get_context("spawn")
        executor = ProcessPoolExecutor(max_workers=1, mp_context=context, initializer=_end_with_parent)
        self._executors[slot] = executor
        return executor

    def _discard(self, slot: int) -> None:
        executor = self._executors[slot]
        self._executors[slot] = None
        if executor is not None:
            executor.shutdown(wait=False, cancel_futures=True)


def _read_or_refuse(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> ReadFile | _Refusal:
    try:
        return read_file(path, limits, ocr)
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
