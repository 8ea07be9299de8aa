"""Two replicas, a Chroma server and Redis behind the proxy of compose.yaml: they share all, and one of them may go."""

import re
import shutil
import socket
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from sqlalchemy import text

from database.connection import open_database
from library.consistency import find_faults
from library.job_queue import LOST_AFTER
from library.keys import KeyStore
from serving.identity.credentials import COOKIE
from tests.golden_retriever.chat_server import ChatServer, chatting
from tests.golden_retriever.served import ROOT, ServerProcess, environment_for, wait_for

_METRICS_TOKEN = "metrics"


@dataclass(kw_only=True)
class Cluster:
    """Replicas by port, all on one data folder and database, and the ``proxy``'s address before them."""

    folder: Path
    environment: dict[str, str]
    ports: Sequence[int]
    proxy: str
    replicas: dict[int, ServerProcess]

    @property
    def alive(self) -> list[int]:
        """The ports of the replicas that run."""
        return [port for port, server in self.replicas.items() if server.process.poll() is None]

    def start(self, port: int) -> None:
        self.replicas[port] = ServerProcess(["--no-ui", "--port", str(port)], self.folder, self.environment)

    def kill(self, port: int) -> None:
        self.replicas[port].process.kill()
        self.replicas[port].process.communicate()

    def address(self, port: int) -> str:
        return f"http://127.0.0.1:{port}"

    def answering(self) -> list[int]:
        """Return the ports of the replicas that answer a question now."""
        token = {"authorization": f"Bearer {_METRICS_TOKEN}"}
        told = {port: httpx.get(f"{self.address(port)}/metrics", headers=token).text for port in self.alive}
        return [port for port, text in told.items() if re.search("^golden_questions_under_way [1-9]", text, re.M)]


@contextmanager
def cluster(folder: Path, database_url: str, **settings: object) -> Iterator[Cluster]:
    """Start everything, both replicas at the same moment, for the length of the block."""
    proxy, chroma, redis, *ports = _free_ports(5)
    environment = environment_for(
        folder / "data",
        database_url=database_url,
        chroma_url=f"http://127.0.0.1:{chroma}",
        limits_url=f"redis://127.0.0.1:{redis}/0",
        metrics_token=_METRICS_TOKEN,
        workers=1,
        # Nobody reads what they log.
        log_level="error",
        **settings,
    )
    commands = [
        [_program("chroma"), "run", "--path", str(folder / "chroma"), "--port", str(chroma)],
        [_program("redis-server"), "--bind", "127.0.0.1", "--port", str(redis), "--save", "", "--dir", str(folder)],
        [_program("nginx"), "-c", str(_write_proxy(folder, proxy, ports)), "-e", "stderr"],
    ]
    running = Cluster(
        folder=folder, environment=environment, ports=ports, proxy=f"http://127.0.0.1:{proxy}", replicas={}
    )
    with ExitStack() as parts, (folder / "services.log").open("w") as log:
        for command in commands:
            process = parts.enter_context(subprocess.Popen(command, stdout=log, stderr=log))
            parts.callback(process.terminate)
        try:
            with ThreadPoolExecutor() as threads:
                list(threads.map(running.start, ports))
            yield running
        finally:
            for port in running.alive:
                running.kill(port)


def _write_proxy(folder: Path, port: int, replicas: Sequence[int]) -> Path:
    """Write the proxy's configuration in compose.yaml, with addresses of this machine for names of containers."""
    proxy = yaml.safe_load((ROOT / "compose.yaml").read_text())["configs"]["proxy"]["content"].replace("$$", "$")
    proxy = re.sub("resolver .*;", "", proxy).replace("listen 80;", f"listen 127.0.0.1:{port};")
    rule = re.compile("server replica:7860 resolve(.*;)")
    proxy = rule.sub(lambda found: " ".join(f"server 127.0.0.1:{each}{found[1]}" for each in replicas), proxy)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    drafts = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    path = folder / "nginx.conf"
    path.write_text(
        f"daemon off; user root; pid {folder}/pid; events {{}}\nhttp {{ access_log off; {drafts}\n{proxy} }}"
    )
    return path


def _program(name: str) -> str:
    # Debian installs servers in a folder that is only on root's path.
    found = shutil.which(name, path=f"{Path(sys.executable).parent}:/usr/sbin") or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not on this machine: make setup-all")
    return found


def _free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        sockets = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in sockets]


pytestmark = [pytest.mark.slow, pytest.mark.postgres]

