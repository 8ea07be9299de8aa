"""``golden serve``, ``golden mcp`` and ``golden settings``."""

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from contracts.errors import InvalidInput


def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen on; default 127.0.0.1.")] = None,
    port: Annotated[int | None, typer.Option(help="The port; default 7860.", min=0, max=65535)] = None,
    model: Annotated[
        str | None,
        typer.Option(help="The language model: a .gguf file, which is served beside, or an address as in GOLDEN_LLM."),
    ] = None,
    starter: Annotated[
        Path | None,
        typer.Option(help="On first use, read this folder's documents/, dictionary.csv and contexts.csv.", exists=True),
    ] = None,
    ui: Annotated[bool, typer.Option(help="Serve the chat at / beside the API.")] = True,
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
    department: Annotated[str, typer.Option(help="The context you work in: it helps to read abbreviations.")] = "",
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
    """Print the settings in force, secrets masked."""
    from golden_retriever.settings import load_settings
    from golden_retriever.settings.masking import masked

    typer.echo(masked(load_settings().model_dump_json(indent=2)))
