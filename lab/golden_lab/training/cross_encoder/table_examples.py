"""Examples from made-up tables: cells that answer, and tables that lack only what the question asks for."""

import random
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import resources

from contracts.text import Span
from golden_lab.training.cross_encoder.examples import CrossEncoderExample, typed_by_people

# One of this many subjects is used only for validation.
_DEV_EVERY = 6
_FEWEST_ROWS, _MOST_ROWS = 3, 7
_MOST_COLUMNS = 5
_EMPTY = ("", "-", "n/a", "")
_SUPERLATIVE_SHARE = 0.4
# Questions that people ask about anything, with patterns of column headers that may answer them.
_ASKED_OF_ANYTHING = (
    ("what did {} cost", r"cost|price|fee|rate|€|limit|excess"),
    ("who made {}", r"built|maker|company|provider|service"),
    ("when did we get {}", r"since|date|bought|service|age"),
    ("what colour is {}", r"colour|lamp"),
    ("how heavy is {}", r"weight|payload|lift|grammage"),
    ("who is responsible for {}", r"owner|by|who|team|friend|keys|led|approv|handled"),
    ("where is {}", r"room|zone|bay|track|house|hall|place|case|mounted|keys|address|box"),
    ("how old is {}", r"since|age|date|old|change|calibrat"),
    ("why was {} chosen", r"why|reason|what it does"),
    ("what is the serial number of {}", r"serial|number|batch|code"),
)


@dataclass(frozen=True, slots=True)
class _Column:
    name: str
    values: tuple[str, ...] | tuple[float, float, float, str]
    asks: tuple[str, ...]
    superlatives: tuple[tuple[int, str], ...]

    def draw(self, rng: random.Random) -> str:
        """Return a value for a cell."""
        if not isinstance(self.values[1], str):
            least, most, step, unit = self.values
            number = round(rng.randrange(int((most - least) / step) + 1) * step + least, 3)
            return f"{number:g} {unit}".strip()
        return str(rng.choice(self.values))


@dataclass(frozen=True, slots=True)
class _Subject:
    place: str
    key: str
    rows: tuple[str, ...]
    columns: tuple[_Column, ...]


@dataclass(frozen=True, slots=True)
class _Table:
    key: str
    rows: tuple[str, ...]
    columns: tuple[_Column, ...]
    cells: dict[tuple[str, str], str]

    def write(
        self,
        *,
        without_row: str = "",
        without: _Column | None = None,
        emptied: tuple[str, str] | None = None,
        cell: str = "",
    ) -> str:
        """Return the table's lines, header first, without a row or column; ``cell`` replaces the ``emptied`` cell."""
        columns = [each for each in self.columns if each is not without]
        lines = [" | ".join([self.key, *(each.name for each in columns)])]
        for row in self.rows:
            if row != without_row:
                texts = [cell if (row, each.name) == emptied else self.cells[row, each.name] for each in columns]
                lines.append(" | ".join([row, *texts]))
        return "\n".join(lines)


def table_examples(rng: random.Random, *, tables_per_subject: int) -> Iterator[tuple[str, CrossEncoderExample]]:
    """Yield examples from ``tables_per_subject`` tables about each subject, each with its part ("train" or "dev").

    Each table answers one question, which it would not answer without a certain row, column or cell. No subject is in
    both parts.
    """
    for number, subject in enumerate(_read_subjects()):
        part = "dev" if number % _DEV_EVERY == _DEV_EVERY - 1 else "train"
        for _ in range(tables_per_subject):
            for example in _of_table(subject, _draw(subject, rng), rng):
                yield part, example


def _read_subjects() -> Iterator[_Subject]:
    text = resources.files(__package__).joinpath("table_subjects.toml").read_text("utf-8")
    for each in tomllib.loads(text)["subject"]:
        columns = tuple(
            _Column(
                name=column["name"],
                values=tuple(column["values"]),
                asks=tuple(column["asks"]),
                superlatives=(*((1, ask) for ask in column["most"]), *((-1, ask) for ask in column["least"])),
            )
            for column in each["columns"]
        )
        yield _Subject(place=each["place"], key=each["key"], rows=tuple(each["rows"]), columns=columns)


