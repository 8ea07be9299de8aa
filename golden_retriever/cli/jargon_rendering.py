"""The dictionary for ``golden jargon``: opened, and its entries and changes as lines and as JSON."""

import dataclasses
import json
from collections import Counter
from collections.abc import Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from contracts.jargon import Sense

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jargon_db.store import JargonStore
    from jargon_db.values import Change, Difference, PlannedRow, Verdict


@contextmanager
def dictionary() -> "Iterator[JargonStore]":
    """Open the dictionary that the settings name; changes are noted under the caller's name."""
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_dictionary

    with open_dictionary(load_settings()) as store:
        yield store


def print_json(value: object) -> None:
    """Print plain values as JSON."""
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def print_senses(senses: Sequence[Sense], as_json: bool) -> None:
    """Print senses, a line each, or as JSON."""
    if as_json:
        print_json([dataclasses.asdict(sense) for sense in senses])
        return
    for sense in senses:
        typer.echo(line_of(sense))


def line_of(sense: Sense) -> str:
    """Return a sense as a line: number, term, extended name, context, description."""
    context = f" [{sense.context}]" if sense.context else ""
    description = f": {sense.description}" if sense.description else ""
    return f"{sense.id:>5}  {sense.term} = {sense.extended_name}{context}{description}"


def print_changes(changes: "Sequence[Change]", as_json: bool) -> None:
    """Print changes, each with the fields that differ, or as JSON with the whole entry before and after."""
    if as_json:
        print_json([_plain(change) for change in changes])
        return
    for change in changes:
        undone = f" {change.undoes}" if change.undoes is not None else ""
        who = change.who or "(the program)"
        typer.echo(
            f"{change.number:>5}  {change.at:%Y-%m-%d %H:%M:%S} UTC  {who}  {change.action}{undone}  "
            f"{change.name}  ({change.kind} {change.entry}, version {change.version})"
        )
        print_differences(change.differences())


def print_differences(found: "Sequence[Difference]") -> None:
    """Print the fields that differ, a line each: old -> new."""
    for field, old, new in found:
        typer.echo(f"         {field}: {_shown(old)} -> {_shown(new)}")


def print_plan(what: str, rows: "Sequence[PlannedRow]") -> None:
    """Print what an import would do: each row with its line in the file, and how many there are of each kind."""
    for row in rows:
        entry = row.entry
        name = line_of(entry)[7:] if isinstance(entry, Sense) else entry.name
        typer.echo(f"line {row.line}: {row.verdict}: {name}")
        if row.verdict == "changed":
            print_differences(row.differences)
        if row.verdict != "unchanged":
            for rival in row.rivals:
                typer.echo(f"         beside {line_of(rival).strip()}")
    counts = Counter(row.verdict for row in rows)
    verdicts: tuple[Verdict, ...] = ("added", "changed", "unchanged", "conflicting")
    told = ", ".join(f"{counts[verdict]} {verdict}" for verdict in verdicts)
    typer.echo(f"{what}: {told} (preview; nothing was changed)")


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return json.dumps(value, ensure_ascii=False)


def _plain(change: "Change") -> dict[str, Any]:
    return {**dataclasses.asdict(change), "at": change.at.isoformat(), "name": change.name}
