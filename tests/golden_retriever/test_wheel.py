"""The wheel in an empty environment: it brings the embedding model along, needs no PyTorch, and answers."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden_retriever.served import ROOT

# Of a single file, unless PyPI is asked for more.
_MOST_BYTES_ON_PYPI = 100 * 1024 * 1024
_SCRIPT = """
import importlib.util, json
from golden_retriever import GoldenRetriever

bot = GoldenRetriever("my-bot", top_k=6)
report = bot.ingest("manuals/")
answer = bot.ask("What is the VCCQ level for DDR3?")
print(json.dumps({
    "counts": dict(report.counts),
    "answer": [answer.text, answer.citations[0].document_name, answer.citations[0].page, answer.status],
    "torch": importlib.util.find_spec("torch") is not None,
}))
"""


@pytest.mark.slow
def test_a_wheel_in_an_empty_environment_answers_without_pytorch(tmp_path: Path) -> None:
    _run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path / "dist", ROOT)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert wheel.stat().st_size < _MOST_BYTES_ON_PYPI

    _run(sys.executable, "-m", "venv", tmp_path / "environment")
    python = tmp_path / "environment" / "bin" / "python"
    _run(python, "-m", "pip", "install", "--quiet", "-c", ROOT / "constraints.txt", wheel)

    folder = tmp_path / "elsewhere"
    (folder / "manuals").mkdir(parents=True)
    for name in ("interfaces-handbook.pdf", "house-rules.md"):
        shutil.copy(ROOT / "examples" / "documents" / name, folder / "manuals")
    (folder / "script.py").write_text(_SCRIPT, encoding="utf-8")
    result = json.loads(_run(python, "script.py", folder=folder).splitlines()[-1])
    text, document, page, status = result["answer"]
    assert "1.5 V" in text
    assert (document, page, status) == ("interfaces-handbook.pdf", 8, "answered")
    assert result["counts"] == {"ingested": 2}
    assert result["torch"] is False


def _run(*command: str | Path, folder: Path | None = None) -> str:
    ours = ("GOLDEN_", "PYTHONPATH")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    environment |= {"XDG_CACHE_HOME": str(folder / "cache")} if folder else {}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=1_800)
    assert done.returncode == 0, done.stderr[-4_000:]
    return done.stdout
