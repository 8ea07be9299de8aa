"""A machine that is no help: no Tesseract, no space left, another command at the same time."""

import json
import os
import resource
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PIL import Image, ImageDraw, ImageFont

from tests.golden_retriever.served import environment_for, golden

pytestmark = pytest.mark.slow

GOOD = "The bilge alarm is tested every 5 days."


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    documents = tmp_path / "documents"
    documents.mkdir()
    for number in range(4):
        lines = "\n\n".join(f"Valve {number}.{line} opens at {line} bar." for line in range(30))
        (documents / f"valves-{number}.txt").write_text(lines, encoding="utf-8")
    (documents / "good.txt").write_text(GOOD, encoding="utf-8")
    return tmp_path


def draw_scan(path: Path) -> None:
    image = Image.new("L", (1200, 400), 255)
    ImageDraw.Draw(image).text((60, 120), "The capstan is oiled weekly.", fill=0, font=ImageFont.load_default(size=60))
    image.save(path, resolution=150)


def held(folder: Path, data: Path) -> list[dict[str, Any]]:
    listed = golden("documents", "list", "--json", environment=environment_for(data), folder=folder)
    documents = [{**each, "changed_at": ""} for each in json.loads(listed.stdout)]
    return sorted(documents, key=lambda each: str(each["path"]))


def test_with_a_broken_tesseract_the_scans_are_named_and_the_rest_is_read(folder: Path) -> None:
    draw_scan(folder / "documents" / "scan.png")
    draw_scan(folder / "documents" / "scan.pdf")
    program = folder / "programs" / "tesseract"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\necho 'cannot load libtesseract.so' >&2\nexit 127\n")
    program.chmod(0o755)
    environment = {**environment_for(folder / "data"), "PATH": f"{program.parent}:{os.environ['PATH']}"}
    result = golden("ingest", "documents", "--json", environment=environment, folder=folder)
    assert result.returncode == 0, result.stderr
    events = [json.loads(line) for line in result.stdout.splitlines()]
    files = {Path(event["path"]).name: event for event in events if event["event"] == "file"}
    assert files["good.txt"]["status"] == "ingested"
    for name in ("scan.png", "scan.pdf"):
        assert files[name]["status"] == "failed"
        message = f"{files[name]['reason']} {' '.join(files[name]['warnings'])}"
        assert "tesseract is broken" in message
        assert "cannot load libtesseract.so" in message


def test_a_disk_that_fills_up_is_a_line_and_the_next_run_goes_on(folder: Path) -> None:
    environment = environment_for(folder / "data")
    assert golden("ingest", "documents/good.txt", environment=environment, folder=folder).returncode == 0
    size_bytes = max(each.stat().st_size for each in (folder / "data").glob("golden.db"))

    def fill() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes + 40_000, resource.RLIM_INFINITY))

    big = folder / "documents" / "big.txt"
    big.write_text("\n\n".join(f"Pump {line} stands in hold {line % 7}." for line in range(900)), encoding="utf-8")
    full = golden("ingest", "documents", environment=environment, folder=folder, before=fill)
    assert full.returncode == 1
    assert any(word in full.stderr for word in ("full", "space", "disk")), full.stderr
    asked = golden("ask", "How often is the bilge alarm tested?", environment=environment, folder=folder)
    assert "every 5 days" in asked.stdout
    assert golden("ingest", "documents", environment=environment, folder=folder).returncode == 0
    assert len(held(folder, folder / "data")) == 6
    assert golden("doctor", environment=environment, folder=folder).returncode == 0


def test_two_ingestions_at_once_end_like_one(folder: Path) -> None:
    environment = environment_for(folder / "data")
    ingest = partial(golden, "ingest", "documents", environment=environment, folder=folder)
    with ThreadPoolExecutor() as threads:
        for each in [threads.submit(ingest) for _ in range(2)]:
            assert each.result().returncode == 0, each.result().stderr
    golden("ingest", "documents", environment=environment_for(folder / "alone"), folder=folder)
    alone = held(folder, folder / "alone")
    assert len(alone) == 5
    assert held(folder, folder / "data") == alone
    assert golden("doctor", environment=environment, folder=folder).returncode == 0
