"""Importing: a dictionary and its contexts from CSV or XLSX, all of a file or nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar, cast

from contracts.jargon import Context, Sense, SenseState
from jargon_db.cells import split_aliases, split_examples
from jargon_db.checks import context_problems, problems_of, tidied, tidied_context
from jargon_db.circles import circle_text, find_circles, steps_of
from jargon_db.folding import fold, unwritable
from jargon_db.problems import LineProblem, RefusedSheet
from jargon_db.sheets import SheetRow, read_sheet
from jargon_db.store import JargonStore
from jargon_db.values import ImportReport, PlannedRow, differences
from jargon_db.writing import meaning_of

__all__ = [
    "ImportReport",
    "TermRow",
    "import_contexts",
    "import_files",
    "import_terms",
    "preview_import",
    "read_contexts",
    "read_terms_csv",
]

TERM_COLUMNS = ("term", "aliases", "context", "extended_name", "description", "notes", "source", "state")
CONTEXT_COLUMNS = ("name", "description", "examples")
_NEEDED = ("term", "extended_name")


_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class TermRow:
    """A sense as a file defines it, and the line where it does."""

    line: int
    sense: Sense


def import_terms(store: JargonStore, path: Path) -> ImportReport:
    """Import a dictionary into ``store`` in one transaction; a second time changes nothing.

    Each row becomes a sense, published where no column ``state`` says otherwise. What the file does not name stays.

    Raises:
        InvalidInput: the file cannot be read, or rows of it are wrong; the text lists every problem with its line.
    """
    return store.put_senses([row.sense for row in read_terms_csv(path)], origin=path.name)


def import_contexts(store: JargonStore, path: Path) -> ImportReport:
    """Import descriptions of contexts into ``store`` in one transaction; a second time changes nothing.

    Raises:
        InvalidInput: the file cannot be read, or rows of it are wrong; the text lists every problem with its line.
    """
    return store.put_contexts(read_contexts(path), origin=path.name)


def import_files(store: JargonStore, path: Path | None, contexts: Path | None) -> tuple[ImportReport, ImportReport]:
    """Import descriptions of contexts and a dictionary in one transaction, both or neither; the senses' report first.

    Raises:
        InvalidInput: a file cannot be read, or rows of it are wrong; the text lists every problem with its line.
    """
    rows = read_terms_csv(path) if path is not None else ()
    described = read_contexts(contexts) if contexts is not None else ()
    origin = " and ".join(each.name for each in (path, contexts) if each is not None)
    return store.put_all([row.sense for row in rows], described, origin=origin)


def preview_import(
    store: JargonStore, path: Path | None, contexts: Path | None = None
) -> tuple[tuple[PlannedRow, ...], tuple[PlannedRow, ...]]:
    """Say what ``import_files`` would do, row by row: senses, and contexts.

    Nothing is changed.

    Raises:
        InvalidInput: a file cannot be read, or rows of it are wrong; the text lists every problem with its line.
    """
    rows = read_terms_csv(path) if path is not None else ()
    described = _context_rows(contexts) if contexts is not None else []
    senses, of_contexts = store.preview([row.sense for row in rows], [context for _, context in described])
    return (
        tuple(replace(plan, line=row.line) for plan, row in zip(senses, rows, strict=True)),
        tuple(replace(plan, line=line) for plan, (line, _) in zip(of_contexts, described, strict=True)),
    )


def read_terms_csv(path: Path) -> tuple[TermRow, ...]:
    """Read a dictionary from CSV or XLSX.

    The columns ``term`` and ``extended_name`` are needed; ``aliases`` (separated by ``;``, a semicolon inside of one
    written as ``\\;``), ``context``, ``description``, ``notes``, ``source`` and ``state`` (empty: published) may be
    there. A row that is the same as an earlier one counts once.

    Raises:
        InvalidInput: the file cannot be read, or rows of it are wrong; the text lists every problem with its line.
    """
    sheet = read_sheet(
        path,
        required=_NEEDED,
        optional=[name for name in TERM_COLUMNS if name not in _NEEDED],
    )
    rows = tuple(TermRow(line=row.line, sense=_sense_of(row)) for row in sheet)
    problems = _unwritable(sheet)
    problems += [(row.line, text) for row in rows for _, text in problems_of(row.sense)]
    problems += _repeated(
        (row.line, meaning_of(row.sense), f"{row.sense.term} = {row.sense.extended_name}", row.sense) for row in rows
    )
    problems += _circles(rows)
    _refuse(path, problems)
    return tuple(_first((meaning_of(row.sense), row) for row in rows))


def read_contexts(path: Path) -> tuple[Context, ...]:
    """Read descriptions of contexts from CSV or XLSX with the columns ``name``, ``description`` and ``examples``.

    Examples are separated by `` | ``; such a bar inside of one is written as ``\\|``.

    Raises:
        InvalidInput: the file cannot be read, or rows of it are wrong; the text lists every problem with its line.
    """
    return tuple(context for _, context in _context_rows(path))


def _context_rows(path: Path) -> list[tuple[int, Context]]:
    sheet = read_sheet(path, required=CONTEXT_COLUMNS[:1], optional=CONTEXT_COLUMNS[1:])
    rows = [(row.line, _context_of(row)) for row in sheet]
    problems = _unwritable(sheet)
    problems += [(line, text) for line, context in rows for _, text in context_problems(context)]
    problems += _repeated((line, fold(context.name), context.name, context) for line, context in rows)
    _refuse(path, problems)
    return _first((fold(context.name), (line, context)) for line, context in rows)


def _context_of(row: SheetRow) -> Context:
    cells = row.cells
    return tidied_context(
        Context(
            name=cells["name"],
            description=cells.get("description", ""),
            examples=split_examples(cells.get("examples", "")),
        )
    )


def _sense_of(row: SheetRow) -> Sense:
    cells = row.cells
    return tidied(
        Sense(
            id=0,
            term=cells["term"],
            extended_name=cells["extended_name"],
            context=cells.get("context", ""),
            description=cells.get("description", ""),
            notes=cells.get("notes", ""),
            source=cells.get("source", ""),
            aliases=split_aliases(cells.get("aliases", "")),
            # Whether there is such a state is checked with the rest of the row.
            state=cast(SenseState, cells.get("state", "").strip().lower() or "published"),
        )
    )


def _unwritable(sheet: Sequence[SheetRow]) -> list[tuple[int, str]]:
    return [
        (row.line, f"The {name} holds the control character U+{ord(found):04X}: remove it.")
        for row in sheet
        for name, cell in row.cells.items()
        if (found := unwritable(cell))
    ]


def _first(rows: Iterable[tuple[object, _Row]]) -> list[_Row]:
    first: dict[object, _Row] = {}
    for key, row in rows:
        first.setdefault(key, row)
    return list(first.values())


def _repeated(rows: Iterable[tuple[int, object, str, Sense | Context]]) -> list[tuple[int, str]]:
    """Return what is there twice and not the same; a row that is the same as an earlier one is no problem."""
    first: dict[object, tuple[int, Sense | Context]] = {}
    problems = []
    for line, key, shown, entry in rows:
        former_line, former = first.setdefault(key, (line, entry))
        if former != entry:
            fields = ", ".join(field for field, _, _ in differences(former, entry))
            problems.append((line, f"{shown!r} is in line {former_line} already, with another {fields}."))
    return problems


def _circles(rows: Sequence[TermRow]) -> list[tuple[int, str]]:
    steps: dict[str, dict[str, int]] = {}
    for row in rows:
        for alias, term in steps_of(row.sense):
            steps.setdefault(alias, {}).setdefault(term, row.line)
    return [(steps[circle[-2]][circle[-1]], circle_text(circle)) for circle in find_circles(steps)]


def _refuse(path: Path, problems: Sequence[tuple[int, str]]) -> None:
    if not problems:
        return
    raise RefusedSheet(path.name, [LineProblem(line=line, text=text) for line, text in problems])
