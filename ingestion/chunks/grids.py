"""Tables prepared so that each row can be read on its own: the cells, their positions, and the notes below them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from contracts.text import Block
from ingestion.chunks.pieces import Piece, cut, join, piece_of

_MAX_GROUP_CHARACTERS = 60
# A row inherits the first cell of the row above only if it fills every column that this share of the rows fills.
_FILLED_SHARE = 0.8
_UNITS = (
    r"%|‰|°|[°º]?[CFK]|[kKMGTmµμnp]?(?:m|g|s|V|A|W|Wh|VA|Hz|J|N|Nm|Pa|F|Ω|l|L|b|B|bit|byte|bar|mol)(?:[²³23]|/\w{1,4}|/\w²)?|"
    r"min|h|d|days?|weeks?|months?|years?|hours?|minutes?|seconds?|ppm|dpi|rpm|in|inch|ft|lb|t|to|pcs|pieces|each|"
    r"EUR|USD|GBP|CHF|€|\$|£|k€|T€|dB|dBm|cycles|units?"
)
_UNIT = re.compile(rf"[(\[][^()\[\]]{{1,16}}[)\]]|(?:{_UNITS})")
_BRACKETED = re.compile(r"[(\[].*[)\]]")

_MARK = re.compile(r"(?P<mark>\*{1,3}|[†‡§¹²³⁴-⁹]|\(?[a-z0-9]\)|\[[a-z0-9]{1,2}\])\s*(?=\S)", re.IGNORECASE)
_REMARK = re.compile(
    r"(?:notes?|nota|legend|key|remarks?|nb|source|abbreviations|units?|anmerkung|hinweis|legende|quelle)\s?[:.]\s*\S",
    re.IGNORECASE,
)
_UNITS_LINE = re.compile(
    r"[(\[]?(?:all\s+)?(?:values|figures|numbers|amounts|dimensions|measurements|units?|angaben|werte|maße)\b"
    r"(?:\s?:|.{0,40}\b(?:in|are|sind)\b)\s*\S.{0,40}|[(\[]in\s+\S.{0,30}[)\]]",
    re.IGNORECASE,
)
_MAX_NOTE_WORDS = 60
_MAX_NOTES = 12


@dataclass(frozen=True, slots=True)
class Row:
    """A row's cells. ``under`` is the row that names its group, if that is on a separate line above."""

    cells: tuple[Piece, ...]
    under: Piece | None = None

    def line(self, columns: Sequence[int] | None = None) -> Piece:
        """Write the cells, or only those in ``columns``, as one line; it begins with a bar if the first cell is empty.

        Empty cells at the end of the line are left out.
        """
        chosen = list(self.cells if columns is None else (self.cells[column] for column in columns))
        while chosen and not chosen[-1].text:
            chosen.pop()
        if not chosen:
            return Piece("", (), self.cells[0].page, self.cells[0].last_page)
        # An empty cell between two others leaves one space on each side of it, as in " | | ".
        line = join(chosen, [" | " if piece.text else " |" for piece in chosen])
        return cut(line, 0, len(line.text))

    def item(self) -> Piece:
        """Write a name and the cell next to it as an item of a list: "- Desk: ext. 4300"."""
        name, meaning = self.cells
        if name.text and meaning.text:
            name = cut(name, 0, len(name.text.removesuffix(":")))
        filled = [cell for cell in (name, meaning) if cell.text]
        mark = Piece("- ", (), self.cells[0].page, self.cells[0].last_page)
        return join([mark, *filled], ["", "", ": "][: 1 + len(filled)])


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: its ``title`` if a row above all columns contains one, its column names and its rows.

    ``header`` is a single line: several header rows are written side by side, units in brackets. All rows have the same
    number of cells.
    """

    title: Piece | None
    header: Row | None
    rows: tuple[Row, ...]
    width: int

    @property
    def lists_names(self) -> bool:
        """Whether the table is a list of names with their meanings: two columns without a header."""
        return self.width == 2 and self.header is None

    def keys(self) -> tuple[int, ...]:
        """Return the columns that name a row: the first, and the second if the first names groups of rows."""
        names = [row.cells[0].text for row in self.rows]
        alike = sum(1 for above, name in pairwise(names) if name and above == name)
        return (0, 1) if self.width > 2 and 2 * alike >= len(names) else (0,)


def read_grid(parts: Sequence[Block]) -> Grid:
    """Read a table whose ``parts`` are on consecutive pages, all with the header rows of the first."""
    head = _cells_of(parts[0])[: parts[0].header_rows]
    body = [cells for part in parts for cells in _cells_of(part)[part.header_rows :]]
    if not body:
        head, body = [], head
    width = max(map(len, (*head, *body)))
    head, body = [_padded(cells, width) for cells in head], [_padded(cells, width) for cells in body]
    title = None
    if len(head) > 1 and width > 1 and _spans(head[0]):
        title, head = head[0][0], head[1:]
    if head and len(body) > 1 and _is_units(body[0]):
        head, body = [*head, body[0]], body[1:]
    header = Row(tuple(_stacked(column) for column in zip(*head, strict=True))) if head else None
    return Grid(title, header, tuple(_grouped(_filled_down(body))), width)


def goes_on(part: Block, following: Block) -> bool:
    """Return whether ``following`` is the rest of a table on the next page: it has the same header."""
    if not part.header_rows or part.header_rows != following.header_rows or following.page != part.page + 1:
        return False
    return _head_text(part) == _head_text(following)


def _head_text(block: Block) -> list[str]:
    return [line for line in block.text.split("\n") if line.strip()][: block.header_rows]


def _cells_of(block: Block) -> list[tuple[Piece, ...]]:
    whole = piece_of(block)
    found = []
    for line in re.finditer(r"[^\n]+", block.text):
        if not line.group().strip():
            continue
        row = cut(whole, line.start(), line.end())
        # The row was stripped, so an empty first cell has lost its space.
        starts_empty = bool(re.match(r"\s+\|", line.group()))
        found.append(tuple(_split(row, starts_empty=starts_empty)))
    return found


def _split(row: Piece, *, starts_empty: bool) -> Iterator[Piece]:
    start = 0
    for bar in re.finditer(r"(?<=\s)\|(?=\s|$)" if not starts_empty else r"(?:^|(?<=\s))\|(?=\s|$)", row.text):
        yield cut(row, start, bar.start())
        start = bar.end()
    yield cut(row, start, len(row.text))


def _padded(cells: tuple[Piece, ...], width: int) -> tuple[Piece, ...]:
    first = cells[0]
    return cells + (Piece("", (), first.page, first.last_page),) * (width - len(cells))


def _spans(cells: Sequence[Piece]) -> bool:
    """Return whether a row is one text for all columns, either only in the first or repeated in each."""
    filled = [cell.text for cell in cells if cell.text]
    alone = len(filled) == 1 and bool(cells[0].text)
    repeated = len(filled) == len(cells) > 2 and len(set(filled)) == 1
    return (alone or repeated) and any(character.isalpha() for character in filled[0])


def _is_units(cells: Sequence[Piece]) -> bool:
    """Return whether a row below the header contains the units of its columns ("(mm)", "kg")."""
    named = [cell.text for cell in cells[1:] if cell.text]
    first = cells[0].text
    heads = not first or _UNIT.fullmatch(first) or first.casefold().rstrip(".:s") in ("unit", "einheit", "in")
    return bool(named and heads) and all(_UNIT.fullmatch(text) for text in named)


def _stacked(column: Sequence[Piece]) -> Piece:
    """Join the header cells of one column, without repetitions, and with units in brackets."""
    chosen: list[Piece] = []
    for cell in column:
        if not cell.text or any(cell.text.casefold() == each.text.casefold() for each in chosen):
            continue
        bare = chosen and _UNIT.fullmatch(cell.text) and not _BRACKETED.fullmatch(cell.text)
        chosen.append(_wrapped(cell) if bare else cell)
    return join(chosen, [" "] * len(chosen)) if chosen else column[0]


def _wrapped(cell: Piece) -> Piece:
    bracket = [Piece(mark, (), cell.page, cell.last_page) for mark in "()"]
    return join([bracket[0], cell, bracket[1]], [""] * 3)


def _filled_down(rows: list[tuple[Piece, ...]]) -> Iterator[tuple[Piece, ...]]:
    """Copy the first cell into the rows below it in which only the first cell is empty.

    A row with other gaps may be the rest of the row above; a row of totals has its own name.
    """
    filled = {column: sum(bool(cells[column].text) for cells in rows) for column in range(1, len(rows[0]))}
    usual = [column for column, number in filled.items() if number / len(rows) >= _FILLED_SHARE]
    name: Piece | None = None
    for cells in rows:
        if cells[0].text:
            name = cells[0] if len(cells[0].text) <= _MAX_GROUP_CHARACTERS and not _spans(cells) else None
        elif name is not None and len(usual) > 1 and all(cells[column].text for column in usual):
            own = cells[0]
            cells = (replace(name, page=own.page, last_page=own.last_page), *cells[1:])
        yield cells


def _grouped(rows: Iterator[tuple[Piece, ...]]) -> Iterator[Row]:
    """Add the name of its group to each row; a row that spans all columns introduces a group.

    If the first row opens a group and each group has rows, the name is written before the first cell of each row.
    Otherwise, a row that spans all columns may just lack values; it is kept only for passages that begin below it.
    """
    all_rows = list(rows)
    opens = [len(cells) > 1 and _spans(cells) for cells in all_rows]
    certain = (
        opens[0]
        and not opens[-1]
        and len(all_rows[0]) > 2
        and not any(first and second for first, second in pairwise(opens))
    )
    name: Piece | None = None
    written_out = False
    for cells, opening in zip(all_rows, opens, strict=True):
        if opening:
            name = cells[0]
            written_out = certain and len(name.text) <= _MAX_GROUP_CHARACTERS
            if not written_out:
                yield Row(cells)
        elif name is not None and written_out:
            yield Row((_named(name, cells[0]), *cells[1:]))
        else:
            yield Row(cells, name)


def _named(name: Piece, cell: Piece) -> Piece:
    both = join([name, cell], ["", ", "]) if cell.text else name
    return replace(both, page=cell.page, last_page=cell.last_page)


def with_units_below(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return ``blocks`` with a line such as "(all values in mm)" moved from above a table to the notes below it."""
    found = list(blocks)
    for index in range(1, len(found)):
        above, block = found[index - 1], found[index]
        is_line = above.kind in ("paragraph", "caption") and _UNITS_LINE.fullmatch(above.text.strip())
        if block.kind == "table" and is_line:
            found[index - 1 : index + 1] = [block, above]
    return tuple(found)


def notes_below(blocks: Sequence[Block], table: str) -> list[tuple[str, Block]]:
    """Return the leading ``blocks`` that are notes to ``table`` (the table's text), each with its mark."""
    found: list[tuple[str, Block]] = []
    for block in blocks[:_MAX_NOTES]:
        text = block.text.strip()
        if block.kind not in ("paragraph", "caption", "notes") or len(text.split()) > _MAX_NOTE_WORDS:
            break
        mark = _MARK.match(text)
        if mark and re.search(rf"\w\s?{re.escape(mark['mark'])}", table):
            found.append((mark["mark"], block))
        elif _REMARK.match(text) or _UNITS_LINE.fullmatch(text):
            found.append(("", block))
        else:
            break
    return found
