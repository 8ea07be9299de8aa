"""The real command line and the real server, each in a process of its own."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

ROOT = Path(__file__).resolve().parents[2]
GOLDEN = [sys.executable, "-m", "golden_retriever"]


def environment_for(data: Path, **settings: object) -> dict[str, str]:
    """Return an environment with ``data`` as the data folder and ``settings`` (``degrade="refuse"``), no others."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("GOLDEN_")}
    named = {f"GOLDEN_{name.upper()}": str(value) for name, value in settings.items()}
    return {
        **kept,
        "GOLDEN_DATA_DIR": str(data),
        "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "lab")]),
        **named,
    }


def golden(
    *arguments: str | Path,
    environment: dict[str, str],
    folder: Path,
    timeout_s: float = 120,
    program: Sequence[str] = tuple(GOLDEN),
    before: Callable[[], None] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run one command to its end, ``before`` in its process first; trouble or not, it never shows a traceback."""
    result = subprocess.run(
        [*program, *map(str, arguments)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        check=False,
        preexec_fn=before,
    )
    assert "Traceback" not in result.stderr + result.stdout, result.stderr
    return result


def the_one_line(result: subprocess.CompletedProcess[str]) -> str:
    """Return the one line that a failed command says on standard error; it says nothing else."""
    lines = [line for line in result.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("golden: "), result.stderr
    return lines[0]


def wait_for(state: Callable[[], object], *, every_s: float = 0.1) -> None:
    """Wait until ``state`` returns something true, two minutes at most; it is asked ``every_s`` seconds."""
    until = time.monotonic() + 120
    while not state():
        assert time.monotonic() < until, "the condition never became true"
        time.sleep(every_s)


class ServerProcess:
    """A `golden serve` in its own process, at ``address``, ready. ``output`` holds what it printed before."""

    def __init__(self, arguments: Sequence[str], folder: Path, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [*GOLDEN, "serve", "--port", "0", *arguments],
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.output = ""
        self.address = self._wait()

    def _wait(self) -> str:
        for line in self.process.stdout:
            self.output += line
            match = re.search(r"API\s+(http://[\d.:]+)/v1", line)
            if match:
                address = match.group(1)
                break
        else:
            raise AssertionError("the server ended: " + self.output)
        for _ in range(300):
            try:
                if httpx.get(f"{address}/readyz").status_code == 200:
                    return address
            except httpx.TransportError:
                pass
            time.sleep(0.1)
        raise AssertionError("the server never became ready: " + self.output)

    def ask(self, question: str, **fields: object) -> httpx.Response:
        """Send a question as an OpenAI client would; ``fields`` are further ones of the request."""
        body = {"model": "golden", "messages": [{"role": "user", "content": question}], **fields}
        return httpx.post(f"{self.address}/v1/chat/completions", json=body, timeout=60)

    def stop(self) -> str:
        """Stop it as Ctrl+C would; return what it had printed since it was ready."""
        self.process.terminate()
        try:
            return self.process.communicate(timeout=30)[0]
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise


@contextmanager
def serving(folder: Path, environment: dict[str, str], *arguments: str) -> Iterator[ServerProcess]:
    """Serve the API for the length of the block, and see that no traceback was printed."""
    server = ServerProcess(["--no-ui", *arguments], folder, environment)
    try:
        yield server
    finally:
        output = server.stop()
    assert "Traceback" not in output, output
