"""Tables made by seed, in the forms that are hard to cut, with questions about their cells."""

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

_SYLLABLES = ("bar", "del", "fen", "gor", "hul", "kes", "lam", "mir", "nov", "pel", "rud", "sol", "tam", "vek", "zil")
_THINGS = ("pump", "kiln", "mixer", "hoist", "valve", "motor", "crane", "sieve", "drill", "boiler", "fan", "lathe")
_MEASURES = (
    "flow", "pressure", "weight", "height", "voltage", "torque", "speed", "capacity", "diameter", "stroke", "lifetime",
    "power", "thickness", "temperature", "throughput", "noise",
)  # fmt: skip
_PLACES = ("north hall", "south hall", "river plant", "hill plant", "old dock", "new dock", "east yard", "west yard")
_UNITS = {"flow": "l/min", "pressure": "bar", "weight": "kg", "height": "mm", "voltage": "V", "power": "kW"}


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeTable:
    """A table before it is written in a format.

    Neighbours that are alike in the first of two ``header`` rows are one merged cell; so are those below one another in
    the first column where ``merged`` is true. A row of one cell spans the table and names the rows below it.
    """

    caption: str
    header: tuple[tuple[str, ...], ...]
    rows: tuple[tuple[str, ...], ...]
    merged: bool = False
    notes: tuple[str, ...] = ()

    @property
    def width(self) -> int:
        """The number of its columns."""
        return len(self.header[-1])


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeCell:
    """A question about one cell: its ``row``, its ``value``, and what a reader must see beside them to be sure."""

    question: str
    row: str
    value: str
    needs: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeDocument:
    """One document with one table between two paragraphs, and the questions about it. ``form`` says what is hard."""

    form: str
    suffix: str
    title: str
    table: MadeTable
    cells: tuple[MadeCell, ...]

    @property
    def name(self) -> str:
        """The name of its file."""
        return f"{self.form}{self.suffix}".replace(" ", "-")


Make = Callable[[random.Random, str], tuple[MadeTable, Sequence[MadeCell]]]


def make_documents(seed: int, *, questions: int = 5) -> tuple[MadeDocument, ...]:
    """Make the documents with ``questions`` cells asked of each: the same for one seed, all others for another."""
    things = random.Random(seed).sample(_THINGS, len(_THINGS))
    made = []
    for number, (form, suffix) in enumerate(_FORMS):
        # Each document by a seed of its own: how much is asked of one leaves the others as they are.
        drawn, thing = random.Random(f"{seed} {number}"), things[number % len(things)]
        table, cells = _MAKERS[form](drawn, thing)
        title = f"Handbook of the {thing}s"
        asked = tuple(drawn.sample(list(cells), questions))
        made.append(MadeDocument(form=form, suffix=suffix, title=title, table=table, cells=asked))
    return tuple(made)


def _long(drawn: random.Random, thing: str) -> tuple[MadeTable, list[MadeCell]]:
    names, measures = _names(drawn, 200), drawn.sample(_MEASURES, 3)
    return _simple(drawn, thing, names, measures)


def _wide(drawn: random.Random, thing: str) -> tuple[MadeTable, list[MadeCell]]:
    measures = [f"{kind} {measure} in operation" for kind in ("greatest", "least") for measure in _MEASURES][:28:2]
    return _simple(drawn, thing, _names(drawn, 12), measures)


def _simple(
    drawn: random.Random, thing: str, names: Sequence[str], measures: Sequence[str]
) -> tuple[MadeTable, list[MadeCell]]:
    caption = f"Table 1: all {thing}s in service"
    rows, cells = [], []
    for name in names:
        values = _values(drawn, len(measures))
        rows.append((name, *values))
        cells += [
            MadeCell(question=f"What is the {m} of the {thing} {name}?", row=name, value=v, needs=(caption, m))
            for m, v in zip(measures, values, strict=True)
        ]
    return MadeTable(caption=caption, header=((thing.capitalize(), *measures),), rows=tuple(rows)), cells


