"""``golden jargon history`` and ``undo``: who changed what when, and taking it back."""

from typing import Annotated

import typer

from contracts.errors import InvalidInput
from golden_retriever.cli.jargon_rendering import batch_text, dictionary, print_batches, print_changes

# Of what an undoing made, so many changes are shown.
_SHOWN = 50

_Import = Annotated[
    int | None,
    typer.Option("--import", metavar="NUMBER", help="An import, or whatever else was changed at once, by its number."),
]


def history(
    term: Annotated[str | None, typer.Argument(help="A term's or a context's spelling, now or formerly.")] = None,
    batch: _Import = None,
    details: Annotated[bool, typer.Option("--details", help="List each change of an import.")] = False,
    limit: Annotated[int, typer.Option(min=1, help="How many to list.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print each change as JSON.")] = False,
) -> None:
    """List who changed what when, the newest first: of one term or context, or of the whole dictionary.

    What was changed at once (an import, a merge, the mining of a document) is one line with its number and its count;
    --import NUMBER lists the changes of one.
    """
    if term is not None and batch is not None:
        raise InvalidInput("Give a term or --import, not both.", field="import")
    with dictionary() as store:
        if batch is not None:
            print_changes(store.batch_changes(batch, limit=limit), as_json)
        elif term is not None or details or as_json:
            print_changes(store.history(term, limit=limit), as_json)
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
    print_changes(changes[:_SHOWN], False)
    if len(changes) > _SHOWN:
        typer.echo(f"and {len(changes) - _SHOWN} more")
