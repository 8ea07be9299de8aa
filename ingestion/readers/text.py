"""Text files: Markdown, comma- or tab-separated tables, and plain text."""

import csv
import io
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from contracts.errors import UnreadableFile
from contracts.text import Block, Page
from ingestion.limits import IngestionLimits
from ingestion.readers.encoding import decode_text
from ingestion.readers.grid import grid_block
from ingestion.readers.markdown import front_matter_title, markdown_blocks
from tools.ocr import OcrEngine

_MARKDOWN = frozenset((".md", ".markdown"))
_SEPARATED = {".csv": ",", ".tsv": "\t"}
_UNDERLINE = re.compile(r"^\s*([=\-~^*#])\1{2,}\s*$")
_NUMBERED = re.compile(r"^\s*(?P<number>\d{1,2}(?:\.\d{1,3})*)[.)]?\s+[A-Z]")
_ITEM = re.compile(r"^\s*(?:[-*+•·]|\(?\d{1,3}[.)]|\(?[a-z][.)])\s+\S")
_WIDE_GAP = re.compile(r"\s*\t\s*|\s{2,}|\s*\|\s*")


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read a text file as one page; form feeds part plain text into pages.

    Raises:
        UnreadableFile: the bytes are no text, or a table cannot be parsed.
    """
    text, warnings = decode_text(path)
    suffix = path.suffix.lower()
    if suffix in _MARKDOWN:
        yield Page(number=1, blocks=tuple(markdown_blocks(text)), warnings=warnings)
    elif suffix in _SEPARATED:
        yield Page(number=1, blocks=_separated(path, text, _SEPARATED[suffix], limits), warnings=warnings)
    else:
        for number, part in enumerate(text.split("\f"), start=1):
            yield Page(number=number, blocks=tuple(plain_blocks(part, number)), warnings=warnings)
            warnings = ()


def title(path: Path) -> str:
    """Return the title in a Markdown file's front matter, or ""."""
    return front_matter_title(decode_text(path)[0]) if path.suffix.lower() in _MARKDOWN else ""


def _separated(path: Path, text: str, separator: str, limits: IngestionLimits) -> tuple[Block, ...]:
    first = text.split("\n", 1)[0]
    if separator == "," and first.count(";") > first.count(","):
        separator = ";"
    try:
        rows = list(csv.reader(io.StringIO(text), delimiter=separator))
    except csv.Error as error:
        raise UnreadableFile(str(path), f"it is not a table of values separated by {separator!r} ({error})") from error
    if sum(map(len, rows)) > limits.cells:
        raise UnreadableFile(str(path), f"it has more than the {limits.cells:,} cells allowed; split it")
    block = grid_block(rows)
    return (block,) if block is not None else ()


def plain_blocks(text: str, page: int = 1) -> Iterator[Block]:
    """Read plain text: paragraphs between empty lines, underlined or numbered headings, lists, aligned columns."""
    groups = [group for group in re.split(r"\n[ \t]*\n", text.expandtabs(8)) if group.strip()]
    for index, group in enumerate(groups):
        lines = [line.rstrip() for line in group.split("\n") if line.strip()]
        last = index + 1 == len(groups)
        if len(lines) > 1 and _UNDERLINE.match(lines[1]) and not _UNDERLINE.match(lines[0]):
            level = 1 if lines[1].strip()[0] in "=#*" else 2
            yield Block(kind="heading", text=lines[0].strip(), page=page, level=level)
            lines = lines[2:]
        elif len(lines) == 1 and not last and _is_heading(lines[0], first=index == 0):
            number = _NUMBERED.match(lines[0])
            level = 2 + number.group("number").count(".") if number else (1 if index == 0 else 2)
            yield Block(kind="heading", text=lines[0].strip(), page=page, level=level)
            continue
        lines = [line for line in lines if not _UNDERLINE.match(line)]
        yield from _body(lines, page)


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
    rows = [_WIDE_GAP.split(line.strip().strip("|").strip()) for line in lines if not re.fullmatch(r"[\s|+:=-]+", line)]
    widths = {len(row) for row in rows}
    if len(rows) < 3 or len(widths) != 1 or widths == {1} or any(len(cell) > 80 for row in rows for cell in row):
        return None
    return grid_block(rows, page)
