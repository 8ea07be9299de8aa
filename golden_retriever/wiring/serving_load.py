"""The server that the bench of many clients measures: the one that is served, with a probe in its loop."""

import asyncio
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from golden_retriever.settings import Settings, load_settings

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

    from evaluation.speed.serve import ServeBench


def build_serve_bench() -> "ServeBench":
    """Return what a served load is measured with: the product with the settings in force.

    The data folder, the chat server, the profile and the address are the bench's own, and no limit of keys holds.
    """
    from evaluation.speed.serve import ServeBench
    from golden_retriever.wiring.measuring import build_llm_bench

    return ServeBench(prepare=build_llm_bench().prepare, serve=serve_probed)


def serve_probed(data: Path, engine: str, chat_address: str, port: int, pipe: "Connection") -> None:
    """Serve until terminated, as ``golden serve`` does, without the chat's page and with a probe behind ``pipe``."""
    from evaluation.speed.serve_probe import probed_through
    from golden_retriever.server import run_server

    async def serve() -> None:
        async with probed_through(pipe):
            await run_server(_settings(data, engine, chat_address, port), with_ui=False)

    # What the server announces is no part of the bench's report.
    sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 - for the life of the process
    asyncio.run(serve())


def _settings(data: Path, engine: str, chat_address: str, port: int) -> Settings:
    from evaluation.speed.llm_server import MODEL

    return load_settings(
        data_dir=data,
        database_url="",
        host="127.0.0.1",
        port=port,
        profile="balanced" if engine == "llm" else "embedded",
        engines="",
        department="",
        llm_base_url=chat_address,
        llm_model=MODEL if chat_address else "",
        llm_api_key="",
    )
