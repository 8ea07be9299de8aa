"""The lock of a data folder: which program has it open for long, and the address of a server that has.

The lock is the system's (``flock``) on a file in the folder, so it ends with its process however that ends; the file's
text says who holds it. Commands such as ``golden ingest`` do not take it: they work beside a server.
"""

import fcntl
import json
import os
import secrets
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.errors import Conflict, GoldenError, Unavailable

if TYPE_CHECKING:
    from golden_retriever.settings import Settings

_FILE = "owner.lock"
_TRIES = 5
_BETWEEN_TRIES_S = 0.02
_EVERY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderOwner:
    """Who has a data folder open: the program's name, its process, and where it can be asked.

    ``address`` is that of a server that is ready, path prefix included, else "". ``token`` is a random text, other for
    each lock: a server that knows it serves this folder.
    """

    program: str
    pid: int
    token: str
    address: str = ""


class FolderLock:
    """Holds a data folder for ``program`` until it is closed or the process ends.

    Raises:
        Conflict: another program has the folder, or this process has it already.
        Unavailable: the folder cannot be locked.
    """

    def __init__(self, folder: Path, program: str) -> None:
        with ExitStack() as opened:
            try:
                self._file = os.open(folder / _FILE, os.O_RDWR | os.O_CREAT, 0o666)
                opened.callback(os.close, self._file)
                tries = _TRIES
                while not _lock(self._file, fcntl.LOCK_EX):
                    # At first perhaps only because ``read_owner`` looks.
                    tries -= 1
                    if not tries:
                        raise Conflict(_conflict(folder))
                    time.sleep(_BETWEEN_TRIES_S)
            except OSError as error:
                raise Unavailable(f"The data folder {folder} cannot be locked: {error}.") from error
            opened.pop_all()
        self._owner = FolderOwner(program=program, pid=os.getpid(), token=secrets.token_hex(16))
        self._write(json.dumps(asdict(self._owner)))

    def publish(self, address: str) -> None:
        """Say at which address the folder's server can be asked now."""
        self._write(json.dumps(asdict(replace(self._owner, address=address))))

    def close(self) -> None:
        """Let the folder go."""
        self._write("")
        # Unlocked before it is closed: a forked process may have the same open file.
        fcntl.flock(self._file, fcntl.LOCK_UN)
        os.close(self._file)

    def _write(self, text: str) -> None:
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, text.encode(), 0)


def read_owner(folder: Path) -> FolderOwner | None:
    """Return who has ``folder`` open; None for nobody, whatever a process that was killed has left there."""
    try:
        with (folder / _FILE).open(encoding="utf-8") as file:
            if _lock(file.fileno(), fcntl.LOCK_SH):
                return None
            return FolderOwner(**json.loads(file.read()))
    except (OSError, ValueError, TypeError):
        return None


def _lock(file: int, kind: int) -> bool:
    """Lock an open file; return False where another program holds it."""
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def server_lock(settings: "Settings") -> Iterator[Callable[[socket.socket], None]]:
    """Hold the settings' data folder for a server; yield what publishes the address of its socket once it is ready.

    A server beside a program that has the folder already serves all the same, and publishes nothing.
    """
    try:
        lock = FolderLock(settings.data_dir, "golden serve")
    except GoldenError:
        yield lambda listener: None
        return

    def publish(listener: socket.socket) -> None:
        host = _EVERY_ADDRESS.get(settings.host, settings.host)
        shown = f"[{host}]" if ":" in host else host
        lock.publish(f"http://{shown}:{listener.getsockname()[1]}{settings.path_prefix}")

    with closing(lock):
        yield publish


def _conflict(folder: Path) -> str:
    owner = read_owner(folder)
    if owner is None:
        return f"The data folder {folder} is in use by another program: stop it, or choose another folder."
    if owner.pid == os.getpid():
        return (
            f"The data folder {folder} is open in this process already: use that GoldenRetriever, or close it before "
            "you open another one."
        )
    way = f", or ask it at {owner.address}/v1 (docs/openai.md)" if owner.address else ""
    return (
        f"The data folder {folder} is in use by {owner.program} (process {owner.pid}): stop it{way}, or choose another "
        "folder."
    )
