"""Workers on a Ray cluster: the same tasks as in processes of this machine, on the cores of every node.

A worker reads a file at its own path where one of the same SHA-256 lies there (a shared folder); any other file is
shipped to it once, by Ray's object store. The nodes need this package, installed as it is here.
"""

import asyncio
import importlib
import os
import socket
import sys
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from contracts.errors import ConfigurationError, Unavailable
from ingestion.bounds import bound_memory
from ingestion.files.archives import hash_content
from ingestion.limits import IngestionLimits
from ingestion.workers.crew import Errand, Turns, WorkerLate, WorkerLost
from ingestion.workers.crew_reading import CrewReaderPool
from ingestion.workers.processes import ProcessCrew
from tools.ocr import OcrEngine
from tools.telemetry import refuse_telemetry

# A cluster that has to start machines first takes minutes.
_READY_S = 600.0
_REACHED_S = 10.0
_MOST_FAILURES = 3
_FILES_KEPT = 2


class RayReaderPool(CrewReaderPool):
    """Reads files with workers of a Ray cluster; pages are counted on this machine.

    ``address`` names the cluster ("auto", "ray://host:10001"); empty, it is that of the variable RAY_ADDRESS, else the
    one that runs on this machine, else one is started here. ``workers`` bounds the workers (0: one a core).
    Blocking: it connects.

    Raises:
        ConfigurationError: the package ray is not installed.
        Unavailable: there is no cluster at that address.
    """

    def __init__(self, address: str, limits: IngestionLimits, ocr: OcrEngine | None, *, workers: int = 0) -> None:
        super().__init__(RayCrew(address, limits, workers=workers), limits, ocr, counting=ProcessCrew(1, limits))


class RayCrew:
    """Does errands in actors on a Ray cluster, each of one core; they start as there is work for them.

    Parameters and errors are those of ``RayReaderPool``.
    """

    def __init__(self, address: str, limits: IngestionLimits, *, workers: int = 0) -> None:
        self._ray = _import_ray()
        self._connected = not self._ray.is_initialized()
        if self._connected:
            _connect(self._ray, address)
        self._size = workers or max(1, int(self._ray.cluster_resources().get("CPU", 1)))
        self._actor: Any = self._ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(_Worker)
        self._limits = limits
        self._turns = Turns([])
        self._actors: dict[int, Any] = {}
        self._started = 0
        self._ready: set[int] = set()
        self._starting: set[asyncio.Task[None]] = set()
        self._failures = 0
        self._broken: asyncio.Event = asyncio.Event()
        self._why_broken = ""
        self._closed = False
        self._files: OrderedDict[int, _File] = OrderedDict()

    @property
    def size(self) -> int:
        """How many errands can be done at once."""
        return self._size

    async def do(self, errand: Errand) -> Any:
        """Do an errand when a worker is idle, and return what its task returns. Cancelled, it ends its worker.

        Raises:
            WorkerLost: the worker died at it, or its node did.
            WorkerLate: it was not done within ``most_s`` seconds, and its worker was ended.
            Unavailable: the cluster gives no workers.
        """
        worker = await self._take(errand.order)
        whole = False
        try:
            result = await self._call(self._actors[worker], errand)
            whole = True
            return result
        except self._ray.exceptions.RayTaskError as error:
            raise Unavailable(f"a Ray worker failed: {error.cause}: install the same version on all nodes") from error
        except self._ray.exceptions.RayError as error:
            raise WorkerLost from error
        finally:
            if whole:
                self._turns.give(worker)
            else:
                self._drop(worker)

    def close(self) -> None:
        """End the workers, and leave the cluster where this crew joined it. Blocking."""
        self._closed = True
        for task in list(self._starting):
            task.get_loop().call_soon_threadsafe(task.cancel)
        for worker in list(self._actors):
            self._drop(worker)
        self._files.clear()
        if self._connected:
            self._ray.shutdown()

    async def _take(self, order: int) -> int:
        taking = asyncio.ensure_future(self._turns.take(order))
        await asyncio.sleep(0)
        if not taking.done():
            self._start()
        broken = asyncio.ensure_future(self._broken.wait())
        try:
            await asyncio.wait((taking, broken), return_when=asyncio.FIRST_COMPLETED)
            if taking.done():
                return taking.result()
        finally:
            taking.cancel()
            broken.cancel()
        raise Unavailable(self._why_broken)

    def _start(self) -> None:
        if len(self._actors) >= self._size or self._closed:
            return
        worker = self._started
        self._started += 1
        self._actors[worker] = self._actor.remote(self._limits)
        task = asyncio.create_task(self._welcome(worker))
        self._starting.add(task)
        task.add_done_callback(self._starting.discard)

    async def _welcome(self, worker: int) -> None:
        """Let a new worker take its turn as soon as it is there."""
        coming = _future(self._actors[worker].process.remote())
        while True:
            done, _ = await asyncio.wait([coming], timeout=_READY_S)
            if done:
                break
            if not self._ready:
                self._break(f"the Ray cluster gave no worker within {_READY_S:g} s: it has no core to spare")
        try:
            coming.result()
        except self._ray.exceptions.RayError as error:
            self._failures += 1
            self._actors.pop(worker, None)
            if self._failures >= _MOST_FAILURES and not self._ready:
                self._break(f"workers do not start on the Ray cluster (is this package on every node?): {error}")
            else:
                self._start()
            return
        self._failures = 0
        self._ready.add(worker)
        self._turns.give(worker)

    def _break(self, why: str) -> None:
        self._why_broken = why
        self._broken.set()

    def _drop(self, worker: int) -> None:
        """End a worker; another one starts for those who wait."""
        actor = self._actors.pop(worker, None)
        self._ready.discard(worker)
        if actor is not None:
            self._ray.kill(actor, no_restart=True)
        if self._turns.are_waited_for and not self._closed:
            self._start()

    async def _call(self, actor: Any, errand: Errand) -> Any:
        loop = asyncio.get_running_loop()
        until = loop.time() + errand.most_s
        file = await self._file(errand) if errand.opens_file else _File(errand.file, "")
        content = None
        while True:
            called = actor.do.remote(str(errand.file), file.digest, content, errand.task, errand.arguments)
            coming = _future(called)
            done, _ = await asyncio.wait([coming], timeout=max(0.0, until - loop.time()))
            if not done:
                raise WorkerLate
            result = coming.result()
            if not isinstance(result, _NotThere):
                return result
            content = await asyncio.to_thread(file.put, self._ray.put)

    async def _file(self, errand: Errand) -> "_File":
        file = self._files.get(errand.order)
        if file is None:
            digest = await asyncio.to_thread(hash_content, errand.file)
            file = self._files.setdefault(errand.order, _File(errand.file, digest))
            while len(self._files) > _FILES_KEPT:
                self._files.popitem(last=False)
        return file


