"""The serving process: first-use ingestion, then the API and the chat on one address."""

import asyncio
import errno
import json
import os
import socket
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from types import FrameType

import typer
import uvicorn

from contracts.errors import ConfigurationError, GoldenError
from golden_retriever.language_models.discovery import find_servers
from golden_retriever.language_models.speed import measure_speed
from golden_retriever.settings import Settings
from golden_retriever.wiring import Application, open_application, open_keys
from golden_retriever.wiring.chat import build_server, serving_llm
from golden_retriever.wiring.identity import asks_everyone
from serving.http_protocol import BoundedHttpProtocol
from serving.metrics import Metrics

_STARTED = "starter.json"
_LOOK_EVERY_S = 0.05


async def run_server(settings: Settings, *, starter: Path | None = None, with_ui: bool = True) -> None:
    """Serve in this process until a signal stops it. With ``starter``, read that folder first, once.

    Raises:
        ConfigurationError: the address is not a loopback address although no keys protect the server, or its port
            cannot be used.
    """
    # The port is claimed before anything is loaded, so that a port in use is reported at once.
    with open_keys(settings) as store:
        keyed = asks_everyone(settings, store.records())
    listener = claim_port(settings.host, settings.port)
    # Our own port is bound but not listening yet, so it is not found as a language model server. The search runs in a
    # thread, because loading everything else blocks this loop for longer than the search's time limit.
    looking = None if settings.llm else asyncio.create_task(asyncio.to_thread(asyncio.run, find_servers()))
    metrics = Metrics(log_questions=settings.log_questions)
    async with (
        _serving_llm(settings) as settings,
        open_application(settings, watchers=(metrics,), observers=(metrics.count_call,)) as application,
    ):
        # This slow import comes after the port is claimed, and while a thread reads the embedding model.
        from golden_retriever.web import build_question_check, build_web_application

        if starter is not None:
            await use_starter(application, starter)
        await application.vector_index.synchronise()
        web = await build_web_application(application, with_ui=with_ui, keyed=keyed, metrics=metrics)
        application.jobs.start()
        announce(application, listener, keyed=keyed, with_ui=with_ui, found=await looking if looking else ())
        config = uvicorn.Config(
            web,
            http=BoundedHttpProtocol,
            log_config=None,
            access_log=False,
            proxy_headers=False,
            # Connections that are still open then are idle: an open page, or a client waiting for events.
            timeout_graceful_shutdown=1,
        )
        checking = asyncio.create_task(build_question_check(application).run())
        try:
            await _Server(config, application, metrics).serve([listener])
        finally:
            checking.cancel()
            await asyncio.gather(checking, return_exceptions=True)


@asynccontextmanager
async def _serving_llm(settings: Settings) -> AsyncIterator[Settings]:
    """Serve a model that is a file, and print how fast it is."""
    file = settings.llm_address.path if settings.llm_address else None
    if file is not None:
        typer.echo(f"Loading {file} ...")
    async with serving_llm(settings) as (served, local):
        if local is not None:
            chat = build_server(served)
            try:
                speed = str(await measure_speed(chat))
            except GoldenError as error:
                speed = str(error)
            finally:
                await chat.close()
            typer.echo(f"{local.model}: loaded in {local.load_s:.1f} s, {speed}")
        yield served


class _Server(uvicorn.Server):
    """Lets running answers finish before it stops; a second signal ends the process at once."""

    def __init__(self, config: uvicorn.Config, application: Application, metrics: Metrics) -> None:
        super().__init__(config)
        self._application = application
        self._metrics = metrics

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop, or end the process: SQL and the indexes survive a kill."""
        if self.should_exit:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(128 + sig)
        self.should_exit = True

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept no more requests, stop ingestions, let answers finish, then close every connection.

        An ingestion stops where it is: a document is stored completely or not at all, and the next server on this
        database continues. Questions, and requests not yet answered, have ``GOLDEN_SHUTDOWN_GRACE_S`` to finish.
        """
        for each in (*self.servers, *(sockets or ())):
            each.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()
        await self._application.close()
        loop = asyncio.get_running_loop()
        limit = loop.time() + self._application.settings.shutdown_grace_s
        while self._anyone_waits() and loop.time() < limit:  # noqa: ASYNC110 - it changes in several places
            await asyncio.sleep(_LOOK_EVERY_S)
        await super().shutdown(sockets)

    def _anyone_waits(self) -> bool:
        """Return whether a question is being answered, or a request such as an upload is waiting for its response."""
        cycles = [each.cycle for each in self.server_state.connections if isinstance(each, BoundedHttpProtocol)]
        return bool(self._metrics.under_way) or any(each and not each.response_started for each in cycles)


def claim_port(host: str, port: int) -> socket.socket:
    """Bind a socket to ``port`` (0: any free one) of ``host``; it does not listen yet.

    Raises:
        ConfigurationError: another program has the port, or this account may not use it.
    """
    # The protocol is given because asyncio sends small pieces at once (TCP_NODELAY) only over a socket declared as TCP.
    # Otherwise a piece of an answer may wait until the client has acknowledged the previous one, and many clients delay
    # this by 40 ms.
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
            f"Port {port} of {host} {reason}: choose a different one with --port or GOLDEN_PORT (0 takes any free one)."
        ) from error
    return claimed


def announce(
    application: Application, listener: socket.socket, *, keyed: bool, with_ui: bool, found: Sequence[str] = ()
) -> None:
    """Print the addresses, the library, the engine, and the language models that were ``found`` on this machine."""
    settings = application.settings
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    address = f"http://{host}:{listener.getsockname()[1]}"
    asked = "requires a login" if keyed else "any key is accepted on loopback, until one is created"
    if with_ui:
        ways = f"a key, or at {settings.provider_name}" if settings.oidc_client_id else "a key"
        login = f"   (people log in with {ways})" if keyed else ""
        typer.echo(f"\n  Chat      {address}/{login}")
    typer.echo(f"  API       {address}/v1   (OpenAI-compatible; {asked})")
    typer.echo(f"  Library   {len(application.store.documents())} documents in {settings.data_dir.resolve()}")
    typer.echo(f"  Engine    {settings.llm or 'embedded (no language model is set)'}")
    for address in found:
        typer.echo(f"  Found     a language model; to use it: GOLDEN_LLM={address} golden serve")
    typer.echo("  Stop with Ctrl+C\n")


async def use_starter(application: Application, folder: Path) -> None:
    """Read the ``dictionary.csv``, ``contexts.csv`` and ``documents/`` in ``folder`` (absolute), but only once."""
    marker = application.settings.data_dir / _STARTED
    finished = json.loads(marker.read_text(encoding="utf-8")) if marker.is_file() else {}
    if str(folder) in finished:
        return
    from golden_retriever.cli.progress import watching
    from jargon_db.import_export import import_files

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
