"""Limits on the size of files, on the time for reading them, and on the memory of a process."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

# Libraries sometimes swallow exceptions: the timeout is raised until it gets through.
_AGAIN_S = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class IngestionLimits:
    """Limits that keep one bad file from bringing down the machine; a file that exceeds them is reported, not read.

    ``unpacked_bytes`` bounds the unpacked size of a zipped format (DOCX, EPUB, ZIP …), ``packing_ratio`` its ratio to
    the packed size, ``archive_files`` the number of files in an archive. ``markup_bytes`` bounds formats that are
    parsed as one tree (HTML, Markdown, reStructuredText, email), ``page_characters`` the text of a PDF page,
    ``characters`` the text of a document, ``passages`` the passages made from it, ``cells`` the cells of a workbook,
    ``pictures`` the pictures in a document that are read by OCR, ``attachments`` the attachments of an email. A file is
    abandoned if it is not read within ``file_s`` seconds, or if its text is not split, summarised and embedded within
    the same time again; a page of a PDF is abandoned after ``page_s``. A file that occupies a worker for ``slow_s``
    without a break is read again after the others. A worker process may use ``worker_bytes`` of memory (0: no limit).
    Pages without a text layer are rendered at ``scan_dpi`` for OCR.
    """

    file_bytes: int = 256 * 1024 * 1024
    markup_bytes: int = 64 * 1024 * 1024
    pages: int = 5_000
    image_pixels: int = 100_000_000
    unpacked_bytes: int = 1024 * 1024 * 1024
    packing_ratio: int = 200
    archive_files: int = 20_000
    cells: int = 2_000_000
    page_characters: int = 2_000_000
    characters: int = 10_000_000
    passages: int = 20_000
    pictures: int = 200
    attachments: int = 100
    scan_dpi: int = 200
    file_s: float = 7_200.0
    page_s: float = 300.0
    slow_s: float = 60.0
    worker_bytes: int = 4 * 1024 * 1024 * 1024


class _OutOfTime(BaseException):
    """A timeout that is not an ``Exception``, because libraries catch and ignore those."""


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Interrupt the block after ``seconds``.

    If signals do not arrive (outside the main thread, or in a library that does not return from C), the block is not
    limited: the pool ends a worker that is late. Blocks do not nest.

    Raises:
        TimeoutError: it took longer.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    former = signal.signal(signal.SIGALRM, _interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_S)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    except _OutOfTime as error:
        signal.setitimer(signal.ITIMER_REAL, 0)
        raise TimeoutError(f"it took longer than {seconds:g} s") from error
    finally:
        signal.signal(signal.SIGALRM, former)


def bound_memory(size_bytes: int) -> None:
    """Limit this process and its children to ``size_bytes`` of memory each; 0 means no limit.

    Using more raises a ``MemoryError``, or kills the process, instead of bringing down the machine. Systems without
    such a limit (macOS ignores it, Windows has none) are left as they are.
    """
    try:
        import resource
    except ImportError:
        return
    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    if size_bytes and (hard == resource.RLIM_INFINITY or size_bytes < hard):
        resource.setrlimit(resource.RLIMIT_DATA, (size_bytes, hard))


def _interrupt(_: int, __: FrameType | None) -> None:
    raise _OutOfTime
