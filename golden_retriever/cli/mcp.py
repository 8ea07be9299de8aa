"""``golden mcp``."""

import asyncio
from typing import Annotated

import typer

from contracts.errors import InvalidInput


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
