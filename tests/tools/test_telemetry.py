"""What a process may use, and that no library reports the use of this program to its maker."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EMBED = """
import asyncio, sys
from pathlib import Path
from tools.embedding.onnx import OnnxEmbedder
from tools.embedding.weights import find_default_model
asyncio.run(OnnxEmbedder(find_default_model(), Path(sys.argv[1])).embed_queries(["ready?"]))
"""


ROOT = Path(__file__).parents[2]


def run(code: str, *arguments: str, **environment: str) -> list[str]:
    """Run ``code`` in a process that nothing tells to be silent, and return the lines that it prints."""
    # ONNX Runtime sends nothing if it detects a CI environment.
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", "ORT_DISABLE_TELEMETRY")}
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(
        command, env={**kept, "PYTHONPATH": str(ROOT), **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_embedding_keeps_no_identifier_of_the_machine(tmp_path: Path) -> None:
    run(EMBED, str(tmp_path / "ours"), XDG_CACHE_HOME=str(tmp_path))
    assert [each.name for each in tmp_path.iterdir()] == ["ours"]


def test_launcher_disables_telemetry_before_anything_is_loaded() -> None:
    code = (
        "import os, sys; sys.argv = ['golden', '--version']; import golden_retriever.__main__ as launcher\n"
        "try:\n    launcher.main()\nexcept SystemExit:\n    pass\n"
        "print(os.environ['ORT_DISABLE_TELEMETRY'], 'onnxruntime' in sys.modules)"
    )
    assert run(code)[-1] == "1 False"


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="only Linux confines a process to some cores")
def test_process_confined_to_one_core_counts_one_core() -> None:
    code = (
        "import os; from tools.cores import usable_cores\n"
        "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "print(usable_cores())"
    )
    assert run(code) == ["1"]
