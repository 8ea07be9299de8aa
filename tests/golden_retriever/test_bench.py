"""``golden bench`` from the real command line, on little."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest
from typer.testing import CliRunner

from contracts.errors import InvalidInput
from golden_retriever.cli.bench import app
from tests.golden_retriever.served import ROOT, environment_for, golden


def test_a_small_bench_prints_plain_values_and_writes_them(tmp_path: Path) -> None:
    result = golden(
        "bench", "jargon", "--terms", "50", "--questions", "4", "--rounds", "1", "--json", "--out", "speed.json",
        environment=environment_for(tmp_path / "bot"), folder=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    assert result.stderr.splitlines() == ["50 terms: importing", "50 terms: measuring"]
    content = json.loads(result.stdout)
    assert json.loads((tmp_path / "speed.json").read_text()) == content
    assert [size["terms"] for size in content["sizes"]] == [50]
    assert (content["bench"], content["questions"], content["rounds"], content["seed"]) == ("jargon", 4, 1, 0)
    assert content["targets"] == []
    assert not (tmp_path / "bot").exists(), "the bench leaves the bot's own data alone"


def test_a_check_without_the_size_of_the_targets_is_refused() -> None:
    result = CliRunner().invoke(app, ["jargon", "--terms", "50", "--check"])
    assert isinstance(result.exception, InvalidInput)
    assert "at least 100000 terms" in str(result.exception)


@pytest.mark.slow
def test_a_small_ingestion_is_measured_beside_the_bare_engines(tmp_path: Path) -> None:
    result = golden(
        "bench", "ingest", "--pages", "2", "--scans", "0", "--rounds", "1", "--workers", "1", "--no-whole", "--json",
        environment=environment_for(tmp_path / "bot"), folder=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    content = json.loads(result.stdout)
    assert (content["bench"], content["pages"], content["workers"]) == ("ingest", 2, 1)
    targets = {each["name"]: each["target"] for each in content["comparisons"]}
    fastest = {"fastest path": 0.85} if find_spec("openvino") else {}
    assert targets == {"born-digital": 0.85, "passages": 0.85, **fastest, "with summaries": None}
    assert all(each["ratio"] > 0 and each["ours_per_s"] > 0 for each in content["comparisons"])
    assert content["whole"] == []
    assert not (tmp_path / "bot").exists(), "the bench leaves the bot's own data alone"


def make_examples(folder: Path) -> Path:
    """Make a folder like the examples: a document, a dictionary, a quiz."""
    (folder / "documents").mkdir(parents=True)
    text = (
        "# Keys\n\nA lost locker key costs 40 euros.\n\n# Canteen\n\nThe canteen opens at 7:30 and closes at 14:00.\n"
    )
    (folder / "documents" / "house.md").write_text(text, encoding="utf-8")
    (folder / "dictionary.csv").write_text("term,extended_name\nEBR,Electronic Batch Record\n", encoding="utf-8")
    (folder / "contexts.csv").write_text("name,description\nQuality,Records and audits\n", encoding="utf-8")
    asked = ("What does a lost locker key cost?", "When does the canteen open?", "When does the canteen close?")
    rows = [{"id": str(n), "question": q, "kind": "open", "expect": "answered"} for n, q in enumerate(asked)]
    (folder / "quiz.jsonl").write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    return folder


@pytest.mark.slow
def test_a_question_on_a_simulated_model_is_counted_in_each_profile(tmp_path: Path) -> None:
    examples = make_examples(tmp_path / "examples")
    result = golden(
        "bench", "llm", "--questions", "1", "--rounds", "1", "--rate", "100000,5000", "--first-token-ms", "30",
        "--examples", str(examples), "--json",
        environment=environment_for(tmp_path / "bot"), folder=tmp_path,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr
    content = json.loads(result.stdout)
    assert content["questions"] == ["What does a lost locker key cost?"]
    embedded, balanced, quality = content["profiles"]
    assert [each["profile"] for each in content["profiles"]] == ["embedded", "balanced", "quality"]
    assert (embedded["calls"], embedded["model_ms"], embedded["share"]) == (0, 0, None)
    assert 1 <= balanced["calls"] <= 2
    assert quality["calls"] > balanced["calls"]
    assert quality["shared_prefix_tokens"] > 0
    assert quality["most_at_once"] > 1
    for each in (balanced, quality):
        assert each["calls_when_asked_again"] == 0
        (asked,) = each["rounds"][0]
        assert asked["outcome"] == "answered"
        assert asked["degraded"] == [], "the simulated replies have the form that each judgement asks for"
        assert asked["own_ms"] + asked["model_ms"] == pytest.approx(asked["wall_ms"])
    assert not (tmp_path / "bot").exists(), "the bench leaves the bot's own data alone"


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        (["--profile", "cheap"], "no profile cheap; the profiles are embedded, balanced, quality"),
        (["--rate", "fast"], "2500,40"),
        (["--questions", "9"], "ask for 1 to 1"),
    ],
)
def test_what_cannot_be_measured_is_refused(wrong: list[str], complaint: str, tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["llm", "--examples", str(make_examples(tmp_path / "examples")), *wrong])
    assert isinstance(result.exception, InvalidInput)
    assert complaint in str(result.exception)


def test_the_group_loads_nothing_heavy() -> None:
    heavy = ("numpy", "sqlalchemy", "evaluation", "intrinsics", "jargon_db", "wordfreq")
    code = f"import sys; import golden_retriever.cli.bench; print([m for m in {heavy!r} if m in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
