"""``golden jargon history`` and what else the dictionary's manager does with entries that are there."""

from typing import Annotated

import typer

from golden_retriever.cli.jargon_rendering import dictionary, print_changes


def history(
    term: Annotated[str | None, typer.Argument(help="A term's or a context's spelling, now or formerly.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="How many changes to list.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List who changed what when, the newest first: of one term or context, or of the whole dictionary."""
    with dictionary() as store:
        changes = store.history(term, limit=limit)
    print_changes(changes, as_json)


def undo(
    number: Annotated[int, typer.Argument(help="A change's number, as `golden jargon history` shows it.")],
) -> None:
    """Take one change back; refused where the entry has changed since. This is a change that can be undone, too."""
    with dictionary() as store:
        change = store.undo(number)
    print_changes([change], False)
