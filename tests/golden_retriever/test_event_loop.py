"""The event loop is never blocked: not by computing, not by waiting, whatever is asked of the server."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.golden_retriever.served import ROOT, environment_for
from tests.golden_retriever.watched_loop import BLOCKS

# Of the thread's own computing; other work of the machine does not count into it.
_MOST_MS = 50.0

pytestmark = pytest.mark.slow


def make_examples(folder: Path) -> Path:
    """Make a folder like the examples: a document and a dictionary."""
    (folder / "documents").mkdir(parents=True)
    text = (
        "# Keys\n\nA lost locker key costs 40 euros.\n\n# Canteen\n\nThe canteen opens at 7:30 and closes at 14:00.\n"
    )
    (folder / "documents" / "house.md").write_text(text, encoding="utf-8")
    (folder / "dictionary.csv").write_text("term,extended_name\nEBR,Electronic Batch Record\n", encoding="utf-8")
    (folder / "contexts.csv").write_text("name,description\nQuality,Records and audits\n", encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What was seen while everything was asked at once, and while something blocked on purpose."""
    folder = make_examples(tmp_path_factory.mktemp("watched") / "examples")
    pages = [
        f"# Hall {number}\n\nHall {number} has {number + 3} gates. The gate of hall {number} opens at "
        f"{number % 12}:15, and the crane of hall {number} lifts {number * 5} tonnes. "
        f"Whoever loses a key of hall {number} pays {number + 20} euros at the front desk of the canteen.\n"
        for number in range(1, 60)
    ]
    (folder / "documents" / "halls.md").write_text("\n".join(pages), encoding="utf-8")
    result = subprocess.run(
        [sys.executable, "-m", "tests.golden_retriever.watched_loop", str(folder)],
        cwd=ROOT,
        env=environment_for(folder / "data"),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert result.returncode == 0, result.stderr[-2_000:]
    values: dict[str, Any] = json.loads(result.stdout.splitlines()[-1])
    return values


def test_requests_of_every_kind_at_once_never_block_the_loop(found: dict[str, Any]) -> None:
    statuses = Counter(found["statuses"])
    assert set(statuses) == {200, 202}, "every request was served"
    assert statuses[202] == 1, "the upload was taken"
    assert found["clean"]["waits"] == {}
    cpu_ms, name = found["clean"]["callbacks"][0]
    assert cpu_ms < _MOST_MS, f"one callback computed for {cpu_ms} ms: {name}"


@pytest.mark.parametrize(
    ("kind", "wait"),
    [("sleep", "time.sleep"), ("file", "open"), ("sql", "sqlite3.connect"), ("socket", "socket.connect")],
)
def test_what_waits_on_the_loop_is_found_however_short(found: dict[str, Any], kind: str, wait: str) -> None:
    assert kind in BLOCKS
    assert [each.split()[0] for each in found[kind]["waits"]] == [wait]


def test_what_computes_on_the_loop_is_found(found: dict[str, Any]) -> None:
    assert found["computing"]["waits"] == {}
    cpu_ms, _ = found["computing"]["callbacks"][0]
    assert cpu_ms > 5 * _MOST_MS


def test_statements_of_sql_and_the_embedding_model_are_found(found: dict[str, Any]) -> None:
    assert {each.split()[0] for each in found["statement"]["waits"]} == {"sql"}
    assert {each.split()[0] for each in found["embedding"]["waits"]} == {"onnxruntime"}
