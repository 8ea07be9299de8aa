"""The Dockerfile, compose.yaml and the wheel: held against the project that they package; what they run is run."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from golden_retriever.settings import Settings
from tests.golden_retriever.served import ROOT, ServerProcess, environment_for, golden

Instruction = tuple[str, str]
# PyPI's default limit for a single file.
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


@pytest.fixture(scope="module")
def stages() -> list[list[Instruction]]:
    """Return the Dockerfile's stages, each a list of instructions with their arguments."""
    text = "\n".join(line for line in (ROOT / "Dockerfile").read_text().splitlines() if not line.startswith("#"))
    found: list[list[Instruction]] = []
    for line in re.sub(r"\\\n\s*", "", text).splitlines():
        name, _, rest = line.strip().partition(" ")
        if name == "FROM":
            found.append([])
        if name:
            found[-1].append((name, rest))
    return found


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return dict(yaml.safe_load((ROOT / "compose.yaml").read_text()))


def of(stage: list[Instruction], name: str) -> list[str]:
    return [rest for each, rest in stage if each == name]


def environment_of(stage: list[Instruction]) -> dict[str, str]:
    return dict(pair.split("=", 1) for pair in shlex.split(" ".join(of(stage, "ENV"))))


def test_every_base_and_image_is_pinned(stages: list[list[Instruction]], compose: dict[str, Any]) -> None:
    bases = [of(stage, "FROM")[0].split()[0] for stage in stages]
    images = [service["image"] for service in compose["services"].values()]
    for image in (*bases, *images):
        assert re.search(r":v?\d+\.\d+", image), image
    locked = re.search(r"^chromadb==(.*)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE)
    assert f"chromadb/chroma:{locked[1]}" in images


def test_final_stage_runs_unprivileged_and_has_no_build_tools(stages: list[list[Instruction]]) -> None:
    last = stages[-1]
    (user,) = of(last, "USER")
    assert int(user.split(":")[0]) > 0
    assert "pip" not in " ".join(of(last, "RUN"))
    assert not re.search(r"gcc|build-essential|-dev\b", " ".join(of(last, "RUN")))
    assert "tesseract-ocr" in of(last, "RUN")[0]


def test_image_copies_the_packages_of_the_wheel(stages: list[list[Instruction]]) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    packages = set(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"])
    copied = {name for line in of(stages[0], "COPY") for name in line.split()[:-1]}
    assert packages <= copied
    for name in copied:
        assert (ROOT / name).exists(), name
    sent_to_docker = {line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")}
    assert sent_to_docker == copied


def test_containers_need_only_their_volume_and_a_tmpfs_and_publish_ports_on_loopback(
    stages: list[list[Instruction]], compose: dict[str, Any]
) -> None:
    environment = environment_of(stages[-1])
    for name, service in compose["services"].items():
        assert all(port.startswith("127.0.0.1:") for port in service.get("ports", ())), name
        if service["image"].startswith("golden-retriever"):
            assert service["read_only"] is True, name
            assert service["tmpfs"] == ["/tmp:mode=1777"]
            assert service["cap_drop"] == ["ALL"]
            assert [volume.split(":")[1] for volume in service["volumes"]] == ["/data"]
            assert service["volumes"][0].split(":")[0] in compose["volumes"]
            grace = float(service["stop_grace_period"].removesuffix("s"))
            assert grace > Settings.model_fields["shutdown_grace_s"].default
            for variable in service.get("environment", {}):
                assert variable.removeprefix("GOLDEN_").lower() in Settings.model_fields, variable
    for name in ("HOME", "MPLCONFIGDIR", "GRADIO_TEMP_DIR"):
        assert environment[name].startswith("/tmp")
    assert environment["GOLDEN_DATA_DIR"] == of(stages[-1], "VOLUME")[0]


@pytest.mark.slow
def test_commands_of_the_image_write_only_to_data_and_tmp(stages: list[list[Instruction]], tmp_path: Path) -> None:
    """Make the model ready as the build does, then serve and ask for health as the container does."""
    places = {"/opt/golden/cache": tmp_path / "cache", "/data": tmp_path / "data", "/tmp": tmp_path / "tmp"}
    places["/tmp"].mkdir()
    (prepare,) = [each for each in of(stages[0], "RUN") if "golden ask" in each]
    asked = shlex.split(re.findall(r"bin/golden (ask \".*?\")", prepare)[0])
    environment = environment_for(tmp_path / "prepared") | {"XDG_CACHE_HOME": str(places["/opt/golden/cache"])}
    assert golden(*asked, environment=environment, folder=tmp_path).returncode == 0
    before = {path: path.stat().st_mtime_ns for path in (places["/opt/golden/cache"] / "golden-retriever").rglob("*")}
    assert before

    image = environment_of(stages[-1])
    del image["PATH"]
    for name, value in image.items():
        for inside, outside in places.items():
            if value == inside or value.startswith(f"{inside}/"):
                image[name] = str(outside) + value.removeprefix(inside)
    environment = environment_for(places["/data"]) | image
    # A container listens on all interfaces, so it needs a key; its health check uses its own loopback.
    refused = golden(*json.loads(of(stages[-1], "CMD")[0]), environment=environment, folder=tmp_path)
    assert refused.returncode == 1
    assert "golden keys create" in refused.stderr
    assert golden("keys", "create", "me", environment=environment, folder=tmp_path).returncode == 0
    environment |= {"GOLDEN_HOST": "127.0.0.1", "GOLDEN_PORT": "0"}
    server = ServerProcess([], tmp_path, environment)
    try:
        (check,) = of(stages[-1], "HEALTHCHECK")
        command = json.loads(check.partition("CMD ")[2])
        port = server.address.rpartition(":")[2]
        healthy = [sys.executable, *command[1:]]
        assert subprocess.run(healthy, env=os.environ | {"GOLDEN_PORT": port}).returncode == 0
        assert {
            path: path.stat().st_mtime_ns for path in (places["/opt/golden/cache"] / "golden-retriever").rglob("*")
        } == before
    finally:
        server.stop()
    unhealthy = subprocess.run(healthy, env=os.environ | {"GOLDEN_PORT": port}, capture_output=True)
    assert unhealthy.returncode != 0


@pytest.mark.slow
def test_a_wheel_in_an_empty_environment_answers_without_pytorch(tmp_path: Path) -> None:
    _run(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path / "dist", ROOT)
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    assert wheel.stat().st_size < _MOST_BYTES_ON_PYPI

    _run(sys.executable, "-m", "venv", "--without-pip", tmp_path / "environment")
    python = tmp_path / "environment" / "bin" / "python"
    # Only the modules that the script imports are compiled: compiling all takes longer than the rest of this test.
    install = ("install", "--quiet", "--no-compile", "-c", ROOT / "constraints.txt", wheel)
    _run(sys.executable, "-m", "pip", "--python", python, *install)

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
