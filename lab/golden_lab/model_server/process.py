"""The process that serves a language model and adapters for trials."""

import asyncio
import socket
from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer
import uvicorn

from golden_lab.model_server.app import create_model_app
from golden_retriever.stopping import StopSignals
from serving.access import is_loopback

if TYPE_CHECKING:
    from golden_lab.local_chat import LocalChat


async def run_model_server(chat: "LocalChat", listener: socket.socket, *, host: str, key: str) -> None:
    """Serve on ``listener``, bound to ``host``, until a signal comes; with ``key`` each request must bring it."""
    app = create_model_app(chat, key=key, loopback=is_loopback(host))
    server = _Server(uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=1, lifespan="off"))
    signals = StopSignals()
    with signals.listening():
        serving = asyncio.create_task(server.serve(sockets=[listener]))
        asked = asyncio.create_task(signals.wait())
        while not server.started and not serving.done():
            await asyncio.wait({serving}, timeout=0.02)
        if server.started:
            _announce(chat, listener, host=host, key=key)
        await asyncio.wait({serving, asked}, return_when=asyncio.FIRST_COMPLETED)
        asked.cancel()
        server.should_exit = True
        # What is being written ends first: uvicorn waits for it.
        await chat.close()
        await serving


class _Server(uvicorn.Server):
    """Leaves signals to the process that runs it."""

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture none."""
        yield


def _announce(chat: "LocalChat", listener: socket.socket, *, host: str, key: str) -> None:
    shown = f"[{host}]" if ":" in host else host
    base, *adapters = chat.models
    typer.echo(
        f"\n  API       http://{shown}:{listener.getsockname()[1]}/v1   (OpenAI-compatible; for trials: one reply"
    )
    typer.echo("            at a time, no JSON schemas; for everyday work serve the adapters with vLLM)")
    typer.echo(f"  Model     {base}")
    typer.echo(f"  Adapters  {', '.join(adapters) or 'none'}")
    if key:
        typer.echo("  Key       the one of GOLDEN_LLM_API_KEY, which the bot sends")
    elif not is_loopback(host):
        typer.echo("  Key       none: whoever reaches this address may ask; set GOLDEN_LLM_API_KEY here and at the bot")
    typer.echo("  Stop with Ctrl+C\n")
