"""Chroma killed while it writes its graph; ``python -m tests.tools.search.killing_chroma FOLDER`` kills it often."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]


def test_killed_while_it_writes_its_graph_the_index_is_whole_at_the_next_start(tmp_path: Path) -> None:
    # Its own process: it forks, which a process with threads must not.
    result = subprocess.run(
        [sys.executable, "-m", "tests.tools.search.killing_chroma", str(tmp_path / "index"), "3", "100"],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stderr[-3_000:]
    told = result.stdout.splitlines()[-1]
    assert int(told.split()[0]) >= 1, told
    assert ".bin" in told or ".pickle" in told, f"no graph was written: {told}"
