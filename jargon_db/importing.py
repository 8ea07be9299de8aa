"""Importing: a dictionary and its contexts from CSV or XLSX, all of a file or nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from contracts.dictionary import Imported, ImportReport, PlannedRow, differences
from contracts.jargon import Context, Sense, SenseState
from jargon_db.cells import split_aliases, split_examples
from jargon_db.checks import context_problems, problems_of, tidied, tidied_context
from jargon_db.circles import circle_text, find_circles, steps_of
from jargon_db.folding import fold, unwritable
from jargon_db.sheets import LineProblem, RefusedSheet, SheetRow, read_sheet
from jargon_db.writing import meaning_of

if TYPE_CHECKING:
    from jargon_db.store import JargonStore

TERM_COLUMNS = ("term", "aliases", "context", "extended_name", "description", "notes", "source", "state")
CONTEXT_COLUMNS = ("name", "description", "examples")
_NEEDED = ("term", "extended_name")


_Row = TypeVar("_Row")


@dataclass(frozen=True, slots=True, kw_only=True)
class TermRow:
    """A sense as a file defines it, and the line where it does."""

    line: int
    sense: Sense


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextRow:
    """A context as a file describes it, and the line where it does."""

    line: int
    context: Context


def import_files(store: "JargonStore", terms: Path | None, contexts: Path | None = None) -> Imported:
    """Import a dictionary and descriptions of contexts in one transaction, both or neither; again, it changes nothing.

    Each row becomes a sense, published where no column ``state`` says otherwise. What the files do not name stays.

    Raises:
        InvalidInput: a file cannot be read, or rows of it are wrong; the text lists every problem with its line.
    """
    rows = read_terms(terms) if terms is not None else ()
    described = read_contexts(contexts) if contexts is not None else ()
    origin = " and ".join(each.name for each in (terms, contexts) if each is not None)
    made = store.put_all([row.sense for row in rows], [row.context for row in described], origin=origin)
    return _sent(made, terms, contexts)


def preview_import(
    store: "JargonStore", terms: Path | None, contexts: Path | None = None, *, most: int | None = None
) -> Imported:
    """Say what ``import_files`` would do, with at most ``most`` of the rows that would change something.

    Nothing is changed.

    Raises:
        InvalidInput: a file cannot be read, or rows of it are wrong; the text lists every problem with its line.
    """
    rows = read_terms(terms) if terms is not None else ()
    described = read_contexts(contexts) if contexts is not None else ()
    planned, of_contexts = store.preview([row.sense for row in rows], [row.context for row in described])
    report, described_report = _planned(planned, rows, most), _planned(of_contexts, described, most)
    return _sent(Imported(preview=True, terms=report, contexts=described_report), terms, contexts)


def _planned(planned: Sequence[PlannedRow], rows: "Sequence[TermRow | ContextRow]", most: int | None) -> ImportReport:
    verdicts = [row.verdict for row in planned]
    telling = [
        plan.model_copy(update={"line": row.line})
        for plan, row in zip(planned, rows, strict=True)
        if most is None or plan.verdict != "unchanged"
    ]
    return ImportReport(
        added=verdicts.count("added"),
        changed=verdicts.count("changed"),
        unchanged=verdicts.count("unchanged"),
        conflicting=verdicts.count("conflicting"),
        rows=tuple(telling[:most]),
        rows_left_off=len(telling[most:]) if most is not None else 0,
    )


def _sent(done: Imported, terms: Path | None, contexts: Path | None) -> Imported:
    """Return ``done`` without reports of what was not sent."""
    absent = {name: None for name, path in (("terms", terms), ("contexts", contexts)) if path is None}
    return done.model_copy(update=absent)


def read_terms(path: Path) -> tuple[TermRow, ...]:
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


def read_contexts(path: Path) -> tuple[ContextRow, ...]:
    """Read descriptions of contexts from CSV or XLSX with the columns ``name``, ``description`` and ``examples``.

    Examples are separated by `` | ``; such a bar inside of one is written as ``\\|``.

    Raises:
        InvalidInput: the file cannot be read, or rows of it are wrong; the text lists every problem with its line.
    """
    sheet = read_sheet(path, required=CONTEXT_COLUMNS[:1], optional=CONTEXT_COLUMNS[1:])
    rows = [ContextRow(line=row.line, context=_context_of(row)) for row in sheet]
    problems = _unwritable(sheet)
    problems += [(row.line, text) for row in rows for _, text in context_problems(row.context)]
    problems += _repeated((row.line, fold(row.context.name), row.context.name, row.context) for row in rows)
    _refuse(path, problems)
    return tuple(_first((fold(row.context.name), row) for row in rows))


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
        Sense.model_construct(
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
            fields = ", ".join(each.field for each in differences(former, entry))
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