def _draw(subject: _Subject, rng: random.Random) -> _Table:
    rows = tuple(rng.sample(subject.rows, rng.randint(_FEWEST_ROWS, min(_MOST_ROWS, len(subject.rows)))))
    columns = tuple(rng.sample(subject.columns, rng.randint(2, min(_MOST_COLUMNS, len(subject.columns)))))
    cells = {(row, each.name): each.draw(rng) for row in rows for each in columns}
    for at in cells:
        if rng.random() < 0.06:
            cells[at] = rng.choice(_EMPTY)
    return _Table(key=subject.key, rows=rows, columns=columns, cells=cells)


def _of_table(subject: _Subject, table: _Table, rng: random.Random) -> Iterator[CrossEncoderExample]:
    column, row = rng.choice(table.columns), rng.choice(table.rows)
    if table.cells[row, column.name] in _EMPTY:
        return
    place = _place(subject.place, rng)
    superlatives = _superlatives(table, column)
    if superlatives and rng.random() < _SUPERLATIVE_SHARE:
        sign, question = rng.choice(superlatives)
        row = _furthest(table, column, sign)
        yield _example(question, place, table.write(), "table/superlative", rng, (row, ""))
        yield _example(question, place, table.write(without=column), "table/superlative_absent", rng)
        return
    question = _named(rng.choice(column.asks), row)
    yield _example(question, place, table.write(), "table/cell", rng, (row, table.cells[row, column.name]))
    yield _example(question, place, table.write(without=column), "table/other_column", rng)
    if rng.random() < 0.5:
        yield _example(question, place, table.write(without_row=row), "table/other_row", rng)
    else:
        text = table.write(emptied=(row, column.name), cell=rng.choice(_EMPTY))
        yield _example(question, place, text, "table/empty_cell", rng)
    asked, told_under = rng.choice(_ASKED_OF_ANYTHING)
    if rng.random() < 0.4 and not re.search(told_under, " ".join(each.name for each in table.columns), re.IGNORECASE):
        yield _example(_named(asked, row), place, table.write(), "table/attribute_absent", rng)


def _superlatives(table: _Table, column: _Column) -> Sequence[tuple[int, str]]:
    """Return the questions about the largest or smallest value in a column, if only one cell has it."""
    values = [_number(table.cells[row, column.name]) for row in table.rows]
    known = [each for each in values if each is not None]
    if len(known) < len(values):
        return ()
    return tuple(each for each in column.superlatives if known.count(max(known) if each[0] > 0 else min(known)) == 1)


def _furthest(table: _Table, column: _Column, sign: int) -> str:
    return max(table.rows, key=lambda row: sign * (_number(table.cells[row, column.name]) or 0.0))


def _number(cell: str) -> float | None:
    match = re.match(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?", cell)
    return float(match.group()) if match else None


def _place(place: str, rng: random.Random) -> str:
    """Return all or part of ``place``, or "", because some documents have headings that say less."""
    parts = place.split(" > ")
    return place if rng.random() < 0.6 else rng.choice([parts[-1], parts[0], ""])


def _named(ask: str, row: str) -> str:
    return ask.replace("{}", row).replace("the the ", "the ").replace("a the ", "the ")


def _example(
    question: str,
    place: str,
    text: str,
    source: str,
    rng: random.Random,
    told: tuple[str, str] | None = None,
) -> CrossEncoderExample:
    """Make an example; ``told`` is the row and the cell that answer the question (cell "": the name of the row)."""
    span = None
    if told is not None:
        row, cell = told
        line = text.index(f"\n{row} |") + 1
        start = text.index(cell, line + len(row)) if cell else line
        span = Span(start, start + len(cell or row))
    return CrossEncoderExample(
        question=typed_by_people(question, rng),
        place=place,
        text=text,
        answered=told is not None,
        source=source,
        span=span,
    )
