"""Workers on a Ray cluster: the same tasks as in processes of this machine, on the cores of every node.

A worker reads a file at its own path where one of the same SHA-256 lies there (a shared folder); any other file is
shipped to it once, by Ray's object store. The nodes need this package, installed as it is here.
"""

import asyncio
import importlib
import os
import socket
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from contracts.errors import ConfigurationError, Unavailable
from ingestion.bounds import bound_memory
from ingestion.files.archives import hash_content
from ingestion.limits import IngestionLimits
from ingestion.workers.pool import ReaderPool, WorkerLost
from ingestion.workers.tasks import perform
from tools.ocr import OcrEngine
from tools.telemetry import refuse_telemetry

# A cluster that has to start machines first takes minutes.
_READY_S = 600.0
_REACHED_S = 10.0
_MOST_STARTS = 3


class RayReaderPool(ReaderPool):
    """Reads files with workers of a Ray cluster, each of one core.

    ``address`` names the cluster ("auto", "ray://host:10001"); empty, it is that of the variable RAY_ADDRESS, else the
    one that runs on this machine, else one is started here. ``workers`` bounds the workers (0: one a core).
    Blocking: it connects.

    Raises:
        ConfigurationError: the package ray is not installed.
        Unavailable: there is no cluster at that address.
    """

    def __init__(self, address: str, limits: IngestionLimits, ocr: OcrEngine | None, *, workers: int = 0) -> None:
        self._ray = _import_ray()
        self._connected = not self._ray.is_initialized()
        if self._connected:
            _connect(self._ray, address)
        size = workers or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        super().__init__(lambda: _RayWorker(self._ray, limits, is_first=not self._workers), size, limits, ocr)

    def close(self) -> None:
        """End the workers, and leave the cluster where this pool joined it. Blocking."""
        super().close()
        if self._connected:
            self._ray.shutdown()


class _RayWorker:
    """An actor on the cluster. One that ``is_first`` must come within ten minutes; later ones may wait for a core."""

    def __init__(self, ray: Any, limits: IngestionLimits, *, is_first: bool) -> None:
        self._ray = ray
        self._limits = limits
        self._most_s = _READY_S if is_first else None
        self._actor: Any = None

    async def ready(self) -> None:
        """Wait until the actor runs. Raises ``Unavailable`` where the cluster gives none."""
        actor_class = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Actor)
        for start in range(1, _MOST_STARTS + 1):
            self._actor = actor_class.remote(self._limits)
            try:
                async with asyncio.timeout(self._most_s):
                    await _future(self._actor.process.remote())
                    return
            except TimeoutError as error:
                reason = f"the Ray cluster gave no worker within {_READY_S:g} s: it has no core to spare"
                raise Unavailable(reason) from error
            except self._ray.exceptions.RayError as error:
                if start == _MOST_STARTS:
                    reason = f"workers do not start on the Ray cluster (is this package on every node?): {error}"
                    raise Unavailable(reason) from error

    async def call(self, task: Callable[..., Any], file: Path | None, arguments: tuple[Any, ...]) -> Any:
        """Perform a task. Raises ``WorkerLost`` when the actor dies at it."""
        try:
            if file is None:
                return await _future(self._actor.do.remote(task, arguments))
            digest = await asyncio.to_thread(_digest_of, file)
            result = await _future(self._actor.do_on_file.remote(task, arguments, file, digest, None))
            if isinstance(result, _NotThere):
                content = await asyncio.to_thread(file.read_bytes)
                result = await _future(self._actor.do_on_file.remote(task, arguments, file, digest, content))
            return result
        except self._ray.exceptions.RayTaskError as error:
            raise Unavailable(f"a Ray worker failed: {error.cause}: install the same version on all nodes") from error
        except self._ray.exceptions.RayError as error:
            raise WorkerLost from error

    def end(self) -> None:
        """Kill the actor."""
        if self._actor is not None:
            self._ray.kill(self._actor, no_restart=True)


class _NotThere:
    """Says that a worker has no file of that content."""


class _Actor:
    """A worker process on some node; keeps a copy of the last file that was shipped to it."""

    def __init__(self, limits: IngestionLimits) -> None:
        bound_memory(limits.worker_bytes)
        self._digest = ""
        self._path = Path()
        self._folder: TemporaryDirectory[str] | None = None

    def process(self) -> int:
        """Return the id of this process."""
        return os.getpid()

    def do(self, task: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Do a task that opens no file."""
        return perform(task, *arguments)

    def do_on_file(
        self,
        task: Callable[..., Any],
        arguments: tuple[Any, ...],
        place: str,
        digest: str,
        content: bytes | None = None,
    ) -> Any:
        """Do a task on the file of that digest, which is at ``place``, or has this content."""
        if content is not None:
            self._folder = TemporaryDirectory(prefix="golden-ray-")
            self._path, self._digest = Path(self._folder.name) / f"file{Path(place).suffix}", digest
            self._path.write_bytes(content)
        elif digest != self._digest:
            if not Path(place).is_file() or hash_content(Path(place)) != digest:
                return _NotThere()
            self._path, self._digest = Path(place), digest
        return perform(task, self._path, *arguments)


def _digest_of(file: Path) -> str:
    if not file.exists():
        return hash_content(file)  # says why it cannot be opened
    return _known_digest(file, file.stat().st_size, file.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _known_digest(file: Path, size_bytes: int, modified_ns: int) -> str:
    return hash_content(file)


def _import_ray() -> Any:
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise ConfigurationError(
            'ingestion on a cluster needs the package ray: pip install "golden-retriever-bot[ray]", '
            "or ingest with --engine local"
        ) from error


def _connect(ray: Any, address: str) -> None:
    refuse_telemetry()
    try:
        # Ray itself would go on trying for minutes.
        host, _, port = address.removeprefix("ray://").rpartition(":")
        if host and port.isdigit():
            socket.create_connection((host, int(port)), timeout=_REACHED_S).close()
        ray.init(
            address=address or None,
            log_to_driver=False,
            logging_level="ERROR",
            runtime_env={"env_vars": {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}},
        )
    except (OSError, ValueError, RuntimeError) as error:
        where = f"at {address}" if address else "on this machine"
        raise Unavailable(
            f"there is no Ray cluster {where} ({str(error).rstrip('.')}): start one (ray start --head), or correct "
            "--ray-address"
        ) from error


def _future(reference: Any) -> "asyncio.Future[Any]":
    return asyncio.wrap_future(reference.future())
