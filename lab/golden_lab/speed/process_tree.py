"""The memory that a process and all that it started take, at the peak."""

import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from contracts.errors import Unavailable

_PROCESSES = Path("/proc")
_EVERY_S = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeMemory:
    """Resident memory at the peak in MB (1 000 000 bytes): of the process, of the largest one below it, of all at once.

    Pages that several of them share count in each.
    """

    parent_mb: float
    largest_child_mb: float
    together_mb: float


def run_watched(
    command: Sequence[str], environment: Mapping[str, str], folder: Path, *, timeout_s: float
) -> tuple[str, TreeMemory | None]:
    """Run ``command`` in ``folder`` to its end; return what it printed, and the memory of it and all that it started.

    The memory is None where the system has no /proc.

    Raises:
        Unavailable: it failed, or did not end in time.
    """
    pipe = subprocess.PIPE
    with subprocess.Popen(
        list(command), cwd=folder, env=dict(environment), stdout=pipe, stderr=pipe, text=True
    ) as process:
        watch = _Watch(process.pid)
        watch.start()
        try:
            printed, said = process.communicate(timeout=timeout_s)
        except subprocess.TimeoutExpired as error:
            process.terminate()
            process.communicate()
            raise Unavailable(f"{command[-1]}: it did not end within {timeout_s:g} s") from error
        finally:
            watch.stop()
    if process.returncode:
        raise Unavailable(f"{' '.join(command[:4])} … failed ({process.returncode}): {said.strip()[-500:]}")
    return printed, watch.memory


class _Watch(threading.Thread):
    """Looks at a process and what is below it, ten times a second."""

    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self._pid = pid
        self._over = threading.Event()
        self.memory: TreeMemory | None = None

    def run(self) -> None:
        parent = largest = together = 0.0
        while not self._over.wait(_EVERY_S):
            now = _resident_mb(self._pid)
            if not now:
                continue
            parent = max(parent, now.get(self._pid, 0.0))
            largest = max([largest, *(mb for pid, mb in now.items() if pid != self._pid)])
            together = max(together, sum(now.values()))
            self.memory = TreeMemory(parent_mb=parent, largest_child_mb=largest, together_mb=together)

    def stop(self) -> None:
        self._over.set()
        self.join()


def _resident_mb(root: int) -> dict[int, float]:
    """Return the resident memory of a process and of all below it, by process."""
    if not _PROCESSES.is_dir():
        return {}
    parents: dict[int, int] = {}
    for entry in os.listdir(_PROCESSES):
        if entry.isdigit():
            try:
                # The name, in brackets, may hold anything; the parent is the second field after it.
                fields = (_PROCESSES / entry / "stat").read_text(errors="replace").rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry)] = int(fields[1])
    family = {root} & parents.keys()
    grown = True
    while grown:
        below = {pid for pid, parent in parents.items() if parent in family} - family
        family |= below
        grown = bool(below)
    page_bytes = os.sysconf("SC_PAGE_SIZE")
    found = {}
    for pid in family:
        try:
            pages = int((_PROCESSES / str(pid) / "statm").read_text().split()[1])
        except (OSError, IndexError):
            continue
        found[pid] = pages * page_bytes / 1e6
    return found
