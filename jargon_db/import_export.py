"""Imports the dictionary and its contexts from CSV or XLSX files, all or nothing, and exports them as CSV files."""

import csv
import io
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from contracts.dictionary import Imported, differences
from contracts.jargon import Context, Sense
from jargon_db.normalization import fold
from jargon_db.sense_writes import meaning_of
from jargon_db.spreadsheets import LineProblem, RefusedSheet, read_sheet, write_sheet
from jargon_db.validation import context_problems, normalized, normalized_context, problems_of

if TYPE_CHECKING:
    from jargon_db.reader import JargonReader
    from jargon_db.store import JargonStore

_TERM_COLUMNS = ("term", "aliases", "context", "extended_name", "description", "notes", "source", "state")
_CONTEXT_COLUMNS = ("name", "description", "examples")

_Entry = TypeVar("_Entry", Sense, Context)


def import_files(
    store: "JargonStore", terms: Path | None, contexts: Path | None = None, *, preview: int | None = None
) -> Imported:
    """Import a dictionary and descriptions of contexts in one transaction. Importing them again changes nothing.

    Each row becomes a sense, which is published unless the column ``state`` contains a different state. Other entries
    are not changed. If ``preview`` is given, nothing is changed, and the result lists up to ``preview`` changes per
    file.

    Raises:
        InvalidInput: a file cannot be read, or has invalid rows; the message lists all problems with their lines.
    """
    senses = tuple(read_terms(terms).values()) if terms is not None else ()
    described = tuple(read_contexts(contexts).values()) if contexts is not None else ()
    origin = " and ".join(each.name for each in (terms, contexts) if each is not None)
    done = store.put_all(senses, described, origin=origin, preview=preview)
    # There is no report for a file that was not given.
    absent = {name: None for name, path in (("terms", terms), ("contexts", contexts)) if path is None}
    return done.model_copy(update=absent)


def read_terms(path: Path) -> dict[int, Sense]:
    """Read a dictionary from a CSV or XLSX file; return the senses by line.

    The columns ``term`` and ``extended_name`` are required. Optional columns are ``aliases`` (separated by ``;``, in
    double quotes if they contain ``;``), ``context``, ``description``, ``notes``, ``source`` and ``state`` (empty means
    published). Duplicate rows count once.

    Raises:
        InvalidInput: the file cannot be read, or has invalid rows; the message lists all problems with their lines.
    """
    rows = {
        line: _sense_of(cells) for line, cells in read_sheet(path, _TERM_COLUMNS, ("term", "extended_name")).items()
    }
    return _distinct(path, rows, problems_of, meaning_of, lambda sense: f"{sense.term} = {sense.extended_name}")


def read_contexts(path: Path) -> dict[int, Context]:
    """Read contexts from a CSV or XLSX file with the columns ``name``, ``description`` and ``examples``, by line.

    Examples are separated by `` | ``; a bar in an example is written as ``\\|``. Errors are as in ``read_terms``.
    """
    rows = {line: _context_of(cells) for line, cells in read_sheet(path, _CONTEXT_COLUMNS, ("name",)).items()}
    return _distinct(path, rows, context_problems, lambda each: fold(each.name), lambda each: each.name)


def export_terms(store: "JargonReader", path: Path) -> int:
    """Write all senses in any state to a CSV file, and return their number.

    Evidence, versions and history are not exported. An existing file is replaced.

    Raises:
        InvalidInput: the file name does not end in .csv, or the file cannot be written.
    """
    senses = store.senses()
    rows = [{**dict(sense), "aliases": _joined_aliases(sense.aliases)} for sense in senses]
    write_sheet(path, _TERM_COLUMNS, [[row[name] for name in _TERM_COLUMNS] for row in rows])
    return len(rows)


def export_contexts(store: "JargonReader", path: Path) -> int:
    """Write all contexts to a CSV file, and return their number. Raises the same errors as ``export_terms``."""
    contexts = store.contexts()
    examples = [" | ".join(example.replace("|", "\\|") for example in each.examples) for each in contexts]
    rows = [(each.name, each.description, cell) for each, cell in zip(contexts, examples, strict=True)]
    write_sheet(path, _CONTEXT_COLUMNS, rows)
    return len(rows)


def _context_of(cells: Mapping[str, str]) -> Context:
    examples = tuple(example.replace("\\|", "|") for example in cells.get("examples", "").split(" | "))
    return normalized_context(Context(name=cells["name"], description=cells.get("description", ""), examples=examples))


def _sense_of(cells: Mapping[str, str]) -> Sense:
    fields: dict[str, Any] = {name: cells.get(name, "") for name in _TERM_COLUMNS}
    # The state is checked with the rest of the row.
    state = fields["state"].strip().lower() or "published"
    fields |= {"id": 0, "aliases": _split_aliases(fields["aliases"]), "state": state}
    return normalized(Sense.model_construct(**fields))


def _joined_aliases(aliases: tuple[str, ...]) -> str:
    cell = io.StringIO()
    csv.writer(cell, delimiter=";", lineterminator="").writerow(aliases)
    return cell.getvalue()


def _split_aliases(cell: str) -> tuple[str, ...]:
    rows = csv.reader(cell.splitlines(), delimiter=";", skipinitialspace=True)
    return tuple(alias.strip() for row in rows for alias in row if alias.strip())


def _distinct(
    path: Path,
    rows: Mapping[int, _Entry],
    problems_of: Callable[[_Entry], list[tuple[str, str]]],
    key_of: Callable[[_Entry], object],
    shown: Callable[[_Entry], str],
) -> dict[int, _Entry]:
    """Return the entries without duplicates.

    Raises:
        RefusedSheet: an entry is invalid, or occurs twice with differences.
    """
    problems = [(line, text) for line, entry in rows.items() for _, text in problems_of(entry)]
    first: dict[object, tuple[int, _Entry]] = {}
    for line, entry in rows.items():
        former_line, former = first.setdefault(key_of(entry), (line, entry))
        if former != entry:
            fields = ", ".join(each.field for each in differences(former, entry))
            problems.append((line, f"{shown(entry)!r} is already in line {former_line}, with a different {fields}."))
    if problems:
        raise RefusedSheet(path.name, [LineProblem(line=line, text=text) for line, text in problems])
    return dict(first.values())
