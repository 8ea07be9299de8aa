"""Cells: which cell of a table answers a question."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from tools.language import find_quantities
from tools.reading.answer_types import answer_type_match
from tools.reading.concepts import read_words
from tools.reading.dimensions import has_dimension
from tools.reading.features import QuestionView
from tools.reading.questions import QuestionShape
from tools.reading.statements import Statement
from tools.tables.records import TableRecord, is_generic_header, is_unit_header

# A column is named by the question when more of its header than this stands there (by weight of words).
_NAMED = 0.5
_MAX = r"\b(?:max(?:imum|imal)?|at most|no more than|highest|longest|largest|greatest|up to|upper|worst)\b"
_MIN = r"\b(?:min(?:imum|imal)?|at least|no less than|lowest|shortest|smallest|lower|best)\b"
_TYPICAL = r"\b(?:typ(?:ical|ically)?|nom(?:inal)?|normal|normally|usual|usually|average)\b"
# How people ask for the columns of a datasheet.
_EXTREME_HEADERS = {
    "max": _MAX, "maximum": _MAX, "min": _MIN, "minimum": _MIN, "typ": _TYPICAL, "typic": _TYPICAL, "nom": _TYPICAL,
    "nomin": _TYPICAL,
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class CellAnswer:
    """The cell that answers, read with its header and row."""

    statement: Statement
    column: int
    text: str

    @property
    def is_key(self) -> bool:
        """Whether the cell is the one that names its row."""
        return self.statement.record is not None and self.column == self.statement.record.key


def choose_cell(view: QuestionView, statement: Statement) -> CellAnswer | None:
    """Choose the cell of a row that the question asks for; None where its words do not single one out."""
    record = statement.record
    if record is None:
        return None
    scored = sorted(
        ((_cell_score(view, record, column), -column) for column in range(len(record.cells)) if record.cells[column]),
        reverse=True,
    )
    if not scored or scored[0][0] <= 0 or (len(scored) > 1 and scored[1][0] >= scored[0][0]):
        return None
    column = -scored[0][1]
    return CellAnswer(statement=statement, column=column, text=_cell_text(view, record, column) + ".")


def extreme_row(view: QuestionView, rows: Sequence[Statement]) -> CellAnswer | None:
    """Choose the row with the greatest or least value where the question asks for it ("which mode is fastest")."""
    shape = view.shape
    if not shape.superlative or len(rows) < 2 or rows[0].record is None:
        return None
    if names_a_row(view, rows) or not _asks_for_row(view, rows[0]):
        return None
    best_column, best_named = None, _NAMED
    for column, name in enumerate(rows[0].record.header):
        named = _named(view, name) if column != rows[0].record.key else 0.0
        if named > best_named and sum(_number(row, column) is not None for row in rows) >= 2:
            best_column, best_named = column, named
    if best_column is None:
        return None
    valued = [(value, row) for row in rows if (value := _number(row, best_column)) is not None]
    chosen = (max if shape.superlative > 0 else min)(valued, key=lambda pair: pair[0])[1]
    assert chosen.record is not None
    return CellAnswer(statement=chosen, column=best_column, text=chosen.record.cell_reading(best_column) + ".")


def column_list(view: QuestionView, rows: Sequence[Statement]) -> str:
    """List a column's cells where the question names it and no row ("which interfaces are supported"); "" elsewhere."""
    if len(rows) < 2 or rows[0].record is None:
        return ""
    header = rows[0].record.header
    names = [(_named(view, name), -column) for column, name in enumerate(header) if name]
    if not names or max(names)[0] < _NAMED:
        return ""
    column = -max(names)[1]
    cells = [row.record.cells[column] for row in rows if row.record is not None and column < len(row.record.cells)]
    distinct = list(dict.fromkeys(cell for cell in cells if cell))
    return f"{header[column]}: {', '.join(distinct)}." if len(distinct) >= 2 else ""


