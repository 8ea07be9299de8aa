"""The elements of a web page as blocks: headings, paragraphs, lists, tables, code, formulas, pictures."""

import re
import textwrap
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from bs4.element import NavigableString, PreformattedString, Tag

from contracts.text import Block, BlockKind
from ingestion.readers.grid import SpanningCell, grid_block, one_line, spread_cells
from ingestion.readers.html_lists import ListEntry, definitions, described_names, list_items
from ingestion.readers.html_normalisation import MOST_TERM_WORDS, normalise_markup
from ingestion.readers.html_text import (
    BLOCKS,
    CAPTION,
    LISTS,
    alternative_text,
    cells_of,
    heading_of,
    is_bold,
    tag_name,
    text_of,
)

_MAX_DEPTH = 200
_MAX_LIST_DEPTH = 30
_MAX_SPAN = 1_000
_NOTES = ("doc-footnote", "doc-endnote", "doc-biblioentry")

# A line of a configuration: "port: 80", "node {", "}".
_SETTING = re.compile(r"[\w.-]+\s?[:=]\s?\S+|.*[{}]")
# A heading in a page without heading elements: a number, and an anchor that links lead to.
_SECTION = re.compile(r"(?P<number>\d{1,2}(?:\.\d{1,3}){1,4})\.? (?=\D{0,3}[A-Z]).{2,80}(?<![.!?:;,])")
# Represents a line break of the page until the text around it is joined into one line.
# "• 2.7 When is oil added?": a bold question or number with a bullet, above its text, may be long.
_BULLETED_HEADING = re.compile(r"\d+(?:\.\d+)*[.)]? .{1,200}|.{1,200}\?")
_BREAK = "\u2028"

ReadPicture = Callable[[str], list[Block]]
"""Returns the blocks on the picture at an address; [] if it is not available or contains no text."""


def tree_blocks(root: Tag, page: int = 1, read_picture: ReadPicture | None = None) -> list[Block]:
    """Return the blocks below an element; hidden elements must have been removed."""
    return _Walk(page, read_picture).blocks(root)


class _Walk:
    """Collects the blocks of a page, and running text until an element ends it.

    In a list, the text becomes a line after ``_mark``; the text below an item's line, code included, is indented by two
    spaces for each list level (``_levels``).
    """

    def __init__(self, page: int, read_picture: ReadPicture | None) -> None:
        self._page = page
        self._read_picture = read_picture
        self._found: list[Block] = []
        self._running: list[str] = []
        self._lines: list[str] = []
        self._on_pictures: list[Block] = []
        self._mark = ""
        self._levels = 0

    def blocks(self, root: Tag) -> list[Block]:
        normalise_markup(root)
        self._visit(root, 0)
        self._flush()
        return self._found

    def _visit(self, element: Tag, depth: int) -> None:
        if depth > _MAX_DEPTH:
            self._running.append(element.get_text(" "))
            return
        for child in element.children:
            if isinstance(child, NavigableString):
                if not isinstance(child, PreformattedString):
                    self._running.append(str(child))
            elif isinstance(child, Tag):
                self._visit_tag(child, depth + 1)

    def _visit_tag(self, tag: Tag, depth: int) -> None:
        name = tag_name(tag)
        if name == "br":
            self._running.append(_BREAK)
        elif name == "img":
            self._picture(tag)
        elif name == "math":
            self._flush()
            # A passage never cuts code.
            self._add("code", tag.get_text().strip())
        elif name not in BLOCKS:
            self._visit(tag, depth)
        elif self._levels and name not in ("pre", "table", *LISTS):
            self._running.append(_BREAK)
            self._visit(tag, depth)
            self._running.append(_BREAK)
        else:
            self._flush()
            if re.fullmatch(r"h[1-6]", name):
                self._add("heading", heading_of(tag), level=int(name[1]))
            elif name == "summary" and (" " in text_of(tag) or tag.code) and not tag.find(re.compile("h[1-6]")):
                self._add("heading", text_of(tag), level=6)
            elif name == "p" and (number := _SECTION.fullmatch(text_of(tag))) and tag.find("a", attrs={"name": True}):
                self._add("heading", text_of(tag), level=min(number["number"].count(".") + 1, 6))
            elif name in ("p", "div", "ul") and _is_bold_heading(tag):
                self._add("heading", text_of(tag).removesuffix(":"), level=6)
            elif name == "pre":
                after_item = any(each.kind == "list" and each.text.endswith(":") for each in self._found[-1:])
                self._add("code", textwrap.indent(_code(tag), self._margin or "  " * after_item))
            elif name == "table":
                self._table(tag, depth)
            elif name in LISTS:
                self._list(tag, depth)
            elif tag.get("role") in _NOTES:
                self._add("notes", text_of(tag))
            elif name in ("figcaption", "caption"):
                self._add("caption", text_of(tag))
            elif name == "figure":
                self._figure(tag, depth)
            else:
                self._visit(tag, depth)
                self._flush()

    def _picture(self, tag: Tag) -> None:
        self._running.append(f" {alternative_text(tag)} ")
        read = self._words_on(tag)
        if self._levels:
            self._on_pictures += read
        elif read:
            self._flush()
            self._found += read

    def _words_on(self, tag: Tag) -> list[Block]:
        address = tag.get("src")
        return self._read_picture(address) if self._read_picture is not None and isinstance(address, str) else []

    def _figure(self, tag: Tag, depth: int) -> None:
        """Write a figure with its caption first, where tables expect it."""
        caption = tag.find("figcaption")
        if isinstance(caption, Tag) and tag.find("table") is not None:
            self._add("caption", text_of(caption.extract()))
        self._visit(tag, depth)
        self._flush()

    def _list(self, tag: Tag, depth: int) -> None:
        entries = list(definitions(tag) if tag_name(tag) == "dl" else list_items(tag))
        if any(entry.mark for entry in entries):
            self._write_items(entries, depth)
        else:
            # A list without items only indents its content.
            self._visit(tag, depth)
            self._flush()

    def _write_items(self, entries: Sequence[ListEntry], depth: int) -> None:
        """Write a list, one item per line; content nested in an item goes below its line."""
        mark, self._levels = self._margin, self._levels + 1
        for entry in entries:
            self._mark = mark + entry.mark if entry.mark else self._margin
            self._running.append(entry.term)
            for part in entry.parts:
                (self._visit if entry.mark else self._visit_tag)(part, depth + 1)
                self._running.append(_BREAK)
            self._flush()
        self._levels -= 1
        self._mark = mark
        if not self._levels:
            self._end_list()

    @property
    def _margin(self) -> str:
        return "  " * min(self._levels, _MAX_LIST_DEPTH)

    def _end_list(self) -> None:
        text, self._lines = "\n".join(self._lines), []
        if text:
            self._add("list", text)
        self._found += self._on_pictures
        self._on_pictures = []

    def _table(self, table: Tag, depth: int) -> None:
        rows = [row for row in table.find_all("tr") if row.find_parent("table") is table]
        cells = [cells_of(row) for row in rows]
        is_layout = table.find("table") is not None or any(map(_has_sections, table.find_all("td")))
        if is_layout or max(map(len, cells), default=0) < 2:
            # A table that is used for page layout only.
            for cell in (cell for row in cells for cell in row):
                self._visit(cell, depth)
                self._flush()
            return
        caption = table.find("caption")
        if isinstance(caption, Tag):
            self._add("caption", text_of(caption))
        headers = 0
        for row in rows:
            if row.find_parent("thead") is None and row.find("td") is not None:
                break
            headers += 1
        if not headers and (described := described_names(cells)):
            self._write_items(described, depth)
            return
        self._end_list()
        block = grid_block(
            spread_cells([list(map(_spanning, row)) for row in cells]), self._page, header_rows=headers or None
        )
        if block is not None:
            self._found.append(block)
        for picture in table.find_all("img") if self._read_picture is not None else ():
            self._found += self._words_on(picture)

    def _flush(self) -> None:
        lines = [line for each in "".join(self._running).split(_BREAK) if (line := " ".join(each.split()))]
        self._running = []
        if lines and self._levels:
            for line in _paragraphs_of(lines):
                self._lines.append(self._mark + line)
                self._mark = self._margin
        elif lines:
            self._add("paragraph", _broken(lines))

    def _add(self, kind: BlockKind, text: str, level: int = 0) -> None:
        if self._lines:
            self._end_list()
        if text.strip():
            self._found.append(Block(kind=kind, text=text, page=self._page, level=level))


