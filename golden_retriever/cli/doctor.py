"""``golden doctor``: whether everything works on this machine, and how to mend what does not."""

import asyncio
import json
import textwrap
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from golden_retriever.doctor import Finding


def doctor(as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Check storage, indexes, models and OCR, and say how to mend what does not work.

    The indexes are compared with SQL. A language model is asked for its models and about ten short replies, and the
    profile that suits it is named; no document is sent. Exit 1 where something does not work; warnings exit 0.
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
