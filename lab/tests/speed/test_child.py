"""Processes of a measurement: none of them outlives the one that measures."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from golden_lab.speed.child import run_in_child

ROOT = Path(__file__).resolve().parents[3]


def say_who_and_wait(told: str) -> None:
    Path(told).write_text(str(os.getpid()), encoding="utf-8")
    time.sleep(600)


def measure_for_ever(folder: str) -> None:
    run_in_child(say_who_and_wait, f"{folder}/child")


@contextmanager
def measuring(folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    code = f"from {__name__} import measure_for_ever\nif __name__ == '__main__': measure_for_ever({str(folder)!r})"
    script = folder / "measure.py"
    script.write_text(code, encoding="utf-8")
    with subprocess.Popen(
        [sys.executable, str(script)], env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "lab")])}
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def children_of(pid: int) -> set[int]:
    return {int(each) for each in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()}


def runs(pid: int) -> bool:
    """Say whether there is such a process that has not ended; one that nobody has asked after yet has."""
    stat = Path(f"/proc/{pid}/stat")
    return stat.is_file() and stat.read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="processes are looked up in /proc")
@pytest.mark.parametrize("signal_name", ["terminate", "kill"])
def test_what_a_measurement_began_ends_with_it_however_it_ends(tmp_path: Path, signal_name: str) -> None:
    with measuring(tmp_path) as process:
        for _ in range(600):
            if (tmp_path / "child").is_file() and (tmp_path / "child").read_text():
                break
            time.sleep(0.1)
        children = children_of(process.pid)
        assert int((tmp_path / "child").read_text()) in children
        getattr(process, signal_name)()
        process.wait(30)
    for _ in range(300):
        left = set(filter(runs, children))
        if not left:
            break
        time.sleep(0.1)
    assert not left
