"""``golden conversations``: what people asked and were answered, as it is kept."""

import json
from pathlib import Path
from typing import Annotated

import typer

from contracts.errors import InvalidInput
from contracts.question import LOCAL_ACCOUNT

app = typer.Typer(
    help="Kept conversations: list, export, delete, tidy up; and the test cases that were made of them.",
    no_args_is_help=True,
)

Account = Annotated[
    str, typer.Option(help="Whose: local (this machine without keys), key:ID, token:… or proxy:…; see `accounts`.")
]


@app.command("accounts")
def accounts() -> None:
    """List the accounts that have conversations, and how many each has."""
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library
    from library.records.conversations import ConversationStore

    with open_library(load_settings()) as library:
        for account, count in ConversationStore(library.engine).accounts():
            typer.echo(f"{account}  {count}")


@app.command("list")
def list_(
    account: Account = LOCAL_ACCOUNT,
    text: Annotated[str, typer.Option(help="What their title, questions or answers hold.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="How many.")] = 50,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List conversations, the last changed first."""
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library
    from library.records.conversations import ConversationStore

    with open_library(load_settings()) as library:
        found = ConversationStore(library.engine).page(account, text=text, limit=limit)
    if as_json:
        typer.echo(json.dumps([each.model_dump(mode="json") for each in found], ensure_ascii=False))
        return
    for each in found:
        typer.echo(f"{each.changed_at:%Y-%m-%d %H:%M}  {each.questions:>3}  {each.id}  {each.title}")


@app.command("export")
def export(
    path: Annotated[Path, typer.Argument(help="The file: .md for Markdown, .json for JSON.", dir_okay=False)],
    account: Account = LOCAL_ACCOUNT,
) -> None:
    """Write all conversations of an account to a file."""
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library
    from library.records.conversations import ConversationStore
    from serving.records.exporting import as_json, as_markdown, told_of

    if path.suffix not in (".md", ".json"):
        raise InvalidInput(f"{path}: name a file that ends in .md or .json", field="path")
    with open_library(load_settings()) as library, path.open("w", encoding="utf-8") as file:
        told = told_of(ConversationStore(library.engine), account, None)
        file.writelines(as_json(told) if path.suffix == ".json" else as_markdown(told))
    typer.echo(f"wrote {path}")


@app.command("delete")
def delete(
    conversation: Annotated[str, typer.Argument(help="A conversation's id; empty with --all.")] = "",
    account: Account = LOCAL_ACCOUNT,
    all_: Annotated[bool, typer.Option("--all", help="Every conversation of the account.")] = False,
) -> None:
    """Delete a conversation, or all of an account: questions, answers and feedback."""
    if bool(conversation) == all_:
        raise InvalidInput("Name one conversation, or say --all.", field="conversation")
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library
    from library.records.conversations import ConversationStore

    with open_library(load_settings()) as library:
        store, gone = ConversationStore(library.engine), 1
        if conversation:
            store.delete(account, conversation)
        else:
            gone = store.delete_all(account)
    typer.echo(f"deleted {gone} conversation{'' if gone == 1 else 's'} of {account}")


@app.command("tidy")
def tidy() -> None:
    """Delete what is past its time, and take out what documents that are gone said; a server does so by itself."""
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library
    from golden_retriever.wiring.conversations import tidy_records

    settings = load_settings()
    with open_library(settings) as library:
        pruned, withdrawn = tidy_records(settings, library.engine)
    days = settings.keep_conversations_days
    typer.echo(f"deleted {pruned} conversations without a question for {days or 'any number of'} days")
    typer.echo(f"took answers out of {withdrawn} conversations: documents that they cite are gone")


@app.command("cases")
def cases(
    path: Annotated[Path, typer.Argument(help="The quiz to write: JSONL.", dir_okay=False)],
) -> None:
    """Write the test cases that reviewers made of turns as a quiz: golden eval quiz PATH asks them."""
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library
    from library.records.cases import CaseStore
    from serving.records.service import quiz_of

    with open_library(load_settings()) as library:
        found = CaseStore(library.engine).cases(None)
    path.write_bytes(quiz_of(found))
    typer.echo(f"wrote {len(found)} case{'' if len(found) == 1 else 's'} to {path}")
