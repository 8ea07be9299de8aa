"""The README's commands, run as a newcomer would: from the example documents to an answer from the real client."""

import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.golden_retriever.served import ROOT, ServerProcess, environment_for, golden

pytestmark = pytest.mark.slow

README = (ROOT / "README.md").read_text(encoding="utf-8")


def commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    lines = [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith(".venv/bin/golden")]


def run(line: str, folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    result = golden(*shlex.split(line)[1:], environment=environment, folder=folder, timeout_s=300)
    assert result.returncode == 0, f"{line}\n{result.stderr}"
    return result


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("newcomer") / "data"


@pytest.fixture(scope="module")
def served(data: Path) -> Iterator[ServerProcess]:
    server = ServerProcess(["--starter", "examples"], ROOT, environment_for(data))
    yield server
    server.stop()


def test_readme_questions_to_the_running_server(served: ServerProcess, data: Path) -> None:
    assert "reading" in served.output.lower()
    assert "Warning" not in served.output
    asked = [line for line in commands() if " ask " in line]
    assert asked
    for line in asked[1:]:
        assert run(line, ROOT, environment_for(data)).stdout.strip(), line
    answer = json.loads(run(asked[0] + " --json", ROOT, environment_for(data)).stdout)
    assert (answer["outcome"], "1.5 V" in answer["text"]) == ("answered", True)
    assert (answer["citations"][0]["document_name"], answer["citations"][0]["page"]) == ("interfaces-handbook.pdf", 8)


def test_the_python_example_talks_to_the_server(served: ServerProcess) -> None:
    block = next(block for block in re.findall(r"```python\n(.*?)```", README, re.DOTALL) if "OpenAI" in block)
    code = block.replace("http://127.0.0.1:7860", served.address)
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stderr
    assert "1.5 V" in result.stdout


def test_dictionary_addresses_in_the_docs_answer(served: ServerProcess) -> None:
    page = (ROOT / "docs" / "guides" / "dictionary.md").read_text(encoding="utf-8")
    block = next(block for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL) if "/api/dictionary" in block)
    lines = block.replace("\\\n", " ").replace("localhost:7860", served.address.removeprefix("http://")).splitlines()
    assert len(lines) == 4
    for line in lines:
        result = subprocess.run(
            [*shlex.split(line), "--silent", "--fail-with-body"],
            cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
        assert result.returncode == 0, f"{line}\n{result.stdout}"


def test_your_own_documents_in_four_commands(tmp_path: Path) -> None:
    """The commands under "Your own documents", letter by letter, on files with those names."""
    environment = environment_for(tmp_path / "my-bot")
    (tmp_path / "my-documents").mkdir()
    for name in ("house-rules.md", "escalation.txt", "software-tools.html", "timing-parameters.xlsx"):
        shutil.copy(ROOT / "examples" / "documents" / name, tmp_path / "my-documents" / name)
    shutil.copy(ROOT / "examples" / "dictionary.csv", tmp_path / "my-terms.csv")
    shutil.copy(ROOT / "examples" / "contexts.csv", tmp_path / "my-contexts.csv")
    block = next(block for block in re.findall(r"```sh\n(.*?)```", README, re.DOTALL) if "my-bot" in block)
    own = [line for line in block.splitlines() if line.startswith(".venv/bin/golden") and "my-" in line]
    assert len(own) == 2
    for line in own:
        run(line, tmp_path, environment)
    server = ServerProcess([], tmp_path, environment)
    try:
        models = httpx.get(f"{server.address}/v1/models").json()
        assert models["data"][0]["id"] == "golden"
    finally:
        server.stop()
