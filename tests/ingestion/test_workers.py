"""Worker processes of this machine and of a Ray cluster. What all pools do is tested with the protocol."""

import asyncio
import gc
import socket
import time
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import Unavailable
from ingestion.limits import IngestionLimits
from ingestion.workers.cluster import RayReaderPool
from ingestion.workers.processes import ProcessReaderPool


def _sleep(file: Path) -> None:
    file.touch()
    time.sleep(60)


def _wait_for(file: Path) -> None:
    deadline = time.monotonic() + 60
    while not file.exists():
        assert time.monotonic() < deadline, "the worker did not begin"
        time.sleep(0.02)


def test_what_is_left_undone_is_no_news_when_the_loop_ends_at_once(tmp_path: Path) -> None:
    """The worker's end is heard in the loop's very last step: nothing runs after it."""
    begun = tmp_path / "begun"
    heard: list[dict[str, Any]] = []
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda _, context: heard.append(context))

    async def call_off() -> None:
        pool = ProcessReaderPool(1, IngestionLimits(), None)
        doing = asyncio.create_task(pool.run(_sleep, begun, (), 60.0))
        await asyncio.to_thread(_wait_for, begun)
        doing.cancel()
        await asyncio.wait([doing])
        assert doing.cancelled()
        pool.close()

    try:
        loop.run_until_complete(call_off())
    finally:
        loop.close()
    del call_off
    gc.collect()
    assert heard == []


def test_a_cluster_that_does_not_answer_is_said_to_be_absent_at_once() -> None:
    pytest.importorskip("ray", reason="ray is not installed")
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        with pytest.raises(Unavailable, match=f"no Ray cluster at {address}.*ray start --head"):
            RayReaderPool(address, IngestionLimits(), None)
