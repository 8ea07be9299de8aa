"""Functions for ``golden jargon`` that open the dictionary and print entries and changes as lines and as JSON."""

import json
import textwrap
from collections.abc import Sequence
from contextlib import contextmanager
from itertools import groupby
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contracts.dictionary import Candidate, Change, FieldChange, ImportReport
    from contracts.jargon import Sense
    from jargon_db.store import JargonStore

_PLACES_SHOWN = 3
_SENTENCE_CHARACTERS = 200


@contextmanager
def dictionary() -> "Iterator[JargonStore]":
    """Open the dictionary from the settings; changes are recorded under the caller's name."""
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_dictionary

    with open_dictionary(load_settings()) as store:
        yield store


def line_of(sense: "Sense") -> str:
    """Return a sense as a line: number, term, extended name, context, description."""
    context = f" [{sense.context}]" if sense.context else ""
    description = f": {sense.description}" if sense.description else ""
    return f"{sense.id:>5}  {sense.term} = {sense.extended_name}{context}{description}"


def print_beside(senses: "Sequence[Sense]") -> None:
    """Print contradicting meanings, one per line."""
    for sense in senses:
        state = f" ({sense.state})" if sense.state != "published" else ""
        typer.echo(f"         beside {line_of(sense).strip()}{state}")


def print_candidate(candidate: "Candidate") -> None:
    """Print a draft with its score and version, its best evidence, and the published meanings that it contradicts."""
    score = f"score {candidate.score:.2f}, " if candidate.evidence else ""
    typer.echo(f"{line_of(candidate.sense)}  ({score}version {candidate.sense.version})")
    for place in candidate.evidence[:_PLACES_SHOWN]:
        shown = textwrap.shorten(place.sentence, _SENTENCE_CHARACTERS, placeholder="...")
        where = f"{place.document}, page {place.page}" if place.document else f"page {place.page}"
        typer.echo(f"         {where} ({place.score:.2f}): {shown}")
    if len(candidate.evidence) > _PLACES_SHOWN:
        typer.echo(f"         and {len(candidate.evidence) - _PLACES_SHOWN} more places")
    print_beside(candidate.conflicts)


def print_changes(changes: "Sequence[Change]") -> None:
    """Print changes, newest first: a single change with the fields that differ, changes made together on one line."""
    for _, batch in groupby(changes, key=lambda each: each.batch):
        *more, first = batch
        undone = f" {first.undoes}" if first.undoes is not None else ""
        origin = f" from {first.origin}" if first.origin else ""
        who = first.who or "(the program)"
        together = f" and {len(more)} more" if more else f"  ({first.kind} {first.entry}, version {first.version})"
        when = f"{first.at:%Y-%m-%d %H:%M:%S} UTC"
        typer.echo(f"{first.number:>5}  {when}  {who}  {first.action}{undone}{origin}  {first.name}{together}")
        if not more:
            print_differences(first.differences)


def print_differences(found: "Sequence[FieldChange]") -> None:
    """Print the fields that differ, one per line: old -> new."""
    for each in found:
        typer.echo(f"         {each.field}: {_shown(each.before)} -> {_shown(each.after)}")


def print_plan(what: str, plan: "ImportReport") -> None:
    """Print the changes that an import would make, and the number of rows of each kind."""
    for change in plan.rows:
        typer.echo(f"{'changed' if change.before else 'added'}: {change.name}")
        print_differences(change.differences)
    counts = f"{plan.added} added, {plan.changed} changed, {plan.unchanged} unchanged"
    typer.echo(f"{what}: {counts} (preview; nothing was changed)")


def _shown(value: object) -> str:
    return "-" if value is None else json.dumps(value, ensure_ascii=False)
