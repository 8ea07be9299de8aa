"""The serving process: first-use ingestion, then the API and the chat on one address."""

import errno
import ipaddress
import json
import logging
import os
import socket
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from contracts.errors import ConfigurationError
from golden_retriever.settings import Settings
from golden_retriever.web import build_web_application
from golden_retriever.wiring import Application, open_application, open_keys

if TYPE_CHECKING:
    from collections.abc import Sequence

    from library.key_values import ApiKey

_STARTED = "starter.json"


async def run_server(settings: Settings, *, starter: Path | None = None, with_ui: bool = True) -> None:
    """Serve until stopped. With ``starter``, read that folder's documents and dictionary first, once.

    Raises:
        ConfigurationError: the address is not a loopback address, though no keys protect the server; or its port
            cannot be used.
    """
    import uvicorn

    with open_keys(settings) as store:
        keyed = asks_for_keys(settings.host, store.records())
    # Before anything is read: whoever must choose another port learns it at once.
    listener = claim_port(settings.host, settings.port)
    async with open_application(settings) as application:
        # Conversations that cannot be read are told now, not at somebody's first question.
        await application.chatbot.history("")
        if starter is not None:
            await use_starter(application, starter)
        await application.vector_index.synchronise()
        config = uvicorn.Config(
            await build_web_application(application, with_ui=with_ui, keyed=keyed),
            log_level=logging.WARNING,
            timeout_graceful_shutdown=10,
        )
        host = f"[{settings.host}]" if ":" in settings.host else settings.host
        announce(application, f"http://{host}:{listener.getsockname()[1]}", with_ui=with_ui, keyed=keyed)
        await uvicorn.Server(config).serve(sockets=[listener])


def asks_for_keys(host: str, keys: "Sequence[ApiKey]") -> bool:
    """Say whether the server at ``host`` asks each request for one of ``keys``.

    It does where any is not revoked: an expired one must not open what it protected.

    Raises:
        ConfigurationError: others could reach ``host``, and no key is in force.
    """
    moment = datetime.now(UTC)
    try:
        loopback = ipaddress.ip_address(host).is_loopback
    except ValueError:
        loopback = host == "localhost"
    if not loopback and not any(key.state_at(moment) == "active" for key in keys):
        what = "every API key is expired or revoked" if keys else "there is no API key"
        raise ConfigurationError(
            f"GOLDEN_HOST={host}: without keys the server listens on loopback only, and {what}. Make one with `golden "
            "keys create NAME`, or use 127.0.0.1."
        )
    return any(key.state_at(moment) != "revoked" for key in keys)


def claim_port(host: str, port: int) -> socket.socket:
    """Bind a socket to ``port`` (0: any free one) of ``host``; it does not listen yet.

    Raises:
        ConfigurationError: another program has the port, or this account may not use it.
    """
    claimed = socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET)
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


def announce(application: Application, address: str, *, with_ui: bool, keyed: bool) -> None:
    """Print the addresses and what is loaded."""
    documents = application.store.documents()
    engine = application.settings.llm_base_url or "embedded (no LLM is configured)"
    asked = "needs a key: golden keys list" if keyed else "any key is accepted on loopback"
    if with_ui:
        typer.echo(
            f"\n  Chat      {address}/" + ("   (log in with any name, and a key as the password)" if keyed else "")
        )
    typer.echo(f"  API       {address}/v1   (OpenAI-compatible; {asked})")
    typer.echo(f"  Library   {len(documents)} documents in {application.settings.data_dir.resolve()}")
    typer.echo(f"  Engine    {engine}")
    typer.echo("  Stop with Ctrl+C\n")


async def use_starter(application: Application, folder: Path) -> None:
    """Read the ``dictionary.csv``, ``contexts.csv`` and ``documents/`` of ``folder`` (absolute), unless done before."""
    marker = application.settings.data_dir / _STARTED
    finished = json.loads(marker.read_text(encoding="utf-8")) if marker.is_file() else {}
    if str(folder) in finished:
        return
    from golden_retriever.cli.progress import watching
    from jargon_db.importing import import_contexts, import_terms

    typer.echo(f"First use: reading {folder} ...")
    contexts, terms, documents = folder / "contexts.csv", folder / "dictionary.csv", folder / "documents"
    if contexts.is_file():
        import_contexts(application.jargon, contexts)
    if terms.is_file():
        import_terms(application.jargon, terms)
    if documents.is_dir():
        with watching() as watch:
            await application.pipeline.ingest([documents], on_event=watch.hear)
        watch.show_end()
    marker.write_text(json.dumps({**finished, str(folder): True}), encoding="utf-8")
