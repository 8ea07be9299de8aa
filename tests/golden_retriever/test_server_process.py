"""A server that is told to stop, and one whose event loop is watched: it is never blocked, whatever is asked."""

import json
import signal
import socket
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from tests.golden_retriever.chat_server import ChatServer, chatting
from tests.golden_retriever.served import ROOT, ServerProcess, environment_for, golden, serving, wait_for

pytestmark = pytest.mark.slow

QUESTION = "How long are audit records kept?"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stopping")
    (folder / "guide.md").write_text("# Guide\n\nThe retention of audit records is 400 days.\n", encoding="utf-8")
    environment = environment_for(folder / "data", workers=1)
    assert golden("ingest", folder / "guide.md", environment=environment, folder=folder).returncode == 0
    return folder / "data"


@contextmanager
def streaming(server: ServerProcess) -> Iterator[list[str]]:
    """Read a streamed answer in a thread, from its first line on; what a process that ends breaks off is left."""
    lines: list[str] = []
    begun = threading.Event()

    def read() -> None:
        body = {"model": "golden", "stream": True, "messages": [{"role": "user", "content": QUESTION}]}
        address = f"{server.address}/v1/chat/completions"
        with suppress(httpx.RemoteProtocolError), httpx.stream("POST", address, json=body, timeout=60) as response:
            for line in response.iter_lines():
                lines.append(line)
                begun.set()

    with ThreadPoolExecutor() as threads:
        reading = threads.submit(read)
        assert begun.wait(30)
        yield lines
        reading.result(60)


@contextmanager
def slow_server(data: Path, **settings: object) -> Iterator[tuple[ServerProcess, ChatServer]]:
    """Serve with a chat server that keeps each reply until its delay is 0; the process is gone at the end."""
    with chatting(ChatServer(answer="The retention of audit records is 400 days [1].", delay_s=120)) as chat:
        options = {"llm": chat.address, "engines": "answer_generation=llm", "dense_index": "exact", **settings}
        server = ServerProcess(["--no-ui"], data.parent, environment_for(data, profile="embedded", **options))
        try:
            yield server, chat
        finally:
            if server.process.poll() is None:
                server.process.kill()
            server.process.communicate()


def refused(server: ServerProcess) -> bool:
    """Say whether no new connection is taken."""
    host, port = server.address.removeprefix("http://").split(":")
    try:
        socket.create_connection((host, int(port)), timeout=5).close()
    except (ConnectionRefusedError, ConnectionResetError):
        return True
    return False


def test_shutdown_completes_running_answers_and_refuses_new_requests(data: Path) -> None:
    with slow_server(data, shutdown_grace_s=30) as (server, chat):
        with streaming(server) as lines:
            server.process.send_signal(signal.SIGTERM)
            wait_for(lambda: refused(server))
            chat.delay_s = 0
        *events, last = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
        assert last == "[DONE]"
        assert "400 days" in "".join(json.loads(each)["choices"][0]["delta"].get("content", "") for each in events)
        assert not any("error" in json.loads(each) for each in events)
        assert server.process.wait(30) == 0


def test_shutdown_completes_a_running_upload(data: Path) -> None:
    def pieces() -> Iterator[bytes]:
        yield b'--b\r\ncontent-disposition: form-data; name="files"; filename="late.md"\r\n\r\n# Late\n'
        server.process.send_signal(signal.SIGTERM)
        wait_for(lambda: refused(server))
        # Longer than the server waits for connections that are only listening.
        time.sleep(2)
        yield b"A pump.\r\n--b--\r\n"

    with slow_server(data) as (server, _):
        headers = {"content-type": "multipart/form-data; boundary=b", "x-golden-request": "1"}
        response = httpx.post(f"{server.address}/api/documents", content=pieces(), headers=headers, timeout=60)
        assert response.status_code == 202, response.text
        assert server.process.wait(30) == 0


def test_a_second_signal_ends_the_process_at_once(data: Path) -> None:
    with slow_server(data, shutdown_grace_s=600) as (server, _), streaming(server):
        try:
            server.process.send_signal(signal.SIGINT)
            wait_for(lambda: refused(server))
            assert server.process.poll() is None
        finally:
            server.process.send_signal(signal.SIGINT)
        assert server.process.wait(30) == 128 + signal.SIGINT


def test_second_server_takes_over_the_vector_index_when_the_first_ends(tmp_path: Path) -> None:
    def status(server: ServerProcess) -> str:
        return str(httpx.get(f"{server.address}/readyz").json()["status"])

    environment = environment_for(tmp_path)
    with serving(tmp_path, environment) as first:
        wait_for(lambda: status(first) == "ready")
        with serving(tmp_path, environment) as second:
            assert status(second) == "degraded"
            first.stop()
            wait_for(lambda: status(second) == "ready")


# CPU time of the thread: other work on the machine does not count.
_MOST_MS = 50.0


def test_requests_of_every_kind_at_once_never_block_the_loop(tmp_path: Path) -> None:
    pages = ["# Keys\n\nA lost locker key costs 40 euros.\n\n# Canteen\n\nThe canteen opens at 7:30.\n"]
    pages += [
        f"# Hall {number}\n\nThe gate of hall {number} opens at {number % 12}:15, and its crane lifts {number} tonnes. "
        f"Whoever loses a key of hall {number} pays {number + 20} euros at the front desk of the canteen.\n"
        for number in range(1, 60)
    ]
    (tmp_path / "documents").mkdir()
    (tmp_path / "documents" / "halls.md").write_text("\n".join(pages), encoding="utf-8")
    (tmp_path / "dictionary.csv").write_text("term,extended_name\nEBR,Electronic Batch Record\n", encoding="utf-8")
    (tmp_path / "contexts.csv").write_text("name,description\nQuality,Records and audits\n", encoding="utf-8")
    program = (sys.executable, "-m", "tests.golden_retriever.watched_loop")
    environment = environment_for(tmp_path / "data")
    result = golden(tmp_path, environment=environment, folder=ROOT, timeout_s=300, program=program)
    assert result.returncode == 0, result.stderr[-2_000:]
    found = json.loads(result.stdout.splitlines()[-1])
    statuses = Counter(found["statuses"])
    assert set(statuses) == {200, 202}, "every request was served"
    assert statuses[202] == 1, "the upload was accepted"
    assert found["waits"] == {}
    cpu_ms, name = found["callbacks"][0]
    assert cpu_ms < _MOST_MS, f"one callback computed for {cpu_ms} ms: {name}"
