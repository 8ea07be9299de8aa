"""Name the few kinds of text block that the generated documents are made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Heading:
    """Hold a heading; level 1 is a chapter, level 2 a section."""

    text: str
    level: int = 1


@dataclass(frozen=True)
class Paragraph:
    """Hold one paragraph of running text."""

    text: str


@dataclass(frozen=True)
class Bullets:
    """Hold a list of short items."""

    items: tuple[str, ...]


@dataclass(frozen=True)
class Table:
    """Hold a ruled table; the first row is the header, widths are shares of the text width."""

    rows: tuple[tuple[str, ...], ...]
    widths: tuple[float, ...]
    caption: str = ""


Block = Heading | Paragraph | Bullets | Table
Page = tuple[Block, ...]


@dataclass(frozen=True)
class Slide:
    """Hold one slide: its title, its bullets, an optional table and the speaker's notes."""

    title: str
    bullets: tuple[str, ...] = ()
    table: tuple[tuple[str, ...], ...] = ()
    notes: str = ""


Cell = str | int | float | None


@dataclass(frozen=True)
class Sheet:
    """Hold one worksheet; the first row is the header."""

    title: str
    rows: tuple[tuple[Cell, ...], ...]
