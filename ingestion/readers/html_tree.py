"""The elements of a web page as blocks: headings, paragraphs, lists, tables, code, formulas, pictures."""

import re
from collections.abc import Callable, Iterator
from typing import Any

from bs4.element import NavigableString, PreformattedString, Tag

from contracts.text import Block, BlockKind
from ingestion.readers.formulas import formula_text
from ingestion.readers.grid import SpanningCell, grid_block, one_line, spread_cells

_BLOCKS = frozenset(
    """address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer h1 h2
    h3 h4 h5 h6 header hr html li main ol p pre section summary table ul caption""".split()  # noqa: SIM905
)
_MAX_DEPTH = 200
_MAX_LIST_DEPTH = 30
_MAX_SPAN = 1_000
_NOTES = ("doc-footnote", "doc-endnote", "doc-biblioentry")

ReadPicture = Callable[[str], list[Block]]
"""From the address of a picture to the blocks on it; [] where it is not at hand or holds no text."""


def tree_blocks(root: Tag, page: int = 1, read_picture: ReadPicture | None = None) -> list[Block]:
    """Return the blocks below an element; what is not shown must have been dropped before."""
    return _Walk(page, read_picture).blocks(root)


class _Walk:
    """One walk through a page, which gathers running text until an element ends it."""

    def __init__(self, page: int, read_picture: ReadPicture | None) -> None:
        self._page = page
        self._read_picture = read_picture
        self._found: list[Block] = []
        self._running: list[str] = []

    def blocks(self, root: Tag) -> list[Block]:
        """Return the blocks below ``root``."""
        _write_formulas(root)
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
        name = _name(tag)
        if name == "br":
            self._running.append(" ")
        elif name == "img":
            self._picture(tag)
        elif name == "math":
            self._flush()
            # Code is what a passage never cuts.
            self._add("code", tag.get_text().strip())
        elif name not in _BLOCKS:
            self._visit(tag, depth)
        else:
            self._flush()
            if re.fullmatch(r"h[1-6]", name):
                self._add("heading", text_of(tag), level=int(name[1]))
            elif name == "pre":
                self._add("code", _code(tag))
            elif name == "table":
                self._table(tag, depth)
            elif name in ("ul", "ol", "dl"):
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
        self._running.append(f" {tag.get('alt') or ''} ")
        read = self._words_on(tag)
        if read:
            self._flush()
            self._found += read

    def _words_on(self, tag: Tag) -> list[Block]:
        address = tag.get("src")
        return self._read_picture(address) if self._read_picture is not None and isinstance(address, str) else []

    def _figure(self, tag: Tag, depth: int) -> None:
        """Write a figure with its caption first, where tables look for it."""
        caption = tag.find("figcaption")
        if isinstance(caption, Tag) and tag.find("table") is not None:
            self._add("caption", text_of(caption.extract()))
        self._visit(tag, depth)
        self._flush()

    def _list(self, tag: Tag, depth: int) -> None:
        """Write a list; code and tables in its items stand as blocks of their own, and so do lists in definitions."""
        parted = ["pre", "table", *(["ul", "ol", "dl"] if _name(tag) == "dl" else [])]
        inside = {id(each): each for each in tag.find_all(parted) if each.find_parent("dt") is None}
        outermost = [each for each in inside.values() if id(each.find_parent(parted)) not in inside]
        marks = {f"\0{number}\0": part for number, part in enumerate(outermost)}
        for mark, part in marks.items():
            part.replace_with(mark)
        pictures = tag.find_all("img") if self._read_picture is not None else []
        text = "\n".join(_definitions(tag) if _name(tag) == "dl" else _items(tag, 0))
        for piece in re.split(" ?(\0\\d+\0) ?", text):
            if piece in marks:
                self._visit_tag(marks[piece], depth)
            else:
                self._add("list", piece.strip("\n").rstrip())
        for picture in pictures:
            self._found += self._words_on(picture)

    def _table(self, table: Tag, depth: int) -> None:
        rows = [row for row in table.find_all("tr") if row.find_parent("table") is table]
        cells = [cells_of(row) for row in rows]
        if table.find("table") is not None or max(map(len, cells), default=0) < 2:
            # A table that only lays out the page.
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
        block = grid_block(
            spread_cells([list(map(_spanning, row)) for row in cells]), self._page, header_rows=headers or None
        )
        if block is not None:
            self._found.append(block)
        for picture in table.find_all("img") if self._read_picture is not None else ():
            self._found += self._words_on(picture)

    def _flush(self) -> None:
        text = " ".join("".join(self._running).split())
        self._running = []
        if text:
            self._add("paragraph", text)

    def _add(self, kind: BlockKind, text: str, level: int = 0) -> None:
        if text.strip():
            self._found.append(Block(kind=kind, text=text, page=self._page, level=level))


