"""Text files: plain text, and tables of values separated by commas or tabs."""

import csv
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TextIO

from contracts.errors import UnreadableFile
from contracts.text import Block, Page
from ingestion.limits import IngestionLimits
from ingestion.readers.encoding import cleaned, open_text
from ingestion.readers.grid import grid_block
from tools.ocr import OcrEngine

_SEPARATED = {".csv": ",", ".tsv": "\t"}
_UNDERLINE = re.compile(r"^\s*([=\-~^*#])\1{2,}\s*$")
_NUMBERED = re.compile(r"^\s*(?P<number>\d{1,2}(?:\.\d{1,3})*)[.)]?\s+[A-Z]")
_ITEM = re.compile(r"^\s*(?:[-*+•·]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+\S")
# Longer ones are no lines that a person wrote; they are taken in parts.
_MOST_LINE_CHARACTERS = 1_000_000
_MOST_PARAGRAPH_CHARACTERS = 1_000_000
_MOST_COLUMN_CHARACTERS = 1_000
_WIDE_GAP = re.compile(r"\s*\t\s*|\s{2,}|\s*\|\s*")


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read a text file as one page; form feeds part plain text into pages.

    Raises:
        UnreadableFile: the bytes are no text, or a table cannot be parsed.
    """
    suffix = path.suffix.lower()
    if suffix in _SEPARATED:
        with open_text(path) as (file, warnings):
            yield Page(number=1, blocks=_separated(path, file, _SEPARATED[suffix], limits), warnings=warnings)
    else:
        with open_text(path) as (file, warnings):
            for number, blocks in enumerate(_plain_pages(file), start=1):
                yield Page(number=number, blocks=tuple(blocks), warnings=warnings)
                warnings = ()


def _separated(path: Path, file: TextIO, separator: str, limits: IngestionLimits) -> tuple[Block, ...]:
    first = file.readline(_MOST_LINE_CHARACTERS + 1)
    if separator == "," and first.count(";") > first.count(","):
        separator = ";"
    rows: list[list[str]] = []
    cells = 0
    try:
        for row in csv.reader(_lines(path, first, file), delimiter=separator):
            cells += len(row)
            if cells > limits.cells:
                raise UnreadableFile(str(path), f"it has more than the {limits.cells:,} cells allowed; split it")
            rows.append(row)
    except csv.Error as error:
        raise UnreadableFile(str(path), f"it is not a table of values separated by {separator!r} ({error})") from error
    block = grid_block(rows)
    return (block,) if block is not None else ()


def _lines(path: Path, line: str, file: TextIO) -> Iterator[str]:
    """Yield the lines of a table, the first of which was read; a line without end is none of a table."""
    number = 1
    while line:
        if len(line) > _MOST_LINE_CHARACTERS:
            reason = f"line {number} has more than {_MOST_LINE_CHARACTERS:,} characters: it is no table of values"
            raise UnreadableFile(str(path), reason)
        yield cleaned(line)
        line = file.readline(_MOST_LINE_CHARACTERS + 1)
        number += 1


def _plain_pages(file: TextIO) -> Iterator[list[Block]]:
    """Read plain text piece by piece: no more than a paragraph of it is held beside its blocks."""
    number, blocks = 1, _PlainBlocks(1)
    while piece := file.readline(_MOST_LINE_CHARACTERS):
        first, *others = cleaned(piece).split("\f")
        blocks.add(first)
        for other in others:
            yield blocks.finish()
            number += 1
            blocks = _PlainBlocks(number)
            blocks.add(other)
    yield blocks.finish()


def plain_blocks(text: str, page: int = 1) -> list[Block]:
    """Read plain text: paragraphs between empty lines, underlined or numbered headings, lists, aligned columns."""
    blocks = _PlainBlocks(page)
    for line in text.split("\n"):
        blocks.add(line)
    return blocks.finish()


class _PlainBlocks:
    """The blocks of plain text, made as its lines come in."""

    def __init__(self, page: int) -> None:
        self._page = page
        self._blocks: list[Block] = []
        self._group: list[str] = []
        self._characters = 0
        # A line alone is a heading only where something follows it.
        self._waiting: str | None = None
        self._first = True

    def add(self, line: str) -> None:
        """Take the next line."""
        line = line.rstrip("\n").expandtabs(8).rstrip()
        if line:
            self._group.append(line)
            self._characters += len(line)
        if not line or self._characters > _MOST_PARAGRAPH_CHARACTERS:
            self._close()

    def finish(self) -> list[Block]:
        """Return the blocks."""
        self._close()
        if self._waiting is not None:
            self._blocks += _body([self._waiting], self._page)
        return self._blocks

    def _close(self) -> None:
        lines, self._group, self._characters = self._group, [], 0
        if not lines:
            return
        if self._waiting is not None:
            self._head(self._waiting)
            self._waiting = None
        if len(lines) > 1 and _UNDERLINE.match(lines[1]) and not _UNDERLINE.match(lines[0]):
            level = 1 if lines[1].strip()[0] in "=#*" else 2
            self._blocks.append(Block(kind="heading", text=lines[0].strip(), page=self._page, level=level))
            lines = lines[2:]
        elif len(lines) == 1 and _is_heading(lines[0], first=self._first):
            self._waiting = lines[0]
            return
        self._first = False
        self._blocks += _body([line for line in lines if not _UNDERLINE.match(line)], self._page)

    def _head(self, line: str) -> None:
        number = _NUMBERED.match(line)
        level = 2 + number.group("number").count(".") if number else (1 if self._first else 2)
        self._first = False
        self._blocks.append(Block(kind="heading", text=line.strip(), page=self._page, level=level))


def _is_heading(line: str, *, first: bool) -> bool:
    text = line.strip()
    if len(text) > 80 or len(text.split()) > 10 or text[-1] in ".,;:!?" or _WIDE_GAP.search(text):
        return False
    if _ITEM.match(line) and not _NUMBERED.match(line):
        return False
    letters = [character for character in text if character.isalpha()]
    return len(letters) > 2 and (first or all(each.isupper() for each in letters) or bool(_NUMBERED.match(line)))


def _body(lines: list[str], page: int) -> Iterator[Block]:
    if not lines:
        return
    table = _aligned_table(lines, page)
    if table is not None:
        yield table
        return
    listed = next((index for index, line in enumerate(lines) if _ITEM.match(line)), None)
    if listed is not None and sum(1 for line in lines if _ITEM.match(line)) > 1:
        if listed:
            yield Block(kind="paragraph", text=_joined(lines[:listed]), page=page)
        items: list[str] = []
        for line in lines[listed:]:
            if _ITEM.match(line) or not items:
                items.append(line)
            else:
                items[-1] += " " + line.strip()
        yield Block(kind="list", text="\n".join(items), page=page)
    else:
        yield Block(kind="paragraph", text=_joined(lines), page=page)


def _joined(lines: list[str]) -> str:
    """Join wrapped lines; lines that were ended on purpose (addresses, settings) stay apart."""
    longest = max(map(len, lines))
    wrapped = longest >= 45 and all(len(line) >= 0.6 * longest for line in lines[:-1])
    text = lines[0].strip()
    for before, line in pairwise(lines):
        goes_on = wrapped and not (before.rstrip()[-1:] in ".!?:" and line.strip()[0].isupper())
        text += (" " if goes_on else "\n") + line.strip()
    return text


def _aligned_table(lines: list[str], page: int) -> Block | None:
    if max(map(len, lines)) > _MOST_COLUMN_CHARACTERS:
        return None
    rows = [_WIDE_GAP.split(line.strip().strip("|").strip()) for line in lines if not re.fullmatch(r"[\s|+:=-]+", line)]
    widths = {len(row) for row in rows}
    if len(rows) < 3 or len(widths) != 1 or widths == {1} or any(len(cell) > 80 for row in rows for cell in row):
        return None
    return grid_block(rows, page)
