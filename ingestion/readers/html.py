"""HTML pages: headings, paragraphs, lists, tables and code, without what surrounds the text."""

import re
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import bs4
from bs4 import BeautifulSoup
from bs4.element import NavigableString, Tag

from contracts.errors import UnreadableFile
from contracts.text import Block, BlockKind, Page
from ingestion.limits import IngestionLimits
from ingestion.readers.encoding import decode_text
from ingestion.readers.grid import grid_block
from tools.ocr import OcrEngine

_DROPPED = [
    "script", "style", "noscript", "template", "svg", "iframe", "object", "nav", "form", "button", "select", "head",
]  # fmt: skip
_BLOCKS = frozenset(
    """address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer h1 h2
    h3 h4 h5 h6 header hr html li main ol p pre section summary table ul caption""".split()  # noqa: SIM905
)
_MAX_DEPTH = 200


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read a web page as one page.

    Raises:
        UnreadableFile: the file is no text, or nested deeper than any page is.
    """
    soup, notes = _parse(path)
    for tag in soup.find_all(_DROPPED):
        tag.decompose()
    for comment in soup.find_all(string=lambda text: isinstance(text, bs4.element.PreformattedString)):
        comment.extract()
    for tag in soup.select("[hidden], [aria-hidden=true]"):
        if not tag.decomposed:
            tag.decompose()
    try:
        blocks = tuple(_Walk().blocks(_main_part(soup)))
    except RecursionError as error:
        raise UnreadableFile(str(path), "its elements are nested too deeply") from error
    yield Page(number=1, blocks=blocks, warnings=notes)


def title(path: Path) -> str:
    """Return the page's title element, or ""."""
    soup, _ = _parse(path)
    return " ".join(soup.title.get_text().split()) if soup.title else ""


def _parse(path: Path) -> tuple[BeautifulSoup, tuple[str, ...]]:
    raw = path.read_bytes()
    declared = re.search(rb"<meta[^>]{0,200}charset\s*=\s*[\"']?\s*([\w-]+)", raw[:4_096], re.IGNORECASE)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if declared and declared.group(1).lower() not in (b"utf-8", b"utf8"):
            return BeautifulSoup(raw, "lxml"), ()
        text, notes = decode_text(path)
        return BeautifulSoup(text, "lxml"), notes


def _main_part(soup: BeautifulSoup) -> Tag:
    body = soup.body or soup
    main = soup.find("main") or soup.select_one("[role=main]") or soup.find("article")
    if isinstance(main, Tag) and len(main.get_text()) > 0.5 * len(body.get_text()):
        return main
    return body


class _Walk:
    """One walk through a page, which gathers running text until an element ends it."""

    def __init__(self) -> None:
        self._found: list[Block] = []
        self._running: list[str] = []

    def blocks(self, root: Tag) -> list[Block]:
        """Return the blocks below ``root``."""
        self._visit(root, 0)
        self._flush()
        return self._found

    def _visit(self, element: Tag, depth: int) -> None:
        if depth > _MAX_DEPTH:
            self._running.append(element.get_text(" "))
            return
        for child in element.children:
            if isinstance(child, NavigableString):
                self._running.append(str(child))
            elif isinstance(child, Tag):
                self._visit_tag(child, depth + 1)

    def _visit_tag(self, tag: Tag, depth: int) -> None:
        name = tag.name
        if name == "br":
            self._running.append(" ")
        elif name == "img":
            self._running.append(f" {tag.get('alt') or ''} ")
        elif name not in _BLOCKS:
            self._visit(tag, depth)
        else:
            self._flush()
            if re.fullmatch(r"h[1-6]", name):
                self._add("heading", _text(tag), level=int(name[1]))
            elif name == "pre":
                self._add("code", tag.get_text().strip("\n"))
            elif name == "table":
                self._table(tag, depth)
            elif name in ("ul", "ol"):
                self._add("list", "\n".join(_items(tag, 0)))
            elif name == "dl":
                self._add("list", "\n".join(_definitions(tag)))
            elif name in ("figcaption", "caption"):
                self._add("caption", _text(tag))
            else:
                self._visit(tag, depth)
                self._flush()

    def _table(self, table: Tag, depth: int) -> None:
        rows = [row for row in table.find_all("tr") if row.find_parent("table") is table]
        if table.find("table") is not None or max((len(_cells(row)) for row in rows), default=0) < 2:
            # A table that only lays out the page.
            for row in rows:
                for cell in _cells(row):
                    self._visit(cell, depth)
                    self._flush()
            return
        if table.caption is not None:
            self._add("caption", _text(table.caption))
        headers = 0
        for row in rows:
            if row.find_parent("thead") is None and row.find("td") is not None:
                break
            headers += 1
        block = grid_block(_grid(rows), header_rows=headers or None)
        if block is not None:
            self._found.append(block)

    def _flush(self) -> None:
        text = " ".join("".join(self._running).split())
        self._running = []
        if text:
            self._add("paragraph", text)

    def _add(self, kind: BlockKind, text: str, level: int = 0) -> None:
        if text.strip():
            self._found.append(Block(kind=kind, text=text, level=level))


def _cells(row: Tag) -> list[Tag]:
    return [cell for cell in row.find_all(["td", "th"]) if cell.find_parent("tr") is row]


def _grid(rows: list[Tag]) -> list[list[str]]:
    """Return the cells of rows, each text repeated in the rows that its cell spans."""
    grid: list[list[str]] = []
    held: dict[int, tuple[int, str]] = {}
    for row in rows:
        line: list[str] = []
        cells = _cells(row)
        while cells or len(line) in held:
            if len(line) in held:
                left, text = held.pop(len(line))
                if left > 1:
                    held[len(line)] = (left - 1, text)
                line.append(text)
                continue
            cell = cells.pop(0)
            text = _text(cell)
            for index in range(_span(cell, "colspan")):
                if _span(cell, "rowspan") > 1:
                    held[len(line)] = (_span(cell, "rowspan") - 1, text if index == 0 and len(text) <= 60 else "")
                line.append(text if index == 0 or cell.name == "th" else "")
        grid.append(line)
    return grid


def _span(cell: Tag, name: str) -> int:
    value: Any = cell.get(name)
    return min(max(int(value), 1), 1_000) if isinstance(value, str) and value.strip().isdigit() else 1


def _items(items: Tag, depth: int) -> Iterator[str]:
    for number, item in enumerate(items.find_all("li", recursive=False), start=1):
        nested = item.find_all(["ul", "ol"])
        for each in nested:
            if each.find_parent("li") is item:
                each.extract()
        text = _text(item)
        mark = f"{number}. " if items.name == "ol" else "- "
        if text:
            yield "  " * depth + mark + text
        for each in nested:
            if each.parent is None:
                yield from _items(each, depth + 1)


def _definitions(definitions: Tag) -> Iterator[str]:
    term = ""
    for each in definitions.find_all(["dt", "dd"]):
        if each.name == "dt":
            if term:
                yield term
            term = _text(each)
        else:
            yield f"{term}: {_text(each)}" if term else _text(each)
            term = ""
    if term:
        yield term


def _text(tag: Tag) -> str:
    parts = []
    for each in tag.descendants:
        if isinstance(each, NavigableString):
            parts.append(str(each))
        elif isinstance(each, Tag) and (each.name in _BLOCKS or each.name in ("br", "td", "th")):
            parts.append(" ")
        elif isinstance(each, Tag) and each.name == "img":
            parts.append(str(each.get("alt") or ""))
    return " ".join("".join(parts).split())