def _asks_for_row(view: QuestionView, row: Statement) -> bool:
    """Say whether what is asked for is the name of a row ("which mode …"), not one of its values."""
    if row.record is None:
        return False
    asked, key = read_words(view.shape.asked).stems, read_words(row.record.name_of(row.record.key)).stems
    return bool(asked & key)


def names_a_row(view: QuestionView, rows: Sequence[Statement]) -> bool:
    """Say whether the question holds the whole name of one of the rows."""
    return any(coverage_of(read_words(row.record.key_text).order, view) >= 0.99 for row in rows if row.record)


def _cell_score(view: QuestionView, record: TableRecord, column: int) -> float:
    """Score a cell: its header is asked for, its type fits, and the question does not hold it already."""
    shape, name, cell = view.shape, record.name_of(column), record.cells[column]
    known = coverage_of(read_words(cell).order, view)
    if known >= 0.99:
        return -1.0
    score = 1.5 * _named(view, name)
    if shape.asked and name:
        score += 1.0 * _overlap(read_words(shape.asked).order, read_words(name).order)
    score += 1.0 * _cell_type(shape, record.value(column))
    if column == record.key:
        # "Bin 4" names a row; only "which bin" asks for its name.
        score -= 0.4 if _overlap(read_words(name).order, read_words(shape.asked).order) else 3.0
    if is_unit_header(name) or name.strip().casefold() in {"#", "no", "no."}:
        score -= 1.0
    told = [
        n for n, other in enumerate(record.cells) if other and n != record.key and not is_unit_header(record.name_of(n))
    ]
    if (is_generic_header(name) or not name) and told == [column]:
        score += 0.6
    if shape.kind in {"quantity", "count"} and not any(letter.isdigit() for letter in cell):
        score -= 1.0
    if re.fullmatch(r"[-–—]", cell):
        score -= 1.0
    return score - known


def _cell_type(shape: QuestionShape, value: str) -> float:
    if shape.kind == "quantity" and shape.dimension:
        return float(any(has_dimension(quantity, shape.dimension) for quantity in find_quantities(value)))
    if shape.kind in {"fact", "yes_no", "comparison", "procedure", "list"}:
        return 0.0
    return 0.7 * answer_type_match(shape, value)


def _cell_text(view: QuestionView, record: TableRecord, column: int) -> str:
    """Read the cell; cells that the question names and the key does not hold say under which condition it holds."""
    conditions = [
        f"{record.plain_name(other)}: {record.value(other)}" if record.name_of(other) else cell
        for other, cell in enumerate(record.cells)
        if cell
        and other not in {column, record.key}
        and record.name_of(other).strip().casefold() not in {"unit", "units"}
        and coverage_of(read_words(cell).order, view) >= 0.99
    ]
    reading = record.cell_reading(column, named=_named(view, record.name_of(column)) >= _NAMED)
    return f"{reading} ({'; '.join(conditions)})" if conditions else reading


def coverage_of(stems: Sequence[str], view: QuestionView) -> float:
    """Return the share of ``stems`` that the question holds, spellings of its jargon included; 0 for none."""
    if not stems:
        return 0.0
    known = {each for concept in view.concepts for spelling in concept.spellings for each in spelling}
    return sum(each in view.words.stems or each in known for each in stems) / len(stems)


def _named(view: QuestionView, name: str) -> float:
    """Say how much of a header the question names: all of it, or its words beside a unit in brackets."""
    plain = re.sub(r"[(\[].*?[)\]]", " ", name)
    words = read_words(plain).order
    if len(words) == 1 and words[0] in _EXTREME_HEADERS:
        return float(bool(re.search(_EXTREME_HEADERS[words[0]], view.shape.text, re.IGNORECASE)))
    return coverage_of(words, view)


def _overlap(first: Sequence[str], second: Sequence[str]) -> float:
    shared = len(set(first) & set(second))
    return shared / len(set(first)) if first else 0.0


def _number(row: Statement, column: int) -> float | None:
    if row.record is None or column >= len(row.record.cells):
        return None
    found = find_quantities(row.record.cells[column])
    return float(found[-1].number.replace("±", "").lstrip("+")) if found else None
