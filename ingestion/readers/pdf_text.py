"""The text layer of a PDF page: its words with their positions, and its ruled tables."""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pdfplumber.page import Page as PlumberPage
from pdfplumber.table import merge_edges
from pdfplumber.utils.geometry import filter_edges
from pdfplumber.utils.text import extract_words

from ingestion.layout.rules import Rule, missing_borders, rows_between_rules, tables_between_rules
from ingestion.layout.tables import DraftTable, are_areas, make_table
from ingestion.layout.words import LayoutWord, Rectangle, is_inside

# Also the names of TeX's fonts: Computer Modern, CM-Super, and URW's "-Medi".
_BOLD = re.compile(
    r"bold|black|heavy|semibd|demi|[-,]bd|\.b$|-medi(?:ital)?$|"
    r"(?:^|\+)(?:cm(?:b\d|bx|ssbx|ssdc)|sf(?:bx|bl|bi|xc|rb|sx|so)\d)",
    re.IGNORECASE,
)
_MONO = re.compile(
    r"mono|courier|consol|typewriter|menlo|fixed|code|(?:^|\+)(?:cm\w*tt|sf(?:tt|st|it|tc)\d)", re.IGNORECASE
)
_LIGATURES = {code: unicodedata.normalize("NFKC", chr(code)) for code in range(0xFB00, 0xFB07)}
_CLEAN = str.maketrans({**_LIGATURES, 0xA0: " ", 0x00: None, 0x200B: None, 0xFEFF: None})
# An isolated glyph without a character is a bullet far more often than anything else.
_UNMAPPED = re.compile(r"^(?:\(cid:\d+\)|[\ue000-\uf8ff\x7f\x95])$")
# At the end of a line it marks a broken word; elsewhere it is meaningless.
_SOFT_HYPHEN = re.compile("\u00ad(?!$)")
_RULE_PT = 3.0
_MOST_RULES = 1_000
# A grid of a header and one row, or of one row, may have no rules between its rows.
_FEWEST_RULED_ROWS = 2
# How far apart the ends of one line may be; pdfplumber uses the same distance to join tables.
_SNAP_PT = 3.0
# Relative to the font size: how large a drawn bullet is, and how far from its text.
_BULLET_SIZES = (0.2, 0.65)
_BULLET_GAP = 2.5
_MOST_BULLETS = 200
# A longer text in a cell that spans several rows or columns is not repeated.
_REPEATED_WORDS = 6


@dataclass(frozen=True, slots=True)
class TextLayer:
    """The content of a page's text layer; ``sideways`` contains rotated words among upright ones."""

    words: tuple[LayoutWord, ...]
    sideways: tuple[LayoutWord, ...]
    tables: tuple[DraftTable, ...]
    height_pt: float


def read_text_layer(page: PlumberPage) -> TextLayer:
    """Read words and ruled tables of a page; the words of a table are only in the table."""
    upright, upward, downward = _by_direction(page.chars)
    for turned, up in ((upward, True), (downward, False)):
        if len(turned) > len(upright):
            words = _turned_words(turned, page, up=up, lay=True)
            return TextLayer(tuple(words), tuple(_words(upright)), (), float(page.width))
    words = _words(upright)
    words += _drawn_bullets(page, words)
    sideways = _turned_words(upward, page, up=True) + _turned_words(downward, page, up=False)
    tables, words, sideways = _ruled_tables(page, words, sideways)
    return TextLayer(tuple(words), tuple(sideways), tuple(tables), float(page.height))


def _by_direction(chars: Sequence[dict[str, Any]]) -> tuple[list[Any], list[Any], list[Any]]:
    upright: list[Any] = []
    upward: list[Any] = []
    downward: list[Any] = []
    places = set()
    for char in chars:
        a, b = char["matrix"][:2]
        place = (char["text"], round(char["x0"]), round(char["top"]), round(char["x1"]))
        if place in places and not char["text"].isspace():
            # Printed twice to look bolder.
            continue
        places.add(place)
        if abs(b) < 0.2 * abs(a) or (a == b == 0):
            upright.append(char)
        elif abs(a) < 0.2 * abs(b):
            (upward if b > 0 else downward).append(char)
        # Slanted letters are watermarks, and left out.
    return upright, upward, downward


