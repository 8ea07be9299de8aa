"""The server that the bench of many clients measures: the one that is served, with a probe in each of its loops."""

import asyncio
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from golden_retriever.settings import Settings, load_settings

if TYPE_CHECKING:
    from evaluation.speed.serve import ServeBench


def build_serve_bench() -> "ServeBench":
    """Return what a served load is measured with: the product with the settings in force.

    The data folder, the chat server, the profile, the processes and the address are the bench's own, and no limit of
    keys holds.
    """
    from evaluation.speed.serve import ServeBench
    from golden_retriever.wiring.measuring import build_llm_bench

    return ServeBench(prepare=build_llm_bench().prepare, serve=serve_probed)


def serve_probed(data: Path, engine: str, chat_address: str, port: int, workers: int, probes: Path, log: Path) -> None:
    """Serve until terminated, as ``golden serve --no-ui`` or ``--workers`` does, each process probed.

    What the server says goes to ``log``: it is no part of the bench's report.
    """
    from evaluation.speed.serve_probe import probed_at, report_at
    from golden_retriever.logs import start_logging
    from golden_retriever.server import run_server
    from golden_retriever.workers import run_workers

    with log.open("ab") as said:
        # By their numbers, which the workers inherit.
        os.dup2(said.fileno(), 1)
        os.dup2(said.fileno(), 2)
    settings = _settings(data, engine, chat_address, port, workers)
    start_logging(settings)
    if workers == 1:
        asyncio.run(run_server(settings, with_ui=False, beside=partial(probed_at, probes)))
        return
    report_at(probes)
    sys.exit(run_workers(settings, beside=partial(probed_at, probes)))


def _settings(data: Path, engine: str, chat_address: str, port: int, workers: int) -> Settings:
    from evaluation.speed.llm_server import MODEL

    return load_settings(
        data_dir=data,
        database_url="",
        host="127.0.0.1",
        port=port,
        server_workers=workers,
        profile="balanced" if engine == "llm" else "embedded",
        engines="",
        department="",
        llm_base_url=chat_address,
        llm_model=MODEL if chat_address else "",
        llm_api_key="",
    )
