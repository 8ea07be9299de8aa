"""``golden-lab all|list|show``: the benchmarks, their reports and the gate, from the real command line."""

import json
from pathlib import Path

import pytest

from contracts.errors import ConfigurationError
from golden_lab.cli import app
from golden_lab.wiring.engines import build_engine
from golden_retriever.settings import Settings
from lab.tests.command_line import golden_lab
from tests.golden_retriever.commands import Commands
from tests.golden_retriever.served import environment_for
from tests.hashing_embedder import HashingEmbedder

ARGUMENTS = ("all", "--data", "data", "--only", "abbreviations", "--out", "results", "--work", "work")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One measurement of the one benchmark that needs no data set, by the real command."""
    folder = tmp_path_factory.mktemp("measured")
    (folder / "data").mkdir()
    result = golden_lab(*ARGUMENTS, environment=environment_for(folder / "bot"), folder=folder)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == [f"results/embedded-part.{ending}" for ending in ("json", "md", "html")]
    assert "1 of 1 benchmarks measured" in result.stderr
    assert "abbreviations: case 1,000 of 1,000" in result.stderr
    return folder


@pytest.fixture
def measured(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


run = Commands(program=app).invoke


def test_a_report_is_written_and_shown(measured: Path) -> None:
    report = json.loads(Path("results/embedded-part.json").read_text())
    assert report["engine"] == "embedded"
    assert report["benchmarks"][0]["cases"] == 1_000
    shown = run("show", "results/embedded-part.json")
    assert shown.exit_code == 0
    assert shown.stdout.startswith("# What the bench measured\n")
    assert "## abbreviations" in shown.stdout
    assert not (measured / "bot").exists(), "measuring leaves the bot's own data alone"


def test_the_gate_opens_to_the_same_and_shuts_to_a_fall(measured: Path) -> None:
    baseline = measured / "baseline.json"
    baseline.write_text(Path("results/embedded-part.json").read_text())
    same = run(*ARGUMENTS, "--gate", "baseline.json")
    assert same.exit_code == 0, same.output
    assert "gate: open" in same.stderr
    assert "0 of 12 scores changed" in Path("results/embedded-part.md").read_text()

    better = json.loads(baseline.read_text())
    for each in better["benchmarks"][0]["scores"]:
        if each["subset"] == "3 at a time" and each["metric"] == "exact set":
            each.update(value=1.2, low=1.15, high=1.25)
    baseline.write_text(json.dumps(better))
    worse = run(*ARGUMENTS, "--gate", "baseline.json")
    assert worse.exit_code == 1
    assert "gate: abbreviations · exact set 3 at a time: 1.2 →" in worse.stderr
    assert "gate: shut" in worse.stderr

    better["benchmarks"][0]["case_digest"] = "of another seed"
    baseline.write_text(json.dumps(better | {"seed": 1}))
    other = run(*ARGUMENTS, "--gate", "baseline.json")
    assert other.exit_code == 1
    assert "measured on other cases (1,000 cases of seed 20260, 1,000 of seed 1 in the baseline)" in other.stderr


def test_without_traces_the_report_quotes_no_case(measured: Path) -> None:
    run(*ARGUMENTS, "--seed", "3", "--no-traces", "--out", "bare")
    (benchmark,) = json.loads(Path("bare/embedded-part.json").read_text())["benchmarks"]
    assert all(case["trace"] == {} for case in benchmark["worst"])
    assert benchmark["about"]["name"] == "abbreviations"


def test_the_list_names_every_benchmark_and_where_its_data_is(measured: Path) -> None:
    listed = run("list", "--data", "data")
    assert listed.exit_code == 0
    assert "abbreviations  (data there)" in listed.stdout
    assert "flows-mtrag  (data missing)" in listed.stdout


def test_an_engine_is_known_names_its_model_and_never_degrades() -> None:
    embedder = HashingEmbedder()
    with pytest.raises(ConfigurationError, match='the engine "steam" is not known'):
        build_engine(Settings(), "steam", embedder=embedder)
    with pytest.raises(ConfigurationError, match="set GOLDEN_LLM"):
        build_engine(Settings(), "llm", embedder=embedder)
    server = "http://127.0.0.1:9/v1"
    with pytest.raises(ConfigurationError, match="name it in GOLDEN_LLM"):
        build_engine(Settings(llm=server), "llm", embedder=embedder)
    engine = build_engine(Settings(llm=f"{server}#some-model"), "llm", embedder=embedder)
    assert (engine.name, engine.model) == ("llm", "some-model")
    adapted = Settings(llm=f"{server}#some-model", engines="answerability=adapter")
    engine = build_engine(adapted, "llm", embedder=embedder)
    assert engine.model == "some-model + granite-3.3-8b-rag-agent-lib 1"
    # Of the judgements that share a call of the language model, the one on an adapter is measured by itself.
    assert type(engine.judges.relevance_judge).__module__ == "golden_lab.single_parts"
    assert type(engine.judges.answerability_judge).__module__ != "golden_lab.single_parts"
