"""What a process may use, and that no library tells its maker anything of those who use this program."""

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


def left_behind(code: str, folder: Path) -> list[str]:
    """Run ``code`` with an empty cache folder, and return what lies in it besides our own."""
    # ONNX Runtime is silent by itself where it believes to be in a CI.
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "ORT_DISABLE_TELEMETRY")}
    environment |= {"XDG_CACHE_HOME": str(folder), "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", code, str(folder / "ours")]
    subprocess.run(command, env=environment, check=True, timeout=120)
    return sorted(each.name for each in folder.iterdir() if each.name != "ours")


def test_embedding_keeps_no_identifier_of_the_machine(tmp_path: Path) -> None:
    (tmp_path / "refused").mkdir()
    assert left_behind(EMBED, tmp_path / "refused") == []


def test_the_launcher_refuses_before_anything_is_loaded() -> None:
    code = (
        "import os, sys; sys.argv = ['golden', '--version']; import golden_retriever.__main__ as launcher\n"
        "try:\n    launcher.main()\nexcept SystemExit:\n    pass\n"
        "print(os.environ['ORT_DISABLE_TELEMETRY'], 'onnxruntime' in sys.modules)"
    )
    environment = {name: value for name, value in os.environ.items() if name != "ORT_DISABLE_TELEMETRY"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines()[-1] == "1 False"


ROOT = Path(__file__).parents[2]


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="only Linux confines a process to some cores")
def test_a_process_that_is_confined_to_one_core_has_one() -> None:
    code = (
        "import os; from tools.cores import usable_cores\n"
        "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
        "print(usable_cores())"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout == "1\n"
