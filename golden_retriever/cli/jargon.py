"""``golden jargon``: the dictionary from the command line."""

from pathlib import Path
from typing import Annotated

import typer

from contracts.jargon import Context, SenseState
from golden_retriever.cli import jargon_managing, jargon_waiting
from golden_retriever.cli.jargon_rendering import dictionary, line_of, print_json, print_plan, print_senses
from golden_retriever.cli.jargon_waiting import print_drafts

app = typer.Typer(help="The jargon dictionary: import, add, edit, look up, history.", no_args_is_help=True)


@app.command("import")
def import_(
    path: Annotated[Path, typer.Argument(help="A CSV or XLSX file of terms.", exists=True, dir_okay=False)],
    contexts: Annotated[
        Path | None, typer.Option(help="A CSV or XLSX file of contexts: name,description,examples.", exists=True)
    ] = None,
    preview: Annotated[
        bool, typer.Option("--preview", help="Show what would change, row by row, and change nothing.")
    ] = False,
) -> None:
    """Import terms from a CSV or XLSX file, all or nothing; importing it again changes nothing.

    Columns: term, aliases (separated by ;), context, extended_name, description, notes, source, state.
    """
    from jargon_db.import_export import import_files, preview_import

    with dictionary() as store:
        done = (preview_import if preview else import_files)(store, path, contexts)
    for what, report in (("contexts", done.contexts), ("terms", done.terms)):
        if report is not None and preview:
            print_plan(what, report)
        elif report is not None:
            typer.echo(f"{what}: {report.added} added, {report.changed} changed, {report.unchanged} unchanged")
    if done.change is not None:
        typer.echo(f"take it back with: golden jargon undo --import {done.change}")


@app.command("add")
def add(
    term: Annotated[str, typer.Argument(help="The abbreviation or term.")],
    extended_name: Annotated[str, typer.Argument(help="What it stands for.")],
    context: Annotated[str, typer.Option(help="The context in which it means that; empty: everywhere.")] = "",
    description: Annotated[str, typer.Option(help="What it is, in a sentence or two.")] = "",
    notes: Annotated[str, typer.Option(help="Anything a reader should know besides.")] = "",
    source: Annotated[str, typer.Option(help="Where this is written.")] = "",
    alias: Annotated[list[str] | None, typer.Option(help="Another spelling (repeatable).")] = None,
) -> None:
    """Add a meaning of a term, or change the one with that extended name; it holds from the next question on."""
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


@app.command("context")
def context(
    name: Annotated[str, typer.Argument(help="The context's name.")],
    description: Annotated[str | None, typer.Option(help="What is talked about in it.")] = None,
    example: Annotated[list[str] | None, typer.Option(help="A question asked in it (repeatable).")] = None,
) -> None:
    """Add or describe a context; what you do not name stays."""
    from jargon_db.normalization import fold

    with dictionary() as store:
        there = next((each for each in store.context_entries() if fold(each.name) == fold(name)), None)
        former: Context = there or Context(name=name)
        given = Context(
            name=name,
            description=former.description if description is None else description,
            examples=former.examples if example is None else tuple(example),
        )
        store.put_context(given, version=there.version if there is not None else None)
    typer.echo(f"context {name}")


@app.command("list")
def list_(
    context: Annotated[str | None, typer.Option(help="Only this context.")] = None,
    state: Annotated[SenseState, typer.Option(help="Only meanings of this state.")] = "published",
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON, with versions.")] = False,
) -> None:
    """List the meanings in the dictionary; drafts with score, evidence, and the meanings that they contradict."""
    with dictionary() as store:
        if state == "draft":
            print_drafts(store, context, as_json)
            return
        entries = store.entries(context=context, state=state)
    if as_json:
        print_json([{**each.sense.model_dump(), "version": each.version} for each in entries])
        return
    print_senses(entries)


@app.command("lookup")
def lookup(
    terms: Annotated[list[str], typer.Argument(help="Terms or aliases, in any letter case.")],
) -> None:
    """Look terms up as the bot does."""
    with dictionary() as store:
        found = store.look_up(terms)
    print_senses([sense for senses in found.values() for sense in senses])
    for term, senses in found.items():
        if not senses:
            typer.echo(f"{term}: not in the dictionary", err=True)
    if not any(found.values()):
        raise typer.Exit(1)


app.command("publish")(jargon_waiting.publish)
app.command("reject")(jargon_waiting.reject)
app.command("queue")(jargon_waiting.queue)
app.command("edit")(jargon_managing.edit)
app.command("merge")(jargon_managing.merge)
app.command("delete")(jargon_managing.delete)
app.command("export")(jargon_managing.export)
app.command("history")(jargon_managing.history)
app.command("undo")(jargon_managing.undo)