def _has_sections(cell: Tag) -> bool:
    """Return whether a cell contains a heading with text below it."""
    heading = cell.find(["h1", "h2", "h3", "h4", "h5", "h6"])
    return isinstance(heading, Tag) and len(text_of(cell)) > len(text_of(heading))


def _spanning(cell: Tag) -> SpanningCell:
    text = one_line(text_of(cell))
    return SpanningCell(text, _span(cell, "colspan"), _span(cell, "rowspan"), names_all=cell.name == "th")


def _span(cell: Tag, name: str) -> int:
    value: Any = cell.get(name)
    return min(max(int(value), 1), _MAX_SPAN) if isinstance(value, str) and re.fullmatch(r"\s*\d{1,6}\s*", value) else 1


def _paragraphs_of(lines: Sequence[str]) -> list[str]:
    """Join the paragraphs of an item; a paragraph that ends without punctuation is a label and keeps its own line."""
    joined = [lines[0]]
    for line in lines[1:]:
        before = joined[-1][-1]
        goes_on = before in ":,-–—([/" or (before in ".!?;)" and line[-1] in ".!?:;)")
        if goes_on or line[0].islower() or not any(map(str.isalnum, line)):
            joined[-1] += " " + line
        else:
            joined.append(line)
    return joined


def _broken(lines: Sequence[str]) -> str:
    """Join lines, except after the end of a sentence, or before a line that begins something new."""
    text = lines[0]
    for before, line in pairwise(lines):
        is_prose = not _SETTING.fullmatch(before) and not _SETTING.fullmatch(line)
        goes_on = before[-1] == "," or (line[0].islower() and before[-1] not in ".!?:;" and is_prose)
        text += (" " if goes_on else "\n") + line
    return text


def _code(tag: Tag) -> str:
    for line_break in tag.find_all("br"):
        line_break.replace_with("\n")
    return tag.get_text().strip("\n")


def _is_bold_heading(tag: Tag) -> bool:
    """Return whether a bold paragraph, or the only item of a list, is a short heading for the text after it."""
    parts = tag.find_all(BLOCKS)
    if parts and (tag_name(tag) != "ul" or len(parts) > 1):
        return False
    text, following = text_of(tag), tag.find_next_sibling()
    is_short = 0 < len(text.split()) <= MOST_TERM_WORDS and len(text) > 1 and text[-1] not in ".,;!"
    is_listed = tag_name(tag) == "ul" and _BULLETED_HEADING.fullmatch(text)
    if not (is_short or is_listed) or not isinstance(following, Tag) or not is_bold(tag) or CAPTION.match(text):
        return False
    return tag_name(following) in (tag_name(tag), "p", "pre", "table", *LISTS) and not is_bold(following)
