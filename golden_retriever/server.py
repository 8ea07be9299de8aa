"""The serving process: first-use ingestion, then the API and the chat on one address."""

import asyncio
import errno
import json
import os
import socket
from collections.abc import Callable, Generator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import typer
import uvicorn

from contracts.errors import ConfigurationError
from golden_retriever.folder_lock import server_lock
from golden_retriever.settings import Settings
from golden_retriever.stopping import StopSignals, drain
from golden_retriever.unfinished import resume_unfinished
from golden_retriever.web import build_web_application
from golden_retriever.wiring import Application, open_application, open_keys
from golden_retriever.wiring.application import build_watching
from golden_retriever.wiring.identity import asks_everyone
from serving.metrics import Metrics
from serving.phases import PhaseMiddleware

_STARTED = "starter.json"
_LOOK_EVERY_S = 0.02
_SEARCHES = {"exact": "exactly, in a file that they share", "chroma": "by Chroma's server"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOrder:
    """What is to be served.

    ``keyed``: each request must say who makes it from the start; ``starter``: a folder to read first, once.
    """

    settings: Settings
    keyed: bool
    starter: Path | None = None
    with_ui: bool = True


async def run_server(
    settings: Settings, *, starter: Path | None = None, with_ui: bool = True, beside: bool = False
) -> None:
    """Serve in this process until a signal stops it. With ``starter``, read that folder first, once.

    ``beside``: other processes serve the same data folder, so the embedded Chroma, which belongs to one, is not used.

    Raises:
        ConfigurationError: the address is not a loopback address, though no keys protect the server; or its port
            cannot be used.
    """
    if beside:
        settings = shared_search(settings)
    # Before anything is read: whoever must choose another port learns it at once.
    keyed, listener = claim(settings)
    order = ServerOrder(settings=settings, keyed=keyed, starter=starter, with_ui=with_ui)

    with nullcontext(lambda _: None) if beside else server_lock(settings) as publish:

        def say(application: Application) -> None:
            publish(listener)
            announce(order, listener, documents=len(application.store.documents()))

        await serve_on(listener, order, signals=StopSignals(), on_ready=say)


def shared_search(settings: Settings) -> Settings:
    """Return the settings with an index that several processes can search: the exact one, unless Chroma is a server."""
    if settings.dense_index == "chroma" and not settings.chroma_url:
        return settings.model_copy(update={"dense_index": "exact"})
    return settings


def claim(settings: Settings) -> tuple[bool, socket.socket]:
    """Return whether the server asks everyone who they are, and its socket, which does not listen yet.

    Raises:
        ConfigurationError: as of ``run_server``.
    """
    with open_keys(settings) as store:
        keyed = asks_everyone(settings, store.records())
    return keyed, claim_port(settings.host, settings.port)


async def serve_on(
    listener: socket.socket, order: ServerOrder, *, signals: StopSignals, on_ready: Callable[[Application], None]
) -> None:
    """Serve on ``listener`` until a signal comes; ``on_ready`` is called when requests are let in.

    One process answers health checks from the first moment on, and as long as it answers anything. Of several that
    share the port, each listens only once it can answer questions: until then the others take all connections.
    """
    server = _Server(PhaseMiddleware(prefix=order.settings.path_prefix))
    with signals.listening():
        if order.settings.server_workers == 1:
            await server.start(listener)
        living = asyncio.create_task(_live(server, listener, order, signals, on_ready))
        stopped = asyncio.create_task(signals.wait())
        try:
            await asyncio.wait({living, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if server.phases.phase == "starting":
                living.cancel()
            await asyncio.wait({living})
            if not living.cancelled():
                living.result()
        finally:
            stopped.cancel()
            await server.end()


async def _live(
    server: "_Server",
    listener: socket.socket,
    order: ServerOrder,
    signals: StopSignals,
    on_ready: Callable[[Application], None],
) -> None:
    """Open the application, let requests in to it, and drain it when a signal comes."""
    metrics = Metrics()
    async with open_application(order.settings, watching=build_watching(order.settings, metrics)) as application:
        if order.starter is not None:
            await use_starter(application, order.starter)
        await application.vector_index.synchronise()
        web = await build_web_application(application, with_ui=order.with_ui, keyed=order.keyed, metrics=metrics)
        async with web.router.lifespan_context(web):
            server.phases.open(web)
            resume_unfinished(application)
            await server.start(listener)
            on_ready(application)
            await signals.wait()
            await drain(application, server.phases, server.stop_listening)
            # Its last connections are cut before what they ask is closed.
            await server.finish()


class _Server(uvicorn.Server):
    """Leaves signals to the process that runs it, and stops in two steps."""

    def __init__(self, phases: PhaseMiddleware) -> None:
        config = uvicorn.Config(
            phases,
            log_config=None,
            access_log=False,
            # The phases have none; the application's own is run by ``_live``.
            lifespan="off",
            proxy_headers=False,
            # What is still open then only listens: an open page, a client that waits for news.
            timeout_graceful_shutdown=1,
        )
        super().__init__(config)
        self.phases = phases
        self._serving: asyncio.Task[None] | None = None

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Capture none."""
        yield

    async def start(self, listener: socket.socket) -> None:
        """Listen on ``listener``, unless the server does already."""
        if self._serving is not None:
            return
        self._serving = asyncio.create_task(self.serve(sockets=[listener]))
        while not self.started:
            await asyncio.wait({self._serving}, timeout=_LOOK_EVERY_S)
            if self._serving.done():
                self._serving.result()
                return

    async def end(self) -> None:
        """Close every connection and end the server, if it was started."""
        self.should_exit = True
        if self._serving is not None:
            await self._serving

    def stop_listening(self) -> None:
        """Let no new connection in; the open ones go on."""
        for each in self.servers:
            each.close()

    async def finish(self) -> None:
        """Close every connection, and wait until no request is under way."""
        self.should_exit = True
        while self.server_state.tasks:  # noqa: ASYNC110 - uvicorn tells nobody when they end
            await asyncio.sleep(_LOOK_EVERY_S)


def claim_port(host: str, port: int) -> socket.socket:
    """Bind a socket to ``port`` (0: any free one) of ``host``; it does not listen yet.

    Raises:
        ConfigurationError: another program has the port, or this account may not use it.
    """
    # With its protocol named: asyncio sends small pieces at once (TCP_NODELAY) only over a socket that says it is TCP.
    # Else a piece of an answer may wait until the client has confirmed the one before it, which many delay by 40 ms.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    claimed = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    if os.name == "posix":
        # On Windows the option would let two servers share the port.
        claimed.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        claimed.bind((host, port))
    except OSError as error:
        claimed.close()
        taken = error.errno == errno.EADDRINUSE
        reason = "is used by another program" if taken else f"cannot be used ({error.strerror or error})"
        raise ConfigurationError(
            f"Port {port} of {host} {reason}: choose another one with --port or GOLDEN_PORT (0 takes any free one)."
        ) from error
    return claimed


def announce(order: ServerOrder, listener: socket.socket, *, documents: int) -> None:
    """Print the addresses and what is loaded."""
    settings = order.settings
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"http://{host}:{listener.getsockname()[1]}"
    engine = settings.llm_base_url or "embedded (no LLM is configured)"
    asked = "asks who you are" if order.keyed else "any key is accepted on loopback, until one is created"
    if order.with_ui:
        ways = f"a key, or at {settings.provider_name}" if settings.oidc_client_id else "a key"
        login = f"   (people log in with {ways})" if order.keyed else ""
        typer.echo(f"\n  Chat      {address}/{login}")
    typer.echo(f"  API       {address}/v1   (OpenAI-compatible; {asked})")
    typer.echo(f"  Library   {documents} documents in {settings.data_dir.resolve()}")
    typer.echo(f"  Engine    {engine}")
    if settings.server_workers > 1:
        typer.echo(
            f"  Workers   {settings.server_workers} processes; vectors are searched {_SEARCHES[settings.dense_index]}\n"
            "            the pages need one process: golden ui serves them beside these"
        )
    typer.echo("  Stop with Ctrl+C\n")


async def use_starter(application: Application, folder: Path) -> None:
    """Read the ``dictionary.csv``, ``contexts.csv`` and ``documents/`` of ``folder`` (absolute), unless done before."""
    marker = application.settings.data_dir / _STARTED
    finished = json.loads(marker.read_text(encoding="utf-8")) if marker.is_file() else {}
    if str(folder) in finished:
        return
    from golden_retriever.cli.progress import watching
    from jargon_db.importing import import_files

    typer.echo(f"First use: reading {folder} ...")
    contexts, terms, documents = folder / "contexts.csv", folder / "dictionary.csv", folder / "documents"
    given = [path if path.is_file() else None for path in (terms, contexts)]
    if any(given):
        import_files(application.jargon, *given)
    if documents.is_dir():
        with watching() as watch:
            await application.pipeline.ingest([documents], on_event=watch.hear)
        watch.show_end()
    marker.write_text(json.dumps({**finished, str(folder): True}), encoding="utf-8")
