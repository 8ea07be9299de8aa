"""Several processes on one database: no question minds which of them answers it."""

import os
import signal
import socket
import time
from contextlib import ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from contracts.question import Asker
from golden_retriever.settings import Settings
from golden_retriever.wiring import Application, open_application
from tests.golden_retriever.served import Served, environment_for

GUIDE = "# Guide\n\nThe retention of audit records is 400 days. An audit record names the actor.\n"


def settings_of(folder: Path, database_url: str) -> Settings:
    return Settings(data_dir=folder, database_url=database_url, workers=1, dense_index="exact")


ADA = Asker(account="key:ada")


async def outcome(application: Application, question: str, conversation: str = "") -> tuple[str, str]:
    answer = await application.chatbot.ask(question, conversation_id=conversation, asker=ADA)
    return answer.outcome, answer.standalone_question


@pytest.mark.postgres
async def test_replicas_with_folders_of_their_own_answer_alternately(tmp_path: Path, postgres_url: str) -> None:
    pytest.importorskip("psycopg", reason="needs the extra postgres")
    (tmp_path / "guide.md").write_text(GUIDE, encoding="utf-8")
    first, second = (settings_of(tmp_path / name, postgres_url) for name in ("first", "second"))
    async with open_application(first) as one, open_application(second) as other:
        assert (await outcome(other, "How long are audit records kept?"))[0] != "answered"
        await one.pipeline.ingest([tmp_path / "guide.md"])
        # The other one has not been told of the document.
        assert (await outcome(other, "How long is the retention of audit records?", "talk"))[0] == "answered"
        turns = await one.chatbot.history("talk", account=ADA.account)
        assert [turn.role for turn in turns] == ["user", "assistant"]
        await outcome(one, "Who is named in an audit record?", "talk")
        assert len(await other.chatbot.history("talk", account=ADA.account)) == 4

        assert (await outcome(one, "What does QXT stand for?"))[0] == "unknown_term"
        other.jargon.add_sense("QXT", "Quick Exchange Table", description="Swaps rings.")
        assert (await outcome(one, "What does QXT stand for?"))[0] == "answered"

        (document,) = one.store.documents()
        await one.remover.remove(document.id)
        assert (await outcome(other, "How long are audit records kept?"))[0] == "declined"


@pytest.mark.slow
def test_workers_share_a_port_sum_their_numbers_and_are_replaced(tmp_path: Path) -> None:
    server = Served(["--workers", "2"], tmp_path, environment_for(tmp_path / "data", log_format="json"))
    try:
        assert httpx.get(f"{server.address}/", timeout=60).status_code == 404, "the chat's session is in one process"
        pids = _workers(server.process.pid)
        assert len(pids) == 2
        answered = sum(_ask_anew(server) for _ in range(8))
        assert answered == 8
        held = _held_by_each(server, pids)
        assert max(held) - min(held) <= 1, "64 that connect at once are shared out evenly"
        text = httpx.get(f"{server.address}/metrics", timeout=60).text
        assert 'golden_questions_total{outcome="unknown_term"} 8.0' in text
        assert text.count("process_resident_memory_bytes{") == 2
        assert text.count("golden_library_documents 0.0") == 1

        os.kill(pids[0], signal.SIGKILL)
        for _ in range(600):
            now = _workers(server.process.pid)
            if len(now) == 2 and pids[0] not in now:
                break
            time.sleep(0.1)
        assert len(now) == 2
        assert pids[1] in now
        assert _ask_anew(server)
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(60) == 0
    finally:
        if server.process.poll() is None:
            server.process.terminate()
            server.process.wait(60)


def _held_by_each(server: Served, pids: list[int]) -> list[int]:
    """Return how many sockets each worker gets of 64 clients that connect in one moment and stay."""
    before = [_sockets(pid) for pid in pids]
    address = urlsplit(server.address)
    with ExitStack() as clients:
        streams = [
            clients.enter_context(socket.create_connection((str(address.hostname), address.port or 0)))
            for _ in range(64)
        ]
        for stream in streams:
            stream.sendall(b"GET /healthz HTTP/1.1\r\nhost: golden\r\n\r\n")
        for stream in streams:
            assert stream.recv(20).startswith(b"HTTP/1.1 200")
        return [_sockets(pid) - was for pid, was in zip(pids, before, strict=True)]


def _sockets(pid: int) -> int:
    places = [os.readlink(each) for each in Path(f"/proc/{pid}/fd").iterdir() if each.is_symlink()]
    return sum(place.startswith("socket:") for place in places)


def _ask_anew(server: Served) -> bool:
    # A new connection each time: any worker may take it. One that is killed takes those that wait at it along.
    for _ in range(5):
        with suppress(httpx.TransportError):
            return server.ask("What does QXT stand for?").status_code == 200
        time.sleep(0.5)
    return False


def _workers(parent: int) -> list[int]:
    """Return the processes that serve, without Python's own that only keeps count of shared things."""
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    found: list[int] = []
    for pid in children:
        # One that was killed may be gone between the two looks.
        with suppress(OSError):
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                found.append(int(pid))
    return found
