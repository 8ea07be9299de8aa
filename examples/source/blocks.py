"""Read the text of the generated documents: Markdown, its pages parted by rules."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode

_WIDTHS = re.compile(r"\[widths ([\d. ]+)\] ?(.*)")


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is a chapter, level 2 a section."""

    text: str
    level: int = 1


@dataclass(frozen=True)
class Paragraph:
    """One paragraph of running text."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """A list of short items."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """A ruled table; the first row is the header, widths are shares of the text width."""

    rows: tuple[tuple[str, ...], ...]
    widths: tuple[float, ...] = ()
    caption: str = ""


@dataclass(frozen=True)
class Notes:
    """The speaker notes of a slide."""

    text: str


Block = Heading | Paragraph | Bullets | Table | Notes
Page = tuple[Block, ...]


def read_pages(name: str) -> tuple[Page, ...]:
    """Read a file of this folder. A line such as `[widths 1 2.5] Table 1: signals` belongs to the table below it."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    pages: list[list[Block]] = [[]]
    widths: tuple[float, ...] = ()
    caption = ""
    for node in SyntaxTreeNode(MarkdownIt("commonmark").enable("table").parse(text)).children:
        found = _WIDTHS.fullmatch(_text(node))
        if found:
            widths, caption = tuple(float(each) for each in found[1].split()), found[2]
        elif node.type == "hr":
            pages.append([])
        elif node.type == "table":
            rows = tuple(tuple(_text(cell) for cell in row.children) for part in node.children for row in part.children)
            pages[-1].append(Table(rows, widths, caption))
            widths, caption = (), ""
        elif node.type == "heading":
            pages[-1].append(Heading(_text(node), int(node.tag[1])))
        elif node.type == "bullet_list":
            pages[-1].append(Bullets(tuple(_text(item) for item in node.children)))
        else:
            pages[-1].append(Notes(_text(node)) if node.type == "blockquote" else Paragraph(_text(node)))
    return tuple(tuple(page) for page in pages)


def _text(node: SyntaxTreeNode) -> str:
    """Return the text as it is written, on one line: its marks mean nothing here."""
    inline = next((each for each in node.walk() if each.type == "inline"), None)
    return " ".join(inline.content.split("\n")) if inline is not None else ""