def _words(chars: Sequence[dict[str, Any]]) -> list[LayoutWord]:
    found = extract_words(
        list(chars), x_tolerance_ratio=0.15, y_tolerance=2, extra_attrs=["fontname", "size"], expand_ligatures=True
    )
    words = []
    for word in found:
        text = _SOFT_HYPHEN.sub("", _UNMAPPED.sub("•", str(word["text"]).translate(_CLEAN).strip()))
        if text:
            box = _box(word)
            font, size = str(word["fontname"]), round(float(word["size"]), 1)
            bold, mono = bool(_BOLD.search(font)), bool(_MONO.search(font))
            words.append(LayoutWord(text, *box, box=box, size=size, bold=bold, mono=mono))
    return words


def _drawn_bullets(page: PlumberPage, words: Sequence[LayoutWord]) -> list[LayoutWord]:
    """Return drawn bullets, as browsers print them: small discs, rings and squares before a line."""
    shapes = [_box(shape) for shape in (*page.curves, *page.rects)]
    sized = [(box, box[2] - box[0], box[3] - box[1]) for box in shapes]
    small = [box for box, width, height in sized if 1.0 <= height <= 12.0 and abs(width - height) <= 0.15 * height]
    if len(small) > _MOST_BULLETS:
        # The markers of a plot.
        return []
    bullets = []
    for box in small:
        x0, top, x1, bottom = box
        height = bottom - top
        middle = (top + bottom) / 2
        beside = [word for word in words if word.top < middle < word.bottom]
        following = min((word for word in beside if word.x0 >= x1), key=lambda word: word.x0, default=None)
        if following is None:
            continue
        size = following.size
        if (
            _BULLET_SIZES[0] * size <= height <= _BULLET_SIZES[1] * size
            and following.x0 - x1 <= _BULLET_GAP * size
            and abs(middle - (following.top + following.bottom) / 2) <= 0.25 * size
            and not any(x0 - _BULLET_GAP * size < word.x1 and word.x0 < x1 for word in beside)
        ):
            place = (x0, following.top, x1, following.bottom)
            bullets.append(LayoutWord("•", *place, box=box, size=size, bold=False, mono=False))
    return bullets


def _turned_words(
    chars: Sequence[dict[str, Any]], page: PlumberPage, *, up: bool, lay: bool = False
) -> list[LayoutWord]:
    """Read letters that are rotated by 90 degrees; ``lay`` makes their lines upright for the layout."""
    width, height = float(page.width), float(page.height)
    laid = []
    for char in chars:
        if up:
            x0, x1, top, bottom = height - char["bottom"], height - char["top"], char["x0"], char["x1"]
        else:
            x0, x1, top, bottom = char["top"], char["bottom"], width - char["x1"], width - char["x0"]
        laid.append({**char, "x0": x0, "x1": x1, "top": top, "bottom": bottom, "doctop": top, "upright": True})
    words = []
    for word in _words(laid):
        if up:
            box = (word.top, height - word.x1, word.bottom, height - word.x0)
        else:
            box = (width - word.bottom, word.x0, width - word.top, word.x1)
        place = word.place if lay else box
        words.append(LayoutWord(word.text, *place, box=box, size=word.size, bold=word.bold, mono=word.mono))
    return words


def _ruled_tables(
    page: PlumberPage, words: list[LayoutWord], sideways: list[LayoutWord]
) -> tuple[list[DraftTable], list[LayoutWord], list[LayoutWord]]:
    if len(page.rects) + len(page.lines) + len(page.curves) < 3:
        return [], words, sideways
    drawn = _without_shading(page)
    rules = _rules(drawn)
    borders = [
        {**asdict(rule), "object_type": "line", "width": rule.x1 - rule.x0, "height": rule.bottom - rule.top}
        for rule in missing_borders(rules)
    ]
    tables = []
    settings = {"explicit_vertical_lines": borders, "explicit_horizontal_lines": borders}
    for found in drawn.find_tables(settings):
        inside = [word for word in words + sideways if is_inside(word.place, found.bbox)]
        table = _table_of(found, inside)
        if table is not None:
            tables.append(table)
            words, sideways = _outside(table, words), _outside(table, sideways)
    for table in tables_between_rules(rules, words):
        tables.append(table)
        words = _outside(table, words)
    return tables, words, sideways


