"""Pages read one by one, and the steps that need all of them: running headers, tables across page breaks, headings."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Protocol

from rapidfuzz import fuzz

from contracts.text import Page
from ingestion.layout.blocks import Item, build_blocks, learn_style
from ingestion.layout.lines import TextLine
from ingestion.layout.tables import DraftTable, cell_text, is_bold
from ingestion.readers.text_headings import with_questions_as_headings

_ZONE = 0.13
_LEAST_GAP = 0.5
_LONE_NUMBER = re.compile(
    r"^[-–—\s]*(?:page\s*)?(?:\d{1,4}|[ivxlc]{1,6})(?:\s*(?:of|/|\|)\s*\d{1,4})?[-–—\s]*$", re.IGNORECASE
)
_NUMBER_AT_END = re.compile(r"^\d{1,4}\s+|\s+\d{1,4}$")
_ALIKE = 88.0


@dataclass(slots=True)
class RawPage:
    """A page as read, before the document's headings and running headers are known. Picklable.

    ``items`` are its lines and tables in reading order, ``laid_height`` is its height in the layout's coordinates.
    """

    number: int
    width_pt: float = 0.0
    height_pt: float = 0.0
    items: list[Item] = field(default_factory=list)
    laid_height: float = 0.0
    confidence: float | None = None
    ocr_reason: str = ""
    warnings: list[str] = field(default_factory=list)


class OpenPages(Protocol):
    """Reads pages of a file that it keeps open, in any order, each separately."""

    count: int

    def read(self, first: int, last: int | None = None) -> Iterator[RawPage]:
        """Read the pages ``first`` to ``last`` (counted from 1, both included; None: to the end).

        Raises:
            UnreadableFile: the problem concerns the whole file.
        """

    def close(self) -> None: ...


def finish(raw_pages: Sequence[RawPage]) -> Iterator[Page]:
    """Make pages from all raw pages of a document, in order; the raw pages are modified."""
    _drop_running_headers(raw_pages)
    _join_continued_tables([raw.items for raw in raw_pages])
    # Sizes on scans are estimates: headings there are compared with the scanned text, with more tolerance.
    typed = learn_style((item for each in raw_pages if each.confidence is None for item in each.items), scanned=False)
    scanned = learn_style(
        (item for each in raw_pages if each.confidence is not None for item in each.items), scanned=True
    )
    for raw in raw_pages:
        style = typed if raw.confidence is None else scanned
        yield Page(
            number=raw.number,
            blocks=tuple(with_questions_as_headings(build_blocks(raw.items, raw.number, style))),
            width_pt=raw.width_pt,
            height_pt=raw.height_pt,
            ocr_confidence=raw.confidence,
            ocr_reason=raw.ocr_reason,
            warnings=tuple(raw.warnings),
        )


def _drop_running_headers(pages: Sequence[RawPage]) -> None:
    """Drop, in place, the lines at page edges that are repeated on nearby pages, ignoring numbers.

    The previous and next pages are searched for repetitions, and further ones if left and right pages differ. A line
    that repeats an earlier heading, in the same place as such lines on other pages, is dropped too.
    """
    sizes = sorted(item.size for page in pages for item in page.items if isinstance(item, TextLine))
    usual = sizes[len(sizes) // 2] if sizes else 0.0
    # A line larger than the body text is a repeated title, as on consecutive slides of one topic.
    edges = [[line for line in _edge_lines(page) if line.size <= 1.15 * usual] for page in pages]
    headings: set[str] = set()
    drops: list[set[int]] = []
    for number, (page, lines) in enumerate(zip(pages, edges, strict=True)):
        at_edge = {id(line) for line in lines}
        headings |= {
            _shape(item.text)
            for item in page.items
            if isinstance(item, TextLine) and id(item) not in at_edge and (item.bold or item.size > 1.15 * usual)
        }
        drops.append({id(line) for line in lines if _is_running_header(line, number, edges, headings)})
    for page, drop in zip(pages, drops, strict=True):
        page.items[:] = [item for item in page.items if id(item) not in drop]


def _is_running_header(line: TextLine, number: int, edges: Sequence[Sequence[TextLine]], headings: set[str]) -> bool:
    if len(edges) > 1 and _LONE_NUMBER.match(line.text.strip()):
        return True
    near = [n for n in range(number - 2, number + 3) if n != number and 0 <= n < len(edges)]
    far = [n for n in range(number - 4, number + 5) if n != number and 0 <= n < len(edges)]
    alike = {n for n in far if any(_is_alike(line, other, n - number) for other in edges[n])}
    if len(alike & set(near)) >= (2 if len(near) > 2 else 1) or len(alike) >= 2:
        return True
    # The line in this place differs on other pages: left and right pages, or sections.
    occupied = sum(1 for n in near if any(_is_at(line, other) for other in edges[n]))
    if occupied < min(2, len(near)) or not near:
        return False
    return bool(alike & set(near)) or _shape(_NUMBER_AT_END.sub("", line.text)) in headings


def _edge_lines(page: RawPage) -> list[TextLine]:
    """Return the lines at the top and bottom of a page that white space separates from its body."""
    lines = sorted((item for item in page.items if isinstance(item, TextLine)), key=lambda line: line.top)
    downwards = _edge_groups(lines, lambda line: line.bottom < _ZONE * page.laid_height)
    upwards = _edge_groups(lines[::-1], lambda line: line.top > (1 - _ZONE) * page.laid_height)
    return [line for line in downwards + upwards if len(line.text) < 200]


def _edge_groups(lines: Sequence[TextLine], is_at_edge: Callable[[TextLine], bool]) -> list[TextLine]:
    """Return the lines from the edge up to the last gap in the zone (or all, if the page ends there)."""
    found: list[TextLine] = []
    group: list[TextLine] = []
    for line in lines:
        if group:
            before = group[-1]
            gap = max(line.top - before.bottom, before.top - line.bottom)
            if gap > _LEAST_GAP * min(line.height, before.height):
                found += group
                group = []
        if not is_at_edge(line):
            return found
        group.append(line)
    return found + group


def _is_alike(line: TextLine, other: TextLine, distance: int) -> bool:
    if not _is_at(line, other):
        return False
    if _numbers(other.text) & {number + distance for number in _numbers(line.text)}:
        # A number at the same height that rises with the pages is the page number, regardless of the text next to it.
        return True
    short, long = sorted((_shape(line.text), _shape(other.text)), key=len)
    return fuzz.ratio(short, long) >= _ALIKE or (len(short) >= 8 and short in long)


def _is_at(line: TextLine, other: TextLine) -> bool:
    """Return whether two lines on different pages are at the same height and have the same size."""
    return abs(line.top - other.top) < 1.2 * line.height and abs(line.size - other.size) < 0.25 * line.size


def _numbers(text: str) -> set[int]:
    return {int(number) for number in re.findall(r"(?<![\w.])\d{1,4}(?![\w.])", text)}


def _shape(text: str) -> str:
    return re.sub(r"\d+", "#", text.casefold()).strip()


def _join_continued_tables(pages: Sequence[list[Item]]) -> None:
    """Add the header rows of a table's first part, in place, to its continuation on the next page.

    The parts stay on their pages, so that each row is cited from its own page.
    """
    for before, page in pairwise(pages):
        if not before or not page:
            continue
        last, first = before[-1], page[0]
        if isinstance(last, DraftTable) and isinstance(first, DraftTable) and _goes_on(last, first):
            header = last.rows[: last.header_rows]
            page[0] = replace(first, rows=header + first.rows, header_rows=len(header), borrowed_rows=len(header))


def _goes_on(last: DraftTable, first: DraftTable) -> bool:
    """Return whether ``first``, at the top of a page, has the columns of ``last`` and no header row of its own."""
    same_width = len(last.rows[0]) == len(first.rows[0]) and last.ruled == first.ruled
    in_line = abs(last.box[0] - first.box[0]) < 6.0 and abs(last.box[2] - first.box[2]) < 12.0
    if not (same_width and in_line and last.header_rows):
        return False
    names, row = ([cell_text(cell) for cell in table.rows[0]] for table in (last, first))
    if names == row:
        return False
    # A bold header would be bold again; among plain rows only the columns decide.
    return not is_bold(first.rows[0]) if is_bold(last.rows[0]) or first.header_rows else True
