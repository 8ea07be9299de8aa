"""llama.cpp's server on the tests' own tiny model: found, started, watched and stopped."""

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.live.tiny_model import TinyModel
from tests.tools.chat.server import free_port

VARIABLE = "GOLDEN_TEST_LLAMA_SERVER"
ABSENT = (
    f"llama.cpp's server is not here: set {VARIABLE} to the program llama-server, or put it on PATH. "
    "docs/development.md says how to build it."
)
SLOTS = 4
SLOT_TOKENS = 8_192
_STARTS_S = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class LlamaServer:
    """A running server."""

    address: str
    model: TinyModel

    @property
    def url(self) -> str:
        return f"{self.address}/v1"

    def busy_slots(self) -> int:
        """Return how many of its slots read or write just now."""
        return sum(bool(slot["is_processing"]) for slot in self._slots())

    def wait_for_busy(self, slots: int, most_s: float) -> bool:
        """Wait until so many of its slots work; tell whether they did in time."""
        until = time.monotonic() + most_s
        while self.busy_slots() != slots:
            if time.monotonic() > until:
                return False
            time.sleep(0.01)
        return True

    def longest_reply(self) -> int:
        """Return the tokens of the longest reply that a slot has written last, or is writing."""
        return max(int(part["n_decoded"]) for slot in self._slots() for part in slot.get("next_token", ()))

    def metric(self, name: str) -> float:
        """Return the value of one of its counters, such as ``prompt_tokens_total``."""
        found = re.search(rf"^llamacpp:{name} (\S+)$", httpx.get(f"{self.address}/metrics").text, re.MULTILINE)
        assert found, f"the server has no counter {name}"
        return float(found.group(1))

    def _slots(self) -> list[dict[str, Any]]:
        slots: list[dict[str, Any]] = httpx.get(f"{self.address}/slots").json()
        return slots


def find_llama_server() -> str | None:
    """Return the program that the environment names or PATH has, or None.

    Raises:
        FileNotFoundError: the environment names a file that is not there.
    """
    named = os.environ.get(VARIABLE, "")
    if named and shutil.which(named) is None:
        raise FileNotFoundError(f"{VARIABLE} names {named}, which is no program")
    return shutil.which(named or "llama-server")


@contextmanager
def running_llama_server(program: str, model: TinyModel, log: Path) -> Iterator[LlamaServer]:
    """Run the server on a free port of the loopback until the block ends; what it says goes into ``log``."""
    port = free_port()
    command = [program, "--model", str(model.gguf), "--alias", "tiny", "--host", "127.0.0.1", "--port", str(port)]
    command += [
        "--parallel",
        str(SLOTS),
        "--ctx-size",
        str(SLOTS * SLOT_TOKENS),
        "--threads",
        "1",
        "--threads-batch",
        "1",
    ]
    # One thread: two wait for one another, longest where other programs work too.
    command += ["--offline", "--metrics", "--slots", "--no-webui", "--no-warmup", "--seed", "7"]
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    try:
        server = LlamaServer(address=f"http://127.0.0.1:{port}", model=model)
        _wait_until_ready(process, server.address, log)
        yield server
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_ready(process: "subprocess.Popen[bytes]", address: str, log: Path) -> None:
    until = time.monotonic() + _STARTS_S
    while time.monotonic() < until:
        said = log.read_text(encoding="utf-8", errors="replace")[-2_000:]
        assert process.poll() is None, f"llama-server ended with status {process.returncode}: {said}"
        try:
            if httpx.get(f"{address}/health", timeout=5).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise AssertionError(f"llama-server was not ready within {_STARTS_S:g} s: {said}")