def _outside(table: DraftTable, words: list[LayoutWord]) -> list[LayoutWord]:
    taken = {id(word) for row in table.rows for cell in row for word in cell}
    return [word for word in words if id(word) not in taken]


def _rules(drawn: Any) -> list[Rule]:
    """Return the straight lines of a page, with continuations merged; none for a map or plot."""
    level_or_upright = filter_edges(drawn.edges, "h") + filter_edges(drawn.edges, "v")
    edges = merge_edges(level_or_upright, _SNAP_PT, _SNAP_PT, _SNAP_PT, _SNAP_PT)
    return [Rule(*_box(each)) for each in edges] if len(edges) <= _MOST_RULES else []


def _box(drawn: dict[str, Any]) -> Rectangle:
    return (float(drawn["x0"]), float(drawn["top"]), float(drawn["x1"]), float(drawn["bottom"]))


def _without_shading(page: PlumberPage) -> Any:
    """Drop the edges of shaded areas if thin rules draw the grid: shaded areas end at text lines, not at cells."""
    thin = sum(1 for rect in page.rects if min(rect["width"], rect["height"]) <= _RULE_PT) + len(page.lines)
    if thin < 8 or thin >= len(page.rects) + len(page.lines):
        return page
    return page.filter(
        lambda each: (
            each["object_type"] == "line"
            or (each["object_type"] == "rect" and (each["stroke"] or min(each["width"], each["height"]) <= _RULE_PT))
        )
    )


def _table_of(found: Any, words: Sequence[LayoutWord]) -> DraftTable | None:
    """Fill the grid of a ruled table; a short cell that spans rows or columns is repeated in each of them."""
    grid = [list(row.cells) for row in found.rows]
    boxes = {cell for row in grid for cell in row if cell is not None}
    cells = {box: [word for word in words if is_inside(word.place, box)] for box in boxes}
    held = {id(word) for cell in cells.values() for word in cell}
    # Nested boxes (diagrams, shaded lines of code) are not a grid: their words are in several cells.
    if len(held) < 0.9 * len(words) or sum(map(len, cells.values())) > 1.02 * len(held):
        return None
    tops = [row.bbox[1] for row in found.rows]
    lefts = [min((cell[0] for cell in column if cell is not None), default=0.0) for column in zip(*grid, strict=True)]
    rows: list[list[list[LayoutWord]]] = []
    for index, row in enumerate(grid):
        # A single cell across the full width is a title or a remark, and is not repeated.
        alone = len({box for box in row if box is not None}) == 1
        filled = []
        for column, box in enumerate(row):
            spanning = None if box is not None else _spanning(grid, index, column, tops[index], lefts[column])
            if box is not None:
                filled.append(cells[box])
            elif spanning is not None and len(cells[spanning]) <= _REPEATED_WORDS and not (alone and spanning in row):
                filled.append(cells[spanning])
            else:
                filled.append([])
        rows.append(filled)
    if len(rows) <= _FEWEST_RULED_ROWS:
        rows = [line for row in rows for line in rows_between_rules(row)]
    return None if are_areas(rows) else make_table(rows, found.bbox, ruled=True)


def _spanning(grid: Sequence[Sequence[Any]], row: int, column: int, top: float, left: float) -> Any:
    """Return the cell that extends to a position in the grid from above, from the left or both; None if none does."""
    for above in range(row, -1, -1):
        for before in range(column, -1, -1):
            box = grid[above][before]
            if box is not None:
                if box[1] < top + 1.0 < box[3] and box[0] < left + 1.0 < box[2]:
                    return box
                break
    return None
