"""The cluster of compose.yaml as processes of this machine: two replicas, a Chroma server, Redis and the proxy."""

import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
import yaml

from tests.golden_retriever.served import ROOT, ServerProcess, environment_for

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
        """Start a replica, and wait until it is ready."""
        self.replicas[port] = ServerProcess(["--no-ui", "--port", str(port)], self.folder, self.environment)

    def kill(self, port: int) -> None:
        """Kill a replica."""
        self.replicas[port].process.kill()
        self.replicas[port].process.communicate()

    def address(self, port: int) -> str:
        """Return the address of one replica."""
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
    # Debian keeps servers where only root looks.
    found = shutil.which(name, path=f"{Path(sys.executable).parent}:/usr/sbin") or shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not on this machine: make setup-all")
    return found


def _free_ports(count: int) -> list[int]:
    with ExitStack() as held:
        sockets = [held.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in sockets]
