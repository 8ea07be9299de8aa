"""The tasks of a worker process: read a file, read a range of its pages, or join the ranges of all pages."""

import pickle
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.errors import UnreadableFile
from contracts.text import Page
from ingestion.limits import IngestionLimits
from ingestion.readers import reader_for
from ingestion.readers.containers import check_characters
from tools.ocr import OcrEngine

if TYPE_CHECKING:
    from ingestion.readers.raw_pages import OpenPages


@dataclass(frozen=True, slots=True)
class ReadFile:
    """A file as read: its pages, its title and media type, and how many seconds the reading took."""

    pages: tuple[Page, ...]
    title: str
    media_type: str
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a file cannot be read, on its way between processes; ``page`` is set if a single page causes the error."""

    reason: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class PageRange:
    """Some pages of a file as read, compressed, and how many seconds the reading took."""

    packed: bytes
    seconds: float


# The file that this worker read last, and the id of that reading: the next range is probably from the same file.
_open: "tuple[str, OpenPages] | None" = None


def perform(task: Callable[..., Any], *arguments: Any) -> Any:
    """Do a task; return a ``Refusal`` for an unreadable file, because not every exception can be pickled."""
    try:
        return task(*arguments)
    except UnreadableFile as error:
        return Refusal(error.reason, error.page)
    except MemoryError:
        return Refusal("there is not enough memory to read it; split it into smaller files")
    except RecursionError:
        return Refusal("its parts are nested too deeply to be read; save it in a simpler form")
    except Exception as error:
        # A format's library fails on a file that its authors did not expect: this file fails, the others are still
        # read.
        return Refusal(f"it cannot be read ({type(error).__name__}: {error})")


def read_file(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> ReadFile:
    """Read a file in this process. Raises ``UnreadableFile``."""
    started = time.monotonic()
    reader = reader_for(path)
    pages: list[Page] = []
    characters = 0
    for page in reader.read(path, limits, ocr):
        characters += sum(len(block.text) for block in page.blocks)
        check_characters(path, characters, limits)
        pages.append(page)
    return ReadFile(tuple(pages), reader.title(path), reader.media_type, time.monotonic() - started)


def begin_file(path: Path, name: str, limits: IngestionLimits, ocr: OcrEngine | None, at_once: int) -> ReadFile | int:
    """Read a whole file, or return its number of pages if they are read in ranges and there are more than ``at_once``.

    ``name`` identifies this reading.
    """
    started = time.monotonic()
    pages = _opened(path, name, limits, ocr)
    if pages is None:
        return read_file(path, limits, ocr)
    if pages.count > at_once:
        return pages.count
    whole = join_ranges(path, [read_range(path, name, limits, ocr, 1, pages.count)], {})
    return replace(whole, seconds=time.monotonic() - started)


def read_range(
    path: Path, name: str, limits: IngestionLimits, ocr: OcrEngine | None, first: int, last: int
) -> PageRange:
    """Read the pages ``first`` to ``last`` (counted from 1, both included) of a file that is read in ranges."""
    started = time.monotonic()
    pages = _opened(path, name, limits, ocr)
    assert pages is not None
    packed = zlib.compress(pickle.dumps(list(pages.read(first, last)), pickle.HIGHEST_PROTOCOL), 1)
    return PageRange(packed, time.monotonic() - started)


def join_ranges(path: Path, ranges: Sequence[PageRange], lost: Mapping[int, str]) -> ReadFile:
    """Join the ranges of a file; ``lost`` has the pages that are in none of them, with the reason for each."""
    from ingestion.readers.raw_pages import RawPage, finish

    # Safe to unpickle: written by one of our workers, never taken from a file.
    read: list[RawPage] = [raw for each in ranges for raw in pickle.loads(zlib.decompress(each.packed))]
    read += [RawPage(number, warnings=[f"page {number} {reason}"]) for number, reason in lost.items()]
    read.sort(key=lambda raw: raw.number)
    reader = reader_for(path)
    return ReadFile(tuple(finish(read)), reader.title(path), reader.media_type)


def _opened(path: Path, name: str, limits: IngestionLimits, ocr: OcrEngine | None) -> "OpenPages | None":
    global _open
    if _open is not None and _open[0] == name:
        return _open[1]
    pages = reader_for(path).open_pages(path, limits, ocr)
    if pages is not None:
        if _open is not None:
            _open[1].close()
        _open = (name, pages)
    return pages
