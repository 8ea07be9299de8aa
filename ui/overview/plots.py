"""Plots made of plain elements: columns that stand side by side, bars below one another, and the same as a table."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ui.html import Safe, element, link

_TICKS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a column or bar: how much, and its ``kind``, which is its colour (the name of a class)."""

    value: float
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A column. ``said`` is what it says when it is pointed at; ``path`` is where it leads, "" for nowhere."""

    pieces: tuple[Piece, ...]
    said: str
    path: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A bar with its name and its value in words; ``path`` is where its name leads, "" for nowhere."""

    name: str
    value: str
    pieces: tuple[Piece, ...]
    path: str = ""


def columns(shown: Sequence[Column], ticks: Sequence[tuple[float, str]], labels: Sequence[str], *,
            stacked: bool = True) -> Safe:  # fmt: skip
    """Draw columns up to the last of ``ticks`` (value, text), over the ``labels`` of the first to the last of them.

    The pieces of a column stand upon one another, or, not ``stacked``, each upon the ground, the first behind.
    Nobody hears it: a table says the same.
    """
    top = ticks[-1][0] if ticks else 1.0
    lines = [
        element("span", element("span", text, class_="tick-text"), class_="tick", style=f"top:{100 - _share(at, top)}%")
        for at, text in ticks
    ]
    stands = "stack" if stacked else "overlay"
    drawn = [_column(each, top) for each in shown]
    below = element("div", *(element("span", text) for text in labels), class_="x-labels")
    field = element("div", *lines, element("div", *drawn, class_=f"columns {stands}"), class_="field")
    return element("div", field, below, class_="plot", aria_hidden="true")


def bars(shown: Sequence[Bar]) -> Safe:
    """Draw bars, the longest as wide as there is room, each with its name and value as text."""
    top = max((sum(piece.value for piece in each.pieces) for each in shown), default=0.0)
    rows = [
        element(
            "li",
            element("span", link(each.name, each.path) if each.path else each.name, class_="bar-name"),
            element(
                "span", *(_piece(piece, top, "width") for piece in each.pieces), class_="track", aria_hidden="true"
            ),
            element("span", each.value, class_="bar-value"),
        )
        for each in shown
    ]
    return element("ol", *rows, class_="bars")


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, summary: str) -> Safe:
    """Return a plot's values as a folded table; the first cell of a row names it and may be a link."""
    top = element("tr", *(element("th", text, scope="col") for text in head))
    body = [
        element("tr", element("th", row[0], scope="row"), *(element("td", cell) for cell in row[1:])) for row in rows
    ]
    whole = element("table", element("caption", title, class_="sr"), element("thead", top), element("tbody", *body))
    scroll = element("div", whole, class_="table-scroll", tabindex=0, role="group", aria_label=title)
    return element("details", element("summary", summary, element("span", f": {title}", class_="sr")), scroll,
                   class_="as-table")  # fmt: skip


def ticks_of(most: float, *, whole: bool = False) -> tuple[float, ...]:
    """Return where the lines of a scale from 0 to at least ``most`` stand: at most five, at 1, 2 or 5 times 10^n.

    ``whole``: at whole numbers only.
    """
    least = 1.0 if whole else 1e-9
    rough = max(most / _TICKS, least)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(each * power for each in (1, 2, 5, 10) if each * power >= rough * (1 - 1e-9))
    return tuple(round(at * step, 12) for at in range(max(1, math.ceil(most / step - 1e-9)) + 1))


def _column(column: Column, top: float) -> Safe:
    pieces = [_piece(piece, top, "height") for piece in column.pieces if piece.value > 0]
    whole = element("span", *pieces, class_="column-pieces")
    if not column.path:
        return element("span", whole, class_="column", title=column.said)
    # Who uses the keyboard finds the same links in the table.
    return link(whole, column.path, class_="column", title=column.said, tabindex=-1)


def _piece(piece: Piece, top: float, side: str) -> Safe:
    return element("span", class_=f"piece {piece.kind}", style=f"{side}:{_share(piece.value, top)}%")


def _share(value: float, top: float) -> float:
    return round(100 * min(max(value / top, 0.0), 1.0), 2) if top > 0 else 0.0
