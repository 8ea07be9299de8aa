"""``golden conversations``: stored questions and answers."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contracts.errors import InvalidInput
from contracts.question import LOCAL_ACCOUNT

if TYPE_CHECKING:
    from library.records.conversations import ConversationStore

app = typer.Typer(help="Stored conversations: list, export, delete.", no_args_is_help=True)

Account = Annotated[
    str, typer.Option(help="The account: local (this machine without keys), key:ID, token:… or proxy:….")
]


@contextmanager
def _open_conversations() -> "Iterator[ConversationStore]":
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring import open_library
    from library.records.conversations import ConversationStore

    with open_library(load_settings()) as library:
        yield ConversationStore(library.engine)


@app.command("list")
def list_(
    account: Account = LOCAL_ACCOUNT,
    text: Annotated[str, typer.Option(help="Text in their titles, questions or answers.")] = "",
    limit: Annotated[int, typer.Option(min=1, max=10_000, help="The maximum number of conversations.")] = 50,
) -> None:
    """List conversations, most recently changed first."""
    with _open_conversations() as store:
        found = store.page(account, text=text, limit=limit)
    for each in found:
        typer.echo(f"{each.changed_at:%Y-%m-%d %H:%M}  {each.questions:>3}  {each.id}  {each.title}")


@app.command("export")
def export(
    path: Annotated[Path, typer.Argument(help="The file: .md for Markdown, .json for JSON.", dir_okay=False)],
    account: Account = LOCAL_ACCOUNT,
) -> None:
    """Write all conversations of an account to a file."""
    from serving.records.exports import as_json, as_markdown, exported_conversations

    if path.suffix not in (".md", ".json"):
        raise InvalidInput(f"{path}: name a file that ends in .md or .json", field="path")
    with _open_conversations() as store, path.open("w", encoding="utf-8") as file:
        conversations = exported_conversations(store, account, None)
        file.writelines(as_json(conversations) if path.suffix == ".json" else as_markdown(conversations))
    typer.echo(f"wrote {path}")


@app.command("delete")
def delete(
    conversation: Annotated[str, typer.Argument(help="A conversation's id; empty with --all.")] = "",
    account: Account = LOCAL_ACCOUNT,
    all_: Annotated[bool, typer.Option("--all", help="Every conversation of the account.")] = False,
) -> None:
    """Delete a conversation, or all conversations of an account, with questions, answers and feedback."""
    if bool(conversation) == all_:
        raise InvalidInput("Name one conversation, or use --all.", field="conversation")
    with _open_conversations() as store:
        gone = 1
        if conversation:
            store.delete(account, conversation)
        else:
            gone = store.delete_all(account)
    typer.echo(f"deleted {gone} conversation{'' if gone == 1 else 's'} of {account}")
