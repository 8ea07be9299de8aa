"""What a worker process does: reads a file, or one range of its pages, or joins the ranges of all its pages.

Every task takes the file's path first and returns a ``Refusal`` for what a file deserves: exceptions with several
arguments do not survive the way between processes.
"""

import pickle
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from contracts.errors import UnreadableFile
from contracts.text import Page
from ingestion.files.archives import local_copy
from ingestion.files.counting import count_pages
from ingestion.limits import IngestionLimits
from ingestion.readers import reader_for
from ingestion.workers.pool import HearPages, ReadFile
from tools.ocr import OcrEngine

if TYPE_CHECKING:
    from ingestion.readers.sketches import OpenPages, PageSketch


_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a file cannot be read, on its way between processes; ``page`` where it is one page that spoils it."""

    reason: str
    page: int | None = None


@dataclass(frozen=True, slots=True)
class PageRange:
    """The pages ``first`` to ``last`` of a file as read, packed, and the seconds that it took."""

    first: int
    last: int
    packed: bytes
    seconds: float


@dataclass(frozen=True, slots=True)
class Survey:
    """What there is to read in ranges: how many pages, the file's title and media type, and the range read at once."""

    pages: int
    title: str
    media_type: str
    begun: PageRange | None
    seconds: float


@dataclass(slots=True)
class _Open:
    order: str
    pages: "OpenPages"


# How far this worker is with its task: set by the process that it is, told to whoever listens.
_tell: HearPages | None = None
# The file that this worker read last, left open: the next range is likely to be of the same.
_open: _Open | None = None


def listen(tell: HearPages) -> None:
    """Let ``tell`` hear how many pages of a file the tasks of this process have read."""
    global _tell
    _tell = tell


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


def begin_file(
    path: Path, order: str, limits: IngestionLimits, ocr: OcrEngine | None, at_once: int
) -> ReadFile | Survey | Refusal:
    """Read a file whole, or say what there is to read in ranges when it has more than ``at_once`` pages.

    The first ``at_once`` pages of such a file are read already (0: none). ``order`` names this reading of it.
    """
    return _refusing(lambda: _begin(path, order, limits, ocr, at_once))


def _begin(path: Path, order: str, limits: IngestionLimits, ocr: OcrEngine | None, at_once: int) -> ReadFile | Survey:
    started = time.monotonic()
    reader = reader_for(path)
    pages = _opened(path, order, limits, ocr)
    if pages is None:
        total = count_pages(path)
        return read_file(path, limits, ocr, lambda read, _: _say(read, total))
    title = reader.title(path)
    begun = _read(pages, 1, min(at_once, pages.count)) if at_once else None
    survey = Survey(pages.count, title, reader.media_type, begun, time.monotonic() - started)
    if begun is not None and pages.count <= at_once:
        return _join([begun], survey, {})
    return survey


def read_range(
    path: Path, order: str, limits: IngestionLimits, ocr: OcrEngine | None, first: int, last: int
) -> PageRange | Refusal:
    """Read the pages ``first`` to ``last`` (from 1, both included) of a file whose pages are read in ranges."""

    def read() -> PageRange:
        pages = _opened(path, order, limits, ocr)
        assert pages is not None
        return _read(pages, first, last)

    return _refusing(read)


def join_ranges(path: Path, ranges: Sequence[PageRange], survey: Survey, lost: Mapping[int, str]) -> ReadFile | Refusal:
    """Make the whole of a file's ranges; ``lost`` names the pages in none of them, with the reason for each."""
    return _refusing(lambda: _join(ranges, survey, lost))


def count_all(path: Path, paths: Sequence[Path]) -> list[int | None]:
    """Count the pages of ``paths``, None where that is not cheap; ``path`` is the first of them."""
    return [count_pages(each) for each in paths]


def _opened(path: Path, order: str, limits: IngestionLimits, ocr: OcrEngine | None) -> "OpenPages | None":
    global _open
    if _open is not None and _open.order == order:
        return _open.pages
    if _open is not None:
        _open.pages.close()
        _open = None
    pages = reader_for(path).open_pages(path, limits, ocr)
    if pages is not None:
        _open = _Open(order, pages)
    return pages


def _read(pages: "OpenPages", first: int, last: int) -> PageRange:
    started = time.monotonic()
    sketches: list[PageSketch] = []
    for sketch in pages.read(first, last):
        sketches.append(sketch)
        _say(len(sketches), None)
    packed = zlib.compress(pickle.dumps(sketches, pickle.HIGHEST_PROTOCOL), 1)
    return PageRange(first, last, packed, time.monotonic() - started)


def _join(ranges: Sequence[PageRange], survey: Survey, lost: Mapping[int, str]) -> ReadFile:
    from ingestion.readers.sketches import PageSketch, finish

    started = time.monotonic()
    read: list[PageSketch] = [
        sketch for each in ranges for sketch in pickle.loads(zlib.decompress(each.packed))
    ]  # written by a worker of ours, never by a file
    read += [PageSketch(number, warnings=[f"page {number} {reason}"]) for number, reason in lost.items()]
    read.sort(key=lambda sketch: sketch.number)
    end = next((index for index, sketch in enumerate(read, start=1) if sketch.ends), len(read))
    pages = tuple(finish(read[:end]))
    return ReadFile(pages, survey.title, survey.media_type, survey.seconds + time.monotonic() - started)


def _refusing(task: Callable[[], _Result]) -> _Result | Refusal:
    try:
        return task()
    except UnreadableFile as error:
        return Refusal(error.reason, error.page)
    except MemoryError:
        return Refusal("there is not enough memory to read it")
    except Exception as error:
        # A format's library meets a file that its authors did not think of: this file fails, the others go on.
        return Refusal(f"it cannot be read ({type(error).__name__}: {error})")


def _say(read: int, total: int | None) -> None:
    if _tell is not None:
        _tell(read, total)