QUESTION = "How long is the retention of audit records?"
GUIDE = "# Guide\n\nThe retention of audit records is 400 days. An audit record names the actor.\n"
A_MINUTE = 300


@pytest.fixture(scope="module")
def database_url(postgres_server: str) -> str:
    psycopg = pytest.importorskip("psycopg", reason="needs the extra postgres")
    name = f"replicas_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(host=postgres_server, user="golden", dbname="postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    return f"postgresql+psycopg://golden@/{name}?host={postgres_server}"


@pytest.fixture(scope="module")
def model() -> Iterator[ChatServer]:
    with chatting(ChatServer(answer="The retention of audit records is 400 days [1].")) as served:
        yield served


@pytest.fixture(scope="module")
def started(database_url: str, model: ChatServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """Both replicas start at the same moment on an empty database."""
    folder = tmp_path_factory.mktemp("replicas")
    options = {"profile": "embedded", "llm": model.address, "engines": "answer_generation=llm"}
    with cluster(folder, database_url, key_requests_per_minute=A_MINUTE, **options) as running:
        yield running


@pytest.fixture
def replicas(started: Cluster) -> Cluster:
    """Start again what was killed."""
    for port in set(started.ports).difference(started.alive):
        started.start(port)
    return started


@pytest.fixture(scope="module")
def new_key(started: Cluster, database_url: str) -> Callable[[], str]:
    store = KeyStore(open_database(database_url))
    return lambda: store.create(uuid.uuid4().hex, scopes=["ask", "manage"], groups=None)[0]


@pytest.fixture
def clients(replicas: Cluster, new_key: Callable[[], str]) -> Iterator[tuple[httpx.Client, ...]]:
    """Yield clients with one key: of the proxy, and of each replica."""
    headers = {"authorization": f"Bearer {new_key()}"}
    addresses = (replicas.proxy, *map(replicas.address, replicas.ports))
    made = tuple(httpx.Client(base_url=each, headers=headers, timeout=300) for each in addresses)
    yield made
    for each in made:
        each.close()


def body_of(question: str, **more: object) -> dict[str, object]:
    return {"model": "golden", "messages": [{"role": "user", "content": question}], **more}


def ask(client: httpx.Client, question: str, **more: object) -> dict[str, Any]:
    response = client.post("/v1/chat/completions", json=body_of(question, **more))
    assert response.status_code == 200, response.text
    return dict(response.json()["choices"][0]["message"]["golden"])


def upload(client: httpx.Client, *files: tuple[str, str]) -> str:
    response = client.post("/api/documents", files=[("files", (name, text.encode())) for name, text in files])
    assert response.status_code == 202, response.text
    return str(response.json()["id"])


def job_of(client: httpx.Client, job: str) -> dict[str, Any]:
    return dict(client.get(f"/api/documents/jobs/{job}").json())


def wait_for_job(client: httpx.Client, job: str) -> None:
    # More frequent polling would use up the key's requests per minute.
    wait_for(lambda: job_of(client, job)["state"] not in ("queued", "running"), every_s=0.5)
    assert job_of(client, job)["state"] == "done"


def test_changes_on_one_replica_are_visible_on_the_other(clients: tuple[httpx.Client, ...]) -> None:
    proxy, one, other = clients
    wait_for_job(other, upload(one, ("guide.md", GUIDE)))
    talk = {"golden": {"conversation": "talk", "remembered": True}}
    assert ask(other, QUESTION, **talk)["outcome"] == "answered"
    assert ask(one, "Who is named in an audit record?", **talk)["outcome"] == "answered"
    assert len(other.get("/api/conversations/talk").json()["turns"]) == 2

    assert ask(one, "What does QXT stand for?")["outcome"] == "unknown_term"
    sense = {"term": "QXT", "extended_name": "Quick Exchange Table", "description": "Swaps rings."}
    assert other.post("/api/dictionary/senses", json=sense).status_code == 201
    assert ask(one, "What does QXT stand for?")["outcome"] == "answered"

    (document,) = proxy.get("/api/documents").json()["documents"]
    assert other.delete(f"/api/documents/{document['id']}").status_code == 200
    assert ask(one, QUESTION)["outcome"] != "answered"


def test_replicas_share_logins_and_rate_limits(
    replicas: Cluster, clients: tuple[httpx.Client, ...], new_key: Callable[[], str]
) -> None:
    _, one, other = clients
    same = {"origin": str(replicas.proxy), "sec-fetch-site": "same-origin"}
    with httpx.Client(base_url=replicas.proxy) as browser:
        assert browser.post("/login", data={"key": new_key()}, headers=same).status_code == 303
        cookie = {"cookie": f"{COOKIE}={browser.cookies[COOKIE]}"}
    assert [httpx.get(f"{each.base_url}/api/me", headers=cookie).status_code for each in (one, other)] == [200, 200]

    found = [each.get("/v1/models").status_code for _ in range(A_MINUTE // 2 + 1) for each in (one, other)]
    assert found == [200] * A_MINUTE + [429] * 2


def test_killed_replica_loses_only_its_running_streams(
    replicas: Cluster, clients: tuple[httpx.Client, ...], database_url: str, model: ChatServer
) -> None:
    proxy, one, other = clients
    wait_for_job(proxy, upload(proxy, ("guide.md", GUIDE)))
    before = len(proxy.get("/api/documents").json()["documents"])
    job = upload(one, *((f"{number}.md", f"# Pump {number}\n\n" + "A valve drips. " * 1_000) for number in range(20)))
    wait_for(lambda: job_of(other, job)["counts"].get("ingested"), every_s=0.5)

    def stream() -> bool:
        """Return whether a streamed answer came to its end."""
        try:
            return "[DONE]" in proxy.post("/v1/chat/completions", json=body_of(QUESTION, stream=True)).text
        except (httpx.RemoteProtocolError, httpx.ReadError):
            return False

    model.delay_s = 120
    asked = len(model.requests)
    with ThreadPoolExecutor() as threads:
        # Two of each, so that each replica receives one.
        streams = [threads.submit(stream) for _ in range(2)]
        wait_for(lambda: len(replicas.answering()) == 2)
        whole = [threads.submit(ask, proxy, QUESTION) for _ in range(2)]
        wait_for(lambda: len(model.requests) == asked + 4)
        replicas.kill(replicas.ports[0])
        model.delay_s = 0
        assert [each.result()["outcome"] for each in whole] == ["answered"] * 2
        assert sorted(each.result() for each in streams) == [False, True]

    assert job_of(other, job)["state"] == "running"
    engine = open_database(database_url)
    with engine.begin() as connection:
        # As if the server had not reported for as long as the others wait.
        lost = text("UPDATE ingestion_jobs SET seen_at = seen_at - CAST(:after AS interval) WHERE id = :job")
        connection.execute(lost, {"after": LOST_AFTER, "job": job})
    wait_for_job(other, job)
    assert len(proxy.get("/api/documents").json()["documents"]) == before + 20
    assert not find_faults(engine)
    engine.dispose()


def test_rolling_restart_of_replicas_fails_no_request(
    replicas: Cluster, clients: tuple[httpx.Client, ...], new_key: Callable[[], str]
) -> None:
    wait_for_job(clients[0], upload(clients[0], ("guide.md", GUIDE)))
    requests: dict[str, tuple[str, str, dict[str, Any], str]] = {
        "answer": ("POST", "/v1/chat/completions", {"json": body_of(QUESTION)}, "400 days"),
        "stream": ("POST", "/v1/chat/completions", {"json": body_of(QUESTION, stream=True)}, "data: [DONE]"),
        "list": ("GET", "/api/documents", {}, "guide.md"),
        "page": ("GET", "/login", {}, ""),
    }
    over = threading.Event()

    def request_again_and_again(name: str) -> tuple[int, list[str]]:
        method, path, content, expected = requests[name]
        sent, failures = 0, []
        key = {"authorization": f"Bearer {new_key()}"}
        with httpx.Client(base_url=replicas.proxy, headers=key, timeout=300) as http:
            while not over.wait(0.2):
                sent += 1
                try:
                    response = http.request(method, path, **content)
                except httpx.HTTPError as error:
                    failures.append(f"{name}: {error!r}")
                    continue
                if response.status_code >= 400 or expected not in response.text or '"error":' in response.text:
                    failures.append(f"{name}: {response.status_code} {response.text[:500]}")
        return sent, failures

    with ThreadPoolExecutor() as threads:
        running = [threads.submit(request_again_and_again, name) for name in requests]
        try:
            for port in replicas.ports:
                replicas.replicas[port].process.terminate()
                assert replicas.replicas[port].process.wait(300) == 0
                replicas.start(port)
        finally:
            over.set()
        ended = [each.result() for each in running]
    assert not [failure for _, failures in ended for failure in failures]
    assert all(sent for sent, _ in ended)
