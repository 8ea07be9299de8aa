"""``golden serve``, ``golden mcp``, ``golden settings`` and ``golden doctor``."""

import asyncio
import json
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from contracts.errors import InvalidInput

if TYPE_CHECKING:
    from golden_retriever.doctor import Finding


def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on; default 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(help="The port; default 7860.", min=0, max=65535)] = None,
    model: Annotated[
        str | None,
        typer.Option(help="The language model: a .gguf file, which is loaded here, or an address as in GOLDEN_LLM."),
    ] = None,
    starter: Annotated[
        Path | None,
        typer.Option(help="On first use, read this folder's documents/, dictionary.csv and contexts.csv.", exists=True),
    ] = None,
    ui: Annotated[bool, typer.Option(help="Serve the chat at / in addition to the API.")] = True,
) -> None:
    """Serve the chat and the OpenAI-compatible API on this machine."""
    from golden_retriever.logs import start_logging
    from golden_retriever.server import run_server
    from golden_retriever.settings import load_settings

    given = {name: value for name, value in (("host", host), ("port", port), ("llm", model)) if value is not None}
    settings = load_settings(**given)
    start_logging(settings)
    asyncio.run(run_server(settings, starter=starter.absolute() if starter else None, with_ui=ui))


def mcp(
    group: Annotated[
        list[str] | None, typer.Option(help="Only documents of this group (repeatable); default: every group.")
    ] = None,
    department: Annotated[str, typer.Option(help="The context you work in; it helps to interpret abbreviations.")] = "",
) -> None:
    """Offer ask, search and jargon look-up to an agent or editor over standard input and output (MCP)."""
    from golden_retriever.settings import load_settings
    from golden_retriever.wiring.mcp import serve_over_stdio

    groups = [each.strip() for each in group or []]
    if not all(groups):
        raise InvalidInput("--group needs the name of a group: golden documents list shows them.", field="group")
    settings = load_settings(**({"department": department} if department else {}))
    asyncio.run(serve_over_stdio(settings, groups=groups))


def settings() -> None:
    """Print the current settings, with secrets masked."""
    from golden_retriever.settings import load_settings
    from golden_retriever.settings.masking import masked

    typer.echo(masked(load_settings().model_dump_json(indent=2)))


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Check storage, indexes, models and OCR, and explain how to fix problems.

    The indexes are compared with SQL. A language model server is asked for its models and about ten short replies, and
    a suitable profile is suggested; no documents are sent. The exit status is 1 if something does not work.
    """
    found = asyncio.run(_examine(as_json))
    if as_json:
        typer.echo(json.dumps([asdict(each) for each in found], ensure_ascii=False, indent=2))
    if any(each.state == "fault" for each in found):
        raise typer.Exit(1)


async def _examine(silent: bool) -> "list[Finding]":
    from golden_retriever.doctor import examine
    from golden_retriever.settings import load_settings

    found = []
    async for each in examine(load_settings()):
        found.append(each)
        if not silent:
            typer.echo(f"{each.state:<8} {each.part:<16} {each.found}")
            if each.details:
                typer.echo(textwrap.indent("\n".join(each.details), " " * 9))
            if each.mend:
                typer.echo(f"{'':<8} {'mend:':<16} {each.mend}")
    return found
