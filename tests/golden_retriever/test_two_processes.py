"""Two servers over the same data: one at a time writes the vector index."""

import time
from pathlib import Path

import httpx
import pytest

from tests.golden_retriever.served import ServerProcess, environment_for, serving


@pytest.mark.slow
def test_a_second_server_takes_the_vector_index_over_when_the_first_one_ends(tmp_path: Path) -> None:
    environment = environment_for(tmp_path)
    with serving(tmp_path, environment) as first:
        wait_for_status(first, "ready")
        with serving(tmp_path, environment) as second:
            assert httpx.get(f"{second.address}/readyz").json()["status"] == "degraded"
            first.stop()
            wait_for_status(second, "ready")


def wait_for_status(server: ServerProcess, status: str) -> None:
    for _ in range(200):
        if httpx.get(f"{server.address}/readyz").json()["status"] == status:
            return
        time.sleep(0.1)
    raise AssertionError(f"the server did not become {status}")
