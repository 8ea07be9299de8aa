"""golden jargon edit and what else changes entries that are there: merge, delete, export, history, undo."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from contracts.errors import InvalidInput, NotFound
from golden_retriever.cli.jargon_rendering import (
    batch_text,
    dictionary,
    line_of,
    print_batches,
    print_changes,
    print_senses,
)

if TYPE_CHECKING:
    from contracts.dictionary import SenseEntry
    from jargon_db.store import JargonStore


def edit(
    entry: Annotated[str, typer.Argument(metavar="TERM|NUMBER", help="A term that has one meaning, or its number.")],
    term: Annotated[str | None, typer.Option(help="The term's new spelling.")] = None,
    extended_name: Annotated[str | None, typer.Option(help="What it stands for.")] = None,
    context: Annotated[str | None, typer.Option(help="The context in which it means that; empty: everywhere.")] = None,
    description: Annotated[str | None, typer.Option(help="What it is, in a sentence or two.")] = None,
    notes: Annotated[str | None, typer.Option(help="Anything a reader should know besides.")] = None,
    source: Annotated[str | None, typer.Option(help="Where this is written.")] = None,
    alias: Annotated[
        list[str] | None, typer.Option(help="Another spelling (repeatable), in place of all there are; empty: none.")
    ] = None,
    version: Annotated[
        int | None, typer.Option(help="The version that you saw; refused where somebody changed it since.")
    ] = None,
) -> None:
    """Change a meaning: what you name becomes as given, the rest stays."""
    given: dict[str, Any] = {
        "term": term,
        "extended_name": extended_name,
        "context": context,
        "description": description,
        "notes": notes,
        "source": source,
        "aliases": None if alias is None else tuple(alias),
    }
    fields = {name: value for name, value in given.items() if value is not None}
    if not fields:
        raise InvalidInput("Nothing is named that should change: give --description or another option.")
    with dictionary() as store:
        there = _entry(store, entry)
        seen = there.version if version is None else version
        changed = store.edit_sense(there.id, fields, version=seen)
        now = store.entry(changed.id).version
    typer.echo(f"{line_of(changed)}  (version {now})")


def merge(
    old: Annotated[str, typer.Argument(metavar="FROM", help="The term that goes.")],
    into: Annotated[str, typer.Argument(metavar="INTO", help="The term that stays.")],
) -> None:
    """Make two terms one: meanings and aliases move, and the old spelling becomes an alias."""
    with dictionary() as store:
        print_senses(store.merge_terms(old, into).items)


def delete(
    sense_id: Annotated[
        int, typer.Argument(metavar="NUMBER", help="A meaning's number, as `golden jargon list` shows it.")
    ],
) -> None:
    """Delete a meaning; `golden jargon undo` brings it back."""
    with dictionary() as store:
        removed = store.remove_sense(sense_id).deleted
    typer.echo(f"deleted {line_of(removed).strip()}")


def export(
    path: Annotated[Path, typer.Argument(help="The CSV or XLSX file to write.", dir_okay=False)],
    contexts: Annotated[Path | None, typer.Option(help="A CSV or XLSX file for the contexts.", dir_okay=False)] = None,
) -> None:
    """Write the dictionary to a file that imports back to the same; no cell of it runs as a formula."""
    from jargon_db.import_export import export_contexts, export_terms

    with dictionary() as store:
        if contexts is not None:
            typer.echo(f"contexts: {export_contexts(store, contexts)} written to {contexts}")
        typer.echo(f"terms: {export_terms(store, path)} written to {path}")


def _entry(store: "JargonStore", named: str) -> "SenseEntry":
    if named.isascii() and named.isdigit() and len(named) < 10:
        return store.entry(int(named))
    found = store.entries(term=named)
    # The spelling as it is written wins: MB is not Mb.
    found = tuple(each for each in found if each.term == named) or found
    if not found:
        raise NotFound(f"There is no term {named!r} in the dictionary.")
    if len(found) > 1:
        lines = "\n".join(line_of(each) for each in found)
        raise InvalidInput(f"{named!r} can be each of these: name one by its number.\n{lines}", field="term")
    return found[0]


# Of what an undoing made, so many changes are shown.
_SHOWN = 50

_Import = Annotated[
    int | None,
    typer.Option("--import", metavar="NUMBER", help="An import, or whatever else was changed at once, by its number."),
]


def history(
    term: Annotated[str | None, typer.Argument(help="A term's or a context's spelling, now or formerly.")] = None,
    batch: _Import = None,
    limit: Annotated[int, typer.Option(min=1, help="How many to list.")] = 50,
) -> None:
    """List who changed what when, the newest first: of one term or context, or of the whole dictionary.

    What was changed at once (an import, a merge, the mining of a document) is one line with its number and its count;
    --import NUMBER lists the changes of one.
    """
    if term is not None and batch is not None:
        raise InvalidInput("Give a term or --import, not both.", field="import")
    with dictionary() as store:
        if batch is not None:
            print_changes(store.batch_changes(batch, limit=limit))
        elif term is not None:
            print_changes(store.history(term, limit=limit))
        else:
            print_batches(store, store.batches(limit=limit))


def undo(
    number: Annotated[
        int | None, typer.Argument(help="A change's number, as `golden jargon history` shows it.")
    ] = None,
    batch: _Import = None,
) -> None:
    """Take a change back (a merge as a whole), or with --import all of an import, or nothing; this can be undone, too.

    Refused where an entry has changed since.
    """
    if (number is None) == (batch is None):
        raise InvalidInput("Name a change by its number, or an import with --import.", field="number")
    with dictionary() as store:
        if batch is not None:
            made = store.undo_batch(batch)
            typer.echo(f"took back {batch_text(made)}")
            typer.echo(f"bring it back with: golden jargon undo --import {made.number}")
            return
        assert number is not None
        changes = store.undo(number)
    print_changes(changes[:_SHOWN])
    if len(changes) > _SHOWN:
        typer.echo(f"and {len(changes) - _SHOWN} more")
