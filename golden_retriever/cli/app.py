"""Assembles the commands; errors become one clear line."""

import sys
from typing import Any

import typer

from contracts.errors import GoldenError, InvalidInput
from golden_retriever.cli import ask, cases, conversations, documents, ingest, jargon, keys, serve


class FriendlyTyper(typer.Typer):
    """A Typer that shows expected errors as one readable line: exit status 2 for bad input, 1 for other errors."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except GoldenError as error:
            sys.stderr.write(f"golden: {error}\n")
            sys.exit(2 if isinstance(error, InvalidInput) else 1)
        except OSError as error:
            # A full disk or missing permissions: the system's message is sufficient.
            sys.stderr.write(f"golden: {error}\n")
            sys.exit(1)


app = FriendlyTyper(
    name="golden",
    help="The help bot that speaks your company's jargon.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.command("ask")(ask.ask)
app.command("ingest")(ingest.ingest)
app.add_typer(jargon.app, name="jargon")
app.add_typer(documents.app, name="documents")
app.command("doctor")(serve.doctor)
app.command("serve")(serve.serve)
app.command("mcp")(serve.mcp)
app.add_typer(keys.app, name="keys")
app.add_typer(conversations.app, name="conversations")
app.add_typer(cases.app, name="eval")
app.command("settings")(serve.settings)


@app.callback(invoke_without_command=True)
def _root(version: bool = typer.Option(False, "--version", help="Print the version and stop.", is_eager=True)) -> None:
    if version:
        from golden_retriever import __version__

        typer.echo(f"golden {__version__}")
        raise typer.Exit