def _name(tag: Tag) -> str:
    return str(tag.name).rpartition(":")[2].lower()


def cells_of(row: Tag) -> list[Tag]:
    """Return the cells of a table row, not those of a table inside of one."""
    return [cell for cell in row.find_all(["td", "th"]) if cell.find_parent("tr") is row]


def _spanning(cell: Tag) -> SpanningCell:
    text = one_line(text_of(cell))
    return SpanningCell(text, _span(cell, "colspan"), _span(cell, "rowspan"), names_all=cell.name == "th")


def _span(cell: Tag, name: str) -> int:
    value: Any = cell.get(name)
    return min(max(int(value), 1), _MAX_SPAN) if isinstance(value, str) and re.fullmatch(r"\s*\d{1,6}\s*", value) else 1


def _items(items: Tag, depth: int) -> Iterator[str]:
    number = _start(items)
    for item in items.find_all("li", recursive=False):
        nested = [each for each in item.find_all(["ul", "ol"]) if each.find_parent("li") is item]
        if depth < _MAX_LIST_DEPTH:
            for each in nested:
                each.extract()
        text = text_of(item)
        mark = f"{number}. " if items.name == "ol" else "- "
        number += 1
        if text:
            yield "  " * depth + mark + text
        if depth < _MAX_LIST_DEPTH:
            for each in nested:
                yield from _items(each, depth + 1)


def _start(items: Tag) -> int:
    value = items.get("start")
    return int(value) if isinstance(value, str) and re.fullmatch(r"\d{1,6}", value) else 1


def _definitions(definitions: Tag) -> Iterator[str]:
    term = ""
    for each in definitions.find_all(["dt", "dd"]):
        if each.name == "dt":
            if term:
                yield term
            term = text_of(each).removesuffix(":")
        else:
            yield f"{term}: {text_of(each)}" if term else text_of(each)
            term = ""
    if term:
        yield term


def _code(tag: Tag) -> str:
    for line_break in tag.find_all("br"):
        line_break.replace_with("\n")
    return tag.get_text().strip("\n")


def text_of(tag: Tag) -> str:
    """Return an element's text on one line; pictures give their alternative text."""
    parts: list[str] = []
    for each in tag.descendants:
        if isinstance(each, NavigableString):
            parts.append("" if isinstance(each, PreformattedString) else str(each))
        elif isinstance(each, Tag):
            if each.name in _BLOCKS or each.name in ("br", "td", "th"):
                parts.append(" ")
            elif each.name == "img":
                parts.append(str(each.get("alt") or ""))
    return " ".join("".join(parts).split())


def _write_formulas(root: Tag) -> None:
    """Put the linear form of each formula in its place; one that is shown apart stays an element."""
    for formula in root.find_all(lambda tag: _name(tag) == "math"):
        if not formula.decomposed:
            text = f" {formula_text(formula)} "
            if formula.get("display") == "block":
                formula.string = text
            else:
                formula.replace_with(text)
