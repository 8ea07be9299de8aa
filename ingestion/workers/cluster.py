"""Workers on a Ray cluster: the same tasks as in processes of this machine, on the cores of every node.

A file is sent to a worker once, through Ray's object store. The nodes need the same version of this package.
"""

import asyncio
import importlib
import os
import socket
import sys
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from contracts.errors import ConfigurationError, Unavailable, UnreadableFile
from ingestion.limits import IngestionLimits, bound_memory
from ingestion.scratch import remove_abandoned_folders, scratch_folder
from ingestion.workers.pool import ReaderPool, WorkerLost
from ingestion.workers.tasks import perform
from tools.ocr import OcrEngine
from tools.telemetry import refuse_telemetry

# A cluster that must first start machines takes minutes to become ready.
_READY_S = 600.0
_REACHED_S = 10.0


class RayReaderPool(ReaderPool):
    """Reads files with workers of a Ray cluster, each on one core.

    ``address`` names the cluster ("auto", "ray://host:10001"). If empty, RAY_ADDRESS is used, or else a cluster that is
    running on this machine; failing both, one is started here. ``workers`` limits the number of workers (0: one per
    free core). Blocking: it connects.

    Raises:
        ConfigurationError: the package ray is not installed.
        Unavailable: there is no cluster at that address.
    """

    def __init__(self, address: str, limits: IngestionLimits, ocr: OcrEngine | None, *, workers: int = 0) -> None:
        self._ray = _import_ray()
        self._connected = not self._ray.is_initialized()
        if self._connected:
            _connect(self._ray, address)
        free = max(1, int(self._ray.available_resources().get("CPU", 1)))
        super().__init__(lambda: _RayWorker(self._ray, limits), min(workers or free, free), limits, ocr)

    def close(self) -> None:
        super().close()
        if self._connected:
            self._ray.shutdown()


class _RayWorker:
    """An actor on the cluster."""

    def __init__(self, ray: Any, limits: IngestionLimits) -> None:
        self._ray = ray
        self._actor = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Actor).remote(limits)
        self._shipped: tuple[Path, int, int] | None = None

    async def ready(self) -> None:
        """Wait until the actor is running. Raises ``Unavailable`` if the cluster provides none within ten minutes."""
        try:
            async with asyncio.timeout(_READY_S):
                await _future(self._actor.do.remote(os.getpid, (), "", None))
        except TimeoutError as error:
            reason = f"the Ray cluster provided no worker within {_READY_S:g} s: it has no core to spare"
            raise Unavailable(reason) from error
        except self._ray.exceptions.RayError as error:
            reason = f"workers do not start on the Ray cluster (is this package on every node?): {error}"
            raise Unavailable(reason) from error

    async def call(self, task: Callable[..., Any], file: Path | None, arguments: tuple[Any, ...]) -> Any:
        """Perform a task. Raises ``WorkerLost`` if the actor dies."""
        try:
            content = await asyncio.to_thread(self._new_content, file) if file is not None else None
            suffix = file.suffix if file is not None else ""
            return await _future(self._actor.do.remote(task, arguments, suffix, content))
        except self._ray.exceptions.RayTaskError as error:
            raise Unavailable(f"a Ray worker failed: {error.cause}: install the same version on all nodes") from error
        except self._ray.exceptions.RayError as error:
            raise WorkerLost from error

    def end(self) -> None:
        self._ray.kill(self._actor, no_restart=True)

    def _new_content(self, file: Path) -> bytes | None:
        """Return the bytes of a file, None if the actor has them already."""
        try:
            stat = file.stat()
            version = (file, stat.st_size, stat.st_mtime_ns)
            content = None if version == self._shipped else file.read_bytes()
        except OSError as error:
            raise UnreadableFile(str(file), f"it cannot be opened ({error.strerror or error})") from error
        self._shipped = version
        return content


class _Actor:
    """A worker process on some node; keeps a copy of the last file that was sent to it."""

    def __init__(self, limits: IngestionLimits) -> None:
        bound_memory(limits.worker_bytes)
        remove_abandoned_folders()
        self._open = ExitStack()
        self._folder = self._open.enter_context(scratch_folder())
        self._number = 0

    def do(self, task: Callable[..., Any], arguments: tuple[Any, ...], suffix: str, content: bytes | None) -> Any:
        """Do a task on the file with this content, on the last file (None), or without a file if ``suffix`` is ""."""
        if not suffix:
            return perform(task, *arguments)
        if content is not None:
            self._copy(suffix).unlink(missing_ok=True)
            self._number += 1
            self._copy(suffix).write_bytes(content)
        return perform(task, self._copy(suffix), *arguments)

    def _copy(self, suffix: str) -> Path:
        return self._folder / f"{self._number}{suffix}"


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
        # Ray itself would keep trying for minutes.
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
            "RAY_ADDRESS"
        ) from error


def _future(reference: Any) -> "asyncio.Future[Any]":
    return asyncio.wrap_future(reference.future())
