"""Several processes on one database: no question minds which of them answers it."""

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from subprocess import PIPE, STDOUT, Popen

import httpx
import pytest

from contracts.question import Asker
from golden_retriever.settings import Settings
from golden_retriever.wiring import Application, open_application
from tests.golden_retriever.served import GOLDEN, Served, environment_for, golden, heed_interrupts

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
    assert not any((tmp_path / name / "golden.db").exists() for name in ("first", "second"))


@pytest.mark.slow
def test_workers_share_a_port_sum_their_numbers_and_are_replaced(tmp_path: Path) -> None:
    server = Served(["--workers", "2"], tmp_path, environment_for(tmp_path / "data", log_format="json"))
    try:
        assert httpx.get(f"{server.address}/", timeout=60).status_code == 404, "the chat's session is in one process"
        pids = _workers(server.process.pid)
        assert len(pids) == 2
        answered = sum(_ask_anew(server) for _ in range(8))
        assert answered == 8
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


@pytest.mark.slow
def test_workers_stop_the_server_where_none_can_start(tmp_path: Path) -> None:
    (tmp_path / "dictionary.csv").write_text("word\npump\n", encoding="utf-8")
    environment = environment_for(tmp_path / "data", log_level="error", log_format="text")
    failed = golden(
        "serve", "--workers", "2", "--port", "0", "--starter", tmp_path, environment=environment, folder=tmp_path
    )
    assert failed.returncode == 2
    said, ended = failed.stderr.strip().splitlines()
    assert said.startswith("golden: ")
    assert "dictionary.csv" in said
    assert "a worker ended before it was ready" in ended


def _serve_until_a_worker_starts(folder: Path) -> tuple[Popen[str], int]:
    """Return a server of two workers, leader of a process group, and its first worker, which is not ready yet."""
    process = Popen(
        [*GOLDEN, "serve", "--workers", "2", "--port", "0"],
        cwd=folder,
        env=environment_for(folder / "data", log_format="text"),
        stdout=PIPE,
        stderr=STDOUT,
        text=True,
        process_group=0,
        preexec_fn=heed_interrupts,
    )
    while not (started := _workers(process.pid)):
        assert process.poll() is None
        time.sleep(0.01)
    return process, started[0]


@pytest.mark.slow
def test_a_worker_that_is_killed_before_it_was_ready_stops_the_server(tmp_path: Path) -> None:
    process, worker = _serve_until_a_worker_starts(tmp_path)
    os.kill(worker, signal.SIGKILL)
    said = process.communicate(timeout=60)[0]
    assert process.returncode == 1
    assert "a worker ended before it was ready" in said


@pytest.mark.slow
@pytest.mark.parametrize("send", [Popen.terminate, lambda each: os.killpg(each.pid, signal.SIGINT)], ids=["term", "^C"])
def test_workers_are_stopped_while_they_start(tmp_path: Path, send: Callable[[Popen[str]], None]) -> None:
    process, worker = _serve_until_a_worker_starts(tmp_path)
    send(process)
    assert process.communicate(timeout=60)[0] == ""
    assert process.returncode == 0
    assert not Path(f"/proc/{worker}").exists()


@pytest.mark.slow
def test_workers_end_with_a_supervisor_that_is_killed(tmp_path: Path) -> None:
    # What it cannot remove any more lies in the test's own folder.
    environment = environment_for(tmp_path / "data") | {"TMPDIR": str(tmp_path)}
    server = Served(["--workers", "2"], tmp_path, environment)
    pids = _workers(server.process.pid)
    server.process.kill()
    server.process.communicate()
    for _ in range(300):
        left = [pid for pid in pids if Path(f"/proc/{pid}").exists()]
        if not left:
            break
        time.sleep(0.1)
    assert len(pids) == 2
    assert not left


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