class _File:
    """A file that workers ask for; its content is in the object store as long as this is kept."""

    def __init__(self, path: Path, digest: str) -> None:
        self.digest = digest
        self._path = path
        self._stored: Any = None

    def put(self, put: Callable[[bytes], Any]) -> Any:
        """Return a reference to the content. Blocking."""
        if self._stored is None:
            self._stored = put(self._path.read_bytes())
        return self._stored


class _NotThere:
    """Says that a worker has no file of that content."""


class _Worker:
    """A worker process on some node; keeps a copy of the last file that was shipped to it."""

    def __init__(self, limits: IngestionLimits) -> None:
        bound_memory(limits.worker_bytes)
        self._digest = ""
        self._path = Path()
        self._folder: TemporaryDirectory[str] | None = None

    def process(self) -> int:
        """Return the id of this process."""
        return os.getpid()

    def do(
        self, place: str, digest: str, content: bytes | None, task: Callable[..., Any], arguments: tuple[Any, ...]
    ) -> Any:
        """Do a task on the file of that digest; a task that opens none has the digest ""."""
        if digest and digest != self._digest and not self._find(Path(place), digest, content):
            return _NotThere()
        return task(self._path if digest else Path(place), *arguments)

    def _find(self, path: Path, digest: str, content: bytes | None) -> bool:
        if content is not None:
            self._folder = TemporaryDirectory(prefix="golden-ray-")
            path = Path(self._folder.name) / f"file{path.suffix}"
            path.write_bytes(content)
        elif not path.is_file() or hash_content(path) != digest:
            return False
        self._path, self._digest = path, digest
        return True


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
        _reach(address)
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


def _reach(address: str) -> None:
    """Knock at an address such as ``host:6379``: Ray itself would go on trying for minutes.

    Raises:
        OSError: nobody opens.
    """
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=_REACHED_S).close()


def _future(reference: Any) -> "asyncio.Future[Any]":
    return asyncio.wrap_future(reference.future())
