"""``golden ui``."""

import asyncio
from typing import Annotated

import typer

_PORT = 7861


def ui(
    host: Annotated[str | None, typer.Option(help="The address to listen on; default 127.0.0.1.")] = None,
    port: Annotated[int, typer.Option(help="The port; 0: any free one.", min=0, max=65535)] = _PORT,
) -> None:
    """Serve the pages and the API in one more process, beside ``golden serve --workers`` on the same settings."""
    from golden_retriever.logs import start_logging
    from golden_retriever.server import run_server
    from golden_retriever.settings import load_settings

    given = {"port": port, "server_workers": 1, **({} if host is None else {"host": host})}
    settings = load_settings(**given)
    start_logging(settings)
    asyncio.run(run_server(settings, beside=True))
