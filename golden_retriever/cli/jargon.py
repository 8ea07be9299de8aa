"""``golden jargon``: the dictionary from the command line."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from contracts.errors import InvalidInput
from contracts.jargon import SenseState
from golden_retriever.cli.jargon_rendering import (
    dictionary,
    line_of,
    print_beside,
    print_candidate,
    print_changes,
    print_plan,
)

app = typer.Typer(help="The jargon dictionary: import, add, look up, publish, history.", no_args_is_help=True)

Numbers = Annotated[
    list[int] | None,
    typer.Argument(
        metavar="[NUMBER]...", help="Numbers of meanings, as `golden jargon list --state draft` shows them."
    ),
]


@app.command("import")
def import_(
    path: Annotated[Path, typer.Argument(help="A CSV or XLSX file of terms.", exists=True, dir_okay=False)],
    contexts: Annotated[
        Path | None, typer.Option(help="A CSV or XLSX file of contexts: name,description,examples.", exists=True)
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Show what would change, row by row, without changing anything.")
    ] = False,
) -> None:
    """Import terms from a CSV or XLSX file, all or nothing; importing it again changes nothing.

    Columns: term, aliases (separated by ;), context, extended_name, description, notes, source, state.
    """
    from jargon_db.import_export import import_files
    from jargon_db.spreadsheets import MAX_ROWS

    with dictionary() as store:
        done = import_files(store, path, contexts, preview=MAX_ROWS if preview else None)
    for what, report in (("contexts", done.contexts), ("terms", done.terms)):
        if report is not None and preview:
            print_plan(what, report)
        elif report is not None:
            typer.echo(f"{what}: {report.added} added, {report.changed} changed, {report.unchanged} unchanged")
    if done.change is not None:
        typer.echo(f"undo it with: golden jargon undo {done.change}")


@app.command("export")
def export(
    path: Annotated[Path, typer.Argument(help="The CSV file to write.", dir_okay=False)],
    contexts: Annotated[Path | None, typer.Option(help="A CSV file for the contexts.", dir_okay=False)] = None,
) -> None:
    """Write the dictionary to a file that can be imported again unchanged; no cell runs as a formula."""
    from jargon_db.import_export import export_contexts, export_terms

    with dictionary() as store:
        if contexts is not None:
            typer.echo(f"contexts: {export_contexts(store, contexts)} written to {contexts}")
        typer.echo(f"terms: {export_terms(store, path)} written to {path}")


@app.command("add")
def add(
    term: Annotated[str, typer.Argument(help="The abbreviation or term.")],
    extended_name: Annotated[str, typer.Argument(help="What it stands for.")],
    context: Annotated[str, typer.Option(help="The context in which it has this meaning; empty: everywhere.")] = "",
    description: Annotated[str, typer.Option(help="What it is, in a sentence or two.")] = "",
    notes: Annotated[str, typer.Option(help="Anything else that a reader should know.")] = "",
    source: Annotated[str, typer.Option(help="Where this is documented.")] = "",
    alias: Annotated[list[str] | None, typer.Option(help="Another spelling (repeatable).")] = None,
) -> None:
    """Add a meaning of a term, or change the one with that extended name; it takes effect with the next question."""
    with dictionary() as store:
        sense = store.add_sense(
            term,
            extended_name,
            context=context,
            description=description,
            notes=notes,
            source=source,
            aliases=tuple(alias or ()),
        )
    typer.echo(line_of(sense))


@app.command("list")
def list_(
    context: Annotated[str | None, typer.Option(help="Only this context.")] = None,
    state: Annotated[SenseState, typer.Option(help="Only meanings in this state.")] = "published",
) -> None:
    """List the meanings in the dictionary; show drafts with their score, evidence, and contradicting meanings."""
    with dictionary() as store:
        senses = {each.id: each for each in store.senses(context=context, state=state)}
        drafts = store.candidates() if state == "draft" else ()
    for candidate in drafts:
        if senses.pop(candidate.sense.id, None) is not None:
            print_candidate(candidate)
    for sense in senses.values():
        typer.echo(line_of(sense))
    if state == "published" and not senses:
        typer.echo("Nothing is published. Drafts: golden jargon list --state draft", err=True)


@app.command("lookup")
def lookup(terms: Annotated[list[str], typer.Argument(help="Terms or aliases, in any letter case.")]) -> None:
    """Look up terms as the bot does."""
    with dictionary() as store:
        found = store.look_up(terms)
    for term, senses in found.items():
        for sense in senses:
            typer.echo(line_of(sense))
        if not senses:
            typer.echo(f"{term}: not in the dictionary", err=True)
    if not any(found.values()):
        raise typer.Exit(1)


@app.command("publish")
def publish(
    numbers: Numbers = None,
    min_score: Annotated[
        float | None, typer.Option(min=0, max=1, help="Publish mined drafts whose best evidence scores at least this.")
    ] = None,
) -> None:
    """Publish drafts (terms mined from the documents), either all that are named or none.

    With --min-score, drafts that contradict a published meaning or each other are listed and stay drafts.
    """
    if bool(numbers) == (min_score is not None):
        raise InvalidInput("Name the meanings to publish by their numbers, or give --min-score.", field="number")
    with dictionary() as store:
        if min_score is not None:
            choice = store.publish_drafts(min_score)
            for what, candidates in (("published", choice.published), ("stays a draft:", choice.kept)):
                for candidate in candidates:
                    typer.echo(f"{what} {line_of(candidate.sense).strip()}")
                    print_beside(candidate.conflicts)
            return
        for sense in store.set_states(numbers or (), "published").items:
            typer.echo(f"published {line_of(sense).strip()}")
            print_beside([each for each in store.senses(term=sense.term, state="published") if each.id != sense.id])


@app.command("reject")
def reject(numbers: Numbers = None) -> None:
    """Reject drafts, either all that are named or none; they are not suggested again."""
    if not numbers:
        raise InvalidInput("Name the meanings to reject by their numbers.", field="number")
    with dictionary() as store:
        for sense in store.set_states(numbers, "rejected").items:
            typer.echo(f"rejected {line_of(sense).strip()}")


@app.command("delete")
def delete(
    sense_id: Annotated[
        int, typer.Argument(metavar="NUMBER", help="A meaning's number, as `golden jargon list` shows it.")
    ],
) -> None:
    """Delete a meaning; `golden jargon undo` restores it."""
    with dictionary() as store:
        removed = store.remove_sense(sense_id).deleted
    typer.echo(f"deleted {line_of(removed).strip()}")


@app.command("queue")
def queue(
    limit: Annotated[int, typer.Option(min=1, help="The maximum number of terms.")] = 20,
    dismiss: Annotated[str | None, typer.Option(metavar="TERM", help="Remove this term from the queue.")] = None,
) -> None:
    """List the unknown terms that people asked about, most frequent first, each with the command that adds it.

    Adding a term removes it from the queue. With GOLDEN_KEEP_QUESTIONS=false, no more questions are stored.
    """
    with dictionary() as store:
        if dismiss is not None:
            store.dismiss_unknown(dismiss)
            typer.echo(f"dismissed {dismiss}")
            return
        waiting, known = store.unknown_terms(), [each.name for each in store.contexts()]
    for each in waiting[:limit]:
        place = f" [{each.context}]" if each.context else ""
        asked = f": {each.last_question}" if each.last_question else ""
        typer.echo(f"{each.count:>5}  {each.term}{place}  last asked {each.last_asked_at:%Y-%m-%d %H:%M} UTC{asked}")
        bound = f" --context {shlex.quote(each.context)}" if each.context in known else ""
        typer.echo(f"         add it: golden jargon add {shlex.quote(each.term)} '...'{bound}")
    if len(waiting) > limit:
        typer.echo(f"and {len(waiting) - limit} more: golden jargon queue --limit {len(waiting)}")


@app.command("history")
def history(
    term: Annotated[str | None, typer.Argument(help="The current or a former spelling of a term or context.")] = None,
    limit: Annotated[int, typer.Option(min=1, help="The maximum number of changes.")] = 50,
) -> None:
    """List who changed what and when, newest first, for one term or context, or for the whole dictionary.

    Changes made together (an import, a merge, the mining of a document) share a line with the number of the first.
    """
    with dictionary() as store:
        print_changes(store.history(term, limit=limit))


@app.command("undo")
def undo(
    number: Annotated[int, typer.Argument(help="A change's number, as `golden jargon history` shows it.")],
) -> None:
    """Undo a change and all changes made together with it, such as an import. An undo can itself be undone.

    The undo is refused if an entry has changed since.
    """
    with dictionary() as store:
        made = store.undo(number)
    typer.echo(f"restore it with: golden jargon undo {made}")