def _two_headers(drawn: random.Random, thing: str) -> tuple[MadeTable, list[MadeCell]]:
    caption = f"Table 2: {thing}s before and after the repair"
    measures = drawn.sample(_MEASURES, 3)
    above = (thing.capitalize(), *(measure for measure in measures for _ in range(2)))
    below = (thing.capitalize(), *("before repair", "after repair") * 3)
    rows, cells = [], []
    for name in _names(drawn, 40):
        values = _values(drawn, 6)
        rows.append((name, *values))
        cells += [
            MadeCell(
                question=f"What is the {top} of the {thing} {name} {sub}?",
                row=name,
                value=value,
                needs=(caption, top, sub),
            )
            for top, sub, value in zip(above[1:], below[1:], values, strict=True)
        ]
    return MadeTable(caption=caption, header=(above, below), rows=tuple(rows)), cells


def _merged(drawn: random.Random, thing: str) -> tuple[MadeTable, list[MadeCell]]:
    return _grouped(drawn, thing, merged=True)


def _spanned(drawn: random.Random, thing: str) -> tuple[MadeTable, list[MadeCell]]:
    return _grouped(drawn, thing, merged=False)


def _grouped(drawn: random.Random, thing: str, *, merged: bool) -> tuple[MadeTable, list[MadeCell]]:
    """Make rows of the same names in each group: without the group's name a row says nothing."""
    caption = f"Table 3: {thing}s by place"
    names, measures = _names(drawn, 12), drawn.sample(_MEASURES, 4)
    rows: list[tuple[str, ...]] = []
    cells = []
    for place in drawn.sample(_PLACES, 6):
        rows += [] if merged else [(place,)]
        for name in names:
            values = _values(drawn, 4)
            rows.append((place, name, *values) if merged else (name, *values))
            cells += [
                MadeCell(
                    question=f"What is the {m} of the {thing} {name} in the {place}?",
                    row=name,
                    value=v,
                    needs=(caption, m, place),
                )
                for m, v in zip(measures, values, strict=True)
            ]
    header = ("Place", thing.capitalize(), *measures) if merged else (thing.capitalize(), *measures)
    return MadeTable(caption=caption, header=(header,), rows=tuple(rows), merged=merged), cells


def _noted(drawn: random.Random, thing: str) -> tuple[MadeTable, list[MadeCell]]:
    """Make a table with a row of units and a note below it that tells what a mark means."""
    caption = f"Table 4: limits of the {thing}s"
    measures = drawn.sample(sorted(_UNITS), 4)
    note = f"* measured on the {drawn.choice(_PLACES)} test stand"
    rows, cells = [], []
    for name in _names(drawn, 60):
        values = _values(drawn, 4)
        rows.append((name, values[0] + "*", *values[1:]))
        cells += [
            MadeCell(
                question=f"What is the {m} of the {thing} {name}?",
                row=name,
                value=v,
                needs=(caption, m, _UNITS[m], *((note,) if at == 0 else ())),
            )
            for at, (m, v) in enumerate(zip(measures, values, strict=True))
        ]
    header = ((thing.capitalize(), *measures), ("", *(f"({_UNITS[m]})" for m in measures)))
    return MadeTable(caption=caption, header=header, rows=tuple(rows), notes=(note,)), cells


_MAKERS: Mapping[str, Make] = {
    "200 rows": _long,
    "14 columns": _wide,
    "two header rows": _two_headers,
    "merged first column": _merged,
    "rows under sub-headings": _spanned,
    "units and notes": _noted,
}
# Markdown has neither merged cells nor a second header row.
_FORMS = (
    ("200 rows", ".pdf"), ("200 rows", ".md"), ("14 columns", ".xlsx"), ("14 columns", ".html"),
    ("two header rows", ".docx"), ("two header rows", ".pdf"), ("merged first column", ".html"),
    ("merged first column", ".xlsx"), ("rows under sub-headings", ".docx"), ("rows under sub-headings", ".html"),
    ("units and notes", ".docx"), ("units and notes", ".html"),
)  # fmt: skip


def _names(drawn: random.Random, count: int) -> list[str]:
    names: dict[str, None] = {}
    while len(names) < count:
        first, second = drawn.sample(_SYLLABLES, 2)
        names[f"{first.capitalize()}{second}-{drawn.randint(10, 99)}"] = None
    return list(names)


def _values(drawn: random.Random, count: int) -> list[str]:
    return [f"{drawn.randint(10, 999)}.{drawn.randint(10, 99)}" for _ in range(count)]
