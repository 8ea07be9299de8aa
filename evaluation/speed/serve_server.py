"""The server that is measured, and the probes in each of its processes."""

import socket
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Protocol
from urllib.error import URLError
from urllib.request import urlopen

from contracts.errors import Unavailable
from evaluation.speed.child import run_in_child
from evaluation.speed.serve_clients import Load, load
from evaluation.speed.serve_probe import ProbeReport

START_TIMEOUT_S = 240.0
_WARM_CLIENTS = 16
_MOST_WARMINGS = 12
# So many questions for each worker are the last ones.
_LAST = 4
_LINES = 5


class ServeOne(Protocol):
    """Runs the server until it is terminated; a function of a module's top level, in a process of its own."""

    def __call__(
        self, data: Path, engine: str, chat_address: str, port: int, workers: int, probes: Path, log: Path
    ) -> None:
        """Serve the bot over ``data`` at ``port`` of the loopback, what it says going to ``log``.

        Each process of it reports to the socket ``probes``: the workers, and where they are several the one that looks
        after them.
        """
        ...


class Probes:
    """The probes of a server's processes, by the connections that they opened."""

    def __init__(self, connections: Sequence[Connection]) -> None:
        self._connections = connections

    def report(self) -> tuple[ProbeReport, ...]:
        """Return what each process has seen since the last time. Blocking.

        Raises:
            Unavailable: one of them does not answer.
        """
        found: list[ProbeReport] = []
        try:
            for each in self._connections:
                each.send("report")
            for each in self._connections:
                if not each.poll(START_TIMEOUT_S):
                    raise Unavailable("a process of the server does not answer its probe")
                found.append(each.recv())
        except (EOFError, OSError) as error:
            raise Unavailable("a process of the server ended while it was measured") from error
        return tuple(found)


@contextmanager
def served(serve: ServeOne, data: Path, engine: str, chat: str, workers: int) -> Iterator[tuple[str, Probes]]:
    """Serve in processes of its own for the length of the block; yield the address, and what asks its probes.

    Raises:
        Unavailable: it does not get ready.
    """
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="golden-probes-") as name, socket.socket(socket.AF_UNIX) as meeting:
        place, log = Path(name) / "probes", Path(name) / "log"
        log.touch()
        meeting.bind(str(place))
        meeting.listen()
        # No daemon: those may have no workers of their own.
        process = get_context("spawn").Process(target=serve, args=(data, engine, chat, port, workers, place, log))
        process.start()
        connections: list[Connection] = []
        try:
            for _ in range(workers + (workers > 1)):
                connections.append(_met(meeting, process, log))
            address = f"http://127.0.0.1:{port}"
            _wait_until_ready(address, process, log)
            yield address, Probes(connections)
        finally:
            process.terminate()
            process.join(START_TIMEOUT_S)
            for each in connections:
                each.close()


def warm_up(address: str, probes: Probes, questions: tuple[str, ...]) -> None:
    """Ask until each worker has answered every one of ``questions``. Blocking.

    A question is asked once for each worker that lacks it, and nobody chooses which of them gets it: so what is lacking
    still is asked again. Of the last ones each is asked by as many clients at once as there are workers, and so by all.

    Raises:
        Unavailable: a question is not answered, however often it is asked.
    """
    lacking = {each.pid: set(questions) for each in probes.report() if each.serves}
    for _ in range(_MOST_WARMINGS):
        asked = tuple(question for question in questions for each in lacking.values() if question in each)
        if not asked:
            return
        if len(asked) <= _LAST * len(lacking):
            asked = tuple(question for question in dict.fromkeys(asked) for _ in lacking)
        clients = min(_WARM_CLIENTS * len(lacking), len(asked))
        plan = Load(address=address, clients=clients, questions=asked, seconds=0, spread_s=0, requests=len(asked))
        run_in_child(load, plan)
        for each in probes.report():
            lacking.get(each.pid, set()).difference_update(each.answered)
    missed = max(len(each) for each in lacking.values())
    if missed:
        raise Unavailable(f"{missed} questions of the warm-up were not answered by every process of the server")


def _met(meeting: socket.socket, process: BaseProcess, log: Path) -> Connection:
    """Return the connection of the next process that reports."""
    meeting.settimeout(0.5)
    end = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < end and process.is_alive():
        try:
            return Connection(meeting.accept()[0].detach())
        except TimeoutError:
            continue
    raise _not_ready(log)


def _wait_until_ready(address: str, process: BaseProcess, log: Path) -> None:
    end = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < end and process.is_alive():
        try:
            with urlopen(f"{address}/readyz", timeout=START_TIMEOUT_S) as answer:  # an address of our own
                if answer.status == 200:
                    return
        except (URLError, OSError):
            time.sleep(0.1)
    raise _not_ready(log)


def _not_ready(log: Path) -> Unavailable:
    said = " / ".join(log.read_text(encoding="utf-8", errors="replace").splitlines()[-_LINES:])
    return Unavailable(f"the server did not get ready within {START_TIMEOUT_S:g} s; it said: {said or 'nothing'}")


def _free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port
