"""``golden-lab trifex`` from a file to its report."""

import json
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner, Result

from golden_lab.cli.trifex import trifex

LINES = [
    {
        "id": "kettle",
        "query": "The kettle shall boil one litre.",
        "context": "The kettle draws 2000 W.",
        "reference": "The handle is made of wood.",
        "response": "The kettle draws 2000 W. The handle is made of wood. The lid plays music.",
        "system": "bot",
        "condition": "relevant",
    },
    {
        "id": "kettle",
        "query": "The kettle shall boil one litre.",
        "context": "",
        "reference": "The handle is made of wood.",
        "response": "The handle is made of wood. The lid plays music. The lid is red. The cord is long.",
        "system": "bot",
        "condition": "none",
    },
]


def run(folder: Path, lines: list[dict[str, str]], *options: str) -> Result:
    path = folder / "responses.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    app = typer.Typer()
    app.command()(trifex)
    return CliRunner().invoke(app, [str(path), *options])


@pytest.fixture(autouse=True)
def _no_chat_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GOLDEN_LLM", raising=False)


def test_prints_the_table_and_writes_the_page(tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    result = run(tmp_path, LINES, "--html", str(page))
    assert result.exit_code == 0, result.output
    assert "bot / relevant" in result.stdout
    assert "bot / none" in result.stdout
    # Of three claims one stands in the context, one in the reference, one nowhere: PKP 1/2, PR 2/3.
    shown = {line.split("  ")[0]: line.split()[-2:] for line in result.stdout.splitlines()}
    assert shown["parametric knowledge precision PKP"][0] == "50.0"
    assert shown["parametric rate PR"][0] == "66.7"
    # One response a column tells no interval.
    assert "66.7 (" not in result.stdout
    assert "Variance of log SK over conditions (1 system)" in result.stdout
    assert "kettle / bot / none: lid | plays | music" in result.stdout
    assert page.read_text(encoding="utf-8").count("<img") == 1


def test_json_is_nothing_but_json(tmp_path: Path) -> None:
    result = run(tmp_path, LINES, "--json")
    cells = json.loads(result.stdout)["cells"]
    assert [cell["counts"]["by_none"] for cell in cells] == [1, 3]
    assert cells[1]["metrics"]["context_utilisation"] is None
