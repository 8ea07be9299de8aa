"""What a worker process does: reads a file, or one range of its pages, or joins the ranges of all its pages."""

import pickle
import time
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from contracts.errors import UnreadableFile
from contracts.text import Page
from ingestion.files.archives import local_copy
from ingestion.files.page_counts import count_pages
from ingestion.limits import IngestionLimits
from ingestion.readers import reader_for
from tools.ocr import OcrEngine

if TYPE_CHECKING:
    from ingestion.readers.sketches import OpenPages


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What was read of a file: its pages, the title and media type of the file, and the seconds that it took."""

    pages: tuple[Page, ...]
    title: str
    media_type: str
    seconds: float = 0.0


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


# The file that this worker read last, and the name of that reading: the next range is likely to be of the same.
_open: "tuple[str, OpenPages] | None" = None


def perform(task: Callable[..., Any], *arguments: Any) -> Any:
    """Do a task; return a ``Refusal`` for what a file deserves, since not every exception survives the way back."""
    try:
        return task(*arguments)
    except UnreadableFile as error:
        return Refusal(error.reason, error.page)
    except MemoryError:
        return Refusal("there is not enough memory to read it")
    except Exception as error:
        # A format's library meets a file that its authors did not think of: this file fails, the others go on.
        return Refusal(f"it cannot be read ({type(error).__name__}: {error})")


def read_file(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> ReadFile:
    """Read a file in this process.

    Raises:
        UnreadableFile: it cannot be read.
    """
    started = time.monotonic()
    try:
        with local_copy(path, limits) as file:
            reader = reader_for(file)
            pages = tuple(reader.read(file, limits, ocr))
            title = reader.title(file)
    except UnreadableFile as error:
        # A file out of an archive is known by its path there, not by that of its copy.
        raise UnreadableFile(str(path), error.reason, page=error.page) from error
    return ReadFile(pages, title, reader.media_type, time.monotonic() - started)


def begin_file(
    path: Path, name: str, limits: IngestionLimits, ocr: OcrEngine | None, at_once: int
) -> ReadFile | Survey:
    """Read a file whole, or say what there is to read in ranges when it has more than ``at_once`` pages.

    The first ``at_once`` pages of such a file are read already (0: none). ``name`` is that of this reading of it.
    """
    started = time.monotonic()
    reader = reader_for(path)
    pages = _opened(path, name, limits, ocr)
    if pages is None:
        return read_file(path, limits, ocr)
    title = reader.title(path)
    begun = _read(pages, 1, min(at_once, pages.count)) if at_once else None
    survey = Survey(pages.count, title, reader.media_type, begun, time.monotonic() - started)
    if begun is not None and pages.count <= at_once:
        return join_ranges([begun], survey, {})
    return survey


def read_range(
    path: Path, name: str, limits: IngestionLimits, ocr: OcrEngine | None, first: int, last: int
) -> PageRange:
    """Read the pages ``first`` to ``last`` (from 1, both included) of a file whose pages are read in ranges."""
    pages = _opened(path, name, limits, ocr)
    assert pages is not None
    return _read(pages, first, last)


def join_ranges(ranges: Sequence[PageRange], survey: Survey, lost: Mapping[int, str]) -> ReadFile:
    """Make the whole of a file's ranges; ``lost`` names the pages in none of them, with the reason for each."""
    from ingestion.readers.sketches import PageSketch, finish

    started = time.monotonic()
    # Written by a worker of ours, never by a file.
    read: list[PageSketch] = [sketch for each in ranges for sketch in pickle.loads(zlib.decompress(each.packed))]
    read += [PageSketch(number, warnings=[f"page {number} {reason}"]) for number, reason in lost.items()]
    read.sort(key=lambda sketch: sketch.number)
    end = next((index for index, sketch in enumerate(read, start=1) if sketch.ends), len(read))
    pages = tuple(finish(read[:end]))
    return ReadFile(pages, survey.title, survey.media_type, survey.seconds + time.monotonic() - started)


def count_all(paths: Sequence[Path]) -> tuple[int | None, ...]:
    """Count the pages of ``paths``, None where that is not cheap."""
    return tuple(count_pages(each) for each in paths)


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


def _read(pages: "OpenPages", first: int, last: int) -> PageRange:
    started = time.monotonic()
    packed = zlib.compress(pickle.dumps(list(pages.read(first, last)), pickle.HIGHEST_PROTOCOL), 1)
    return PageRange(first, last, packed, time.monotonic() - started)
