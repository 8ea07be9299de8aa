"""The report: its files, comparisons, what shuts the gate, and ``golden-lab all``, ``list`` and ``show``."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from lxml import html

from contracts.errors import ConfigurationError, InvalidInput
from golden_lab.cli import app
from golden_lab.report.comparison import check_gate, compare
from golden_lab.report.files import from_json, read_report, to_json, write_report
from golden_lab.report.markdown import escape, to_markdown
from golden_lab.results import About, BenchmarkResult, Figure, Outcome, Published, Report, Score, SplitUse
from golden_lab.wiring.engines import build_engine
from golden_retriever.settings import Settings
from lab.tests.command_line import golden_lab
from tests.golden_retriever.commands import Commands
from tests.golden_retriever.served import environment_for
from tests.hashing_embedder import HashingEmbedder

EVIL = '<img src="http://evil.example/x.png" onerror="alert(1)"> & | *bold* `code`'


def score(value: float, half_width: float = 0.05, **other: Any) -> Score:
    return Score(
        **{"metric": "F1", "value": value, "low": value - half_width, "high": value + half_width, "n": 100} | other
    )


def result(*scores: Score, name: str = "claims", **other: Any) -> BenchmarkResult:
    about = About(
        name=name,
        title=f"Claims {EVIL}",
        intrinsic="faithfulness",
        metric="F1",
        source="Somebody 2024",
        licence="MIT",
        split="dev",
        uses=(SplitUse(file="claims/dev.jsonl", part="score"),),
        published=(
            Published(metric="F1", value=0.7, system="theirs", source="Somebody 2024, table 3", differs=f"test {EVIL}"),
        ),
    )
    made = BenchmarkResult(
        about=about,
        status="scored",
        note=f"100 of 2,000 claims {EVIL}",
        cases=100,
        case_digest="same",
        scores=scores,
        figures=(Figure(title="Bars", svg='<svg xmlns="http://www.w3.org/2000/svg"/>', description=f"Bars {EVIL}"),),
        worst=(Outcome(id="c7", loss=0.9, trace={"claim": EVIL}),),
        seconds=12.5,
    )
    return replace(made, **other)


def report(*results: BenchmarkResult, **other: Any) -> Report:
    made = Report(
        engine="embedded",
        model="small",
        revision="v1-3-gabc",
        seed=7,
        full=False,
        begun="2026-01-02T03:04:05+00:00",
        machine="2 cores, x86_64, Python 3.11.7",
        benchmarks=results,
    )
    return replace(made, **other)


def sample() -> Report:
    failed = replace(result(name="broken"), status="failed", reason=f"no data {EVIL}", scores=(), worst=(), figures=())
    return report(
        result(score(0.8), score(0.6, metric="ECE", higher_is_better=False), per_case={"a": 1.0, "b": 0.6}), failed
    )


def test_json_round_trip_keeps_the_report() -> None:
    made = sample()
    assert from_json(to_json(made)) == made
    assert json.loads(to_json(made))["schema"] == 1


def test_file_that_is_not_a_report_is_refused_by_name(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for text, words in [
        ("{", "JSON"),
        ("[]", "is not a report"),
        ('{"schema": 99}', "schema"),
        ('{"schema": 1, "engine": "x"}', "model"),
    ]:
        with subtests.test(text=text):
            (tmp_path / "r.json").write_text(text)
            with pytest.raises(InvalidInput, match=words) as caught:
                read_report(tmp_path / "r.json")
            assert "r.json" in str(caught.value)
    with pytest.raises(InvalidInput, match="is not a file"):
        read_report(tmp_path / "none.json")


def test_html_report_is_complete_without_requests_or_scripts(tmp_path: Path) -> None:
    paths = write_report(sample(), tmp_path, "embedded", before=report(result(score(0.5)), revision="older"))
    assert [path.suffix for path in paths] == [".json", ".md", ".html"]
    text = paths[2].read_text()
    page = html.fromstring(text)
    references = [value for each in page.iter() for name, value in each.items() if name in ("src", "href")]
    ids = page.xpath("//@id")
    assert all(each.startswith(("#", "data:image/svg+xml;base64,")) for each in references), references
    assert {each[1:] for each in references if each.startswith("#")} <= set(ids)
    assert len(set(ids)) == len(ids)
    assert not page.xpath("//script | //link | //@srcset | //@action | //@*[starts-with(name(), 'on')]")
    assert not re.search(r"url\(|@import", text)
    assert not list(tmp_path.glob("*.part"))
    for words in (
        "v1-3-gabc", "small", "0.800", "0.750 to 0.850", "0.700", "Somebody 2024, table 3", "differs: test", EVIL,
        "c7 (loss 0.90)", "Not measured", "+0.300", "better", "MIT", "dev", "12 s",
    ):  # fmt: skip
        assert words in page.text_content(), words
    assert len(page.xpath("//img")) == 1


def test_markdown_keeps_its_tables_whatever_the_text() -> None:
    made = sample()
    text = to_markdown(made, ())
    rows = [line for line in text.splitlines() if line.startswith("|")]
    for line in rows:
        assert len(re.findall(r"(?<!\\)\|", line)) in (9, 8, 6), line
    assert "<img" not in text.replace("\\<img", "")
    assert "| F1 |  |  | 0.800 | 0.750 to 0.850 | 100 | new |" in text
    assert "| F1 |  | theirs (Somebody 2024, table 3; differs: test" in text
    assert "- broken: no data" in text
    assert escape("a\n|b_c") == r"a \|b\_c"


def paired(right: int, half_width: float) -> Report:
    """Make a report whose score is the share of ``right`` correct cases in a hundred."""
    per_case = {f"c{at}": float(at < right) for at in range(100)}
    return report(result(score(right / 100, half_width), per_case=per_case))


def test_the_same_cases_are_compared_in_pairs() -> None:
    # Eight questions get worse and none better: within either interval, but not by chance.
    (failure,) = check_gate(paired(72, 0.09), paired(80, 0.08))
    assert failure == "claims · F1: 0.8 → 0.72, worse (paired over 100 cases)"
    assert check_gate(report(result(score(0.72, 0.09))), paired(80, 0.08)) == ()
    # A difference of one question is chance, even if the interval has no width.
    assert check_gate(paired(99, 0.0), paired(100, 0.0)) == ()


def test_missing_or_failed_benchmarks_are_named() -> None:
    baseline = report(result(score(0.8), score(0.5, subset="law")), result(score(0.8), name="other"))
    now = report(result(score(0.8)))
    assert list(check_gate(now, baseline)) == [
        "claims · F1 law: is in the baseline and was not scored",
        "other: is in the baseline and was not measured",
    ]
    failed = report(replace(baseline.benchmarks[0], status="failed", reason="no data"), baseline.benchmarks[1])
    assert list(check_gate(failed, baseline)) == ["claims: failed: no data"]
    assert check_gate(now, baseline, only=["oth*"])[0].startswith("other: ")
    assert check_gate(baseline, failed) == ()


def test_change_counts_beyond_half_the_width_of_the_earlier_interval(subtests: pytest.Subtests) -> None:
    for before, now, higher_is_better, verdict in [
        (0.5, 0.7, True, "better"),
        (0.7, 0.5, True, "worse"),
        (0.7, 0.5, False, "better"),
        (0.5, 0.54, True, "same"),
        (0.5, 0.5, True, "same"),
    ]:
        with subtests.test(before=before, now=now):
            reports = [report(result(score(each, higher_is_better=higher_is_better))) for each in (now, before)]
            (difference,) = compare(*reports)
            assert (difference.verdict, difference.how) == (verdict, "by the interval")
            assert difference.change == pytest.approx(now - before)
            assert difference.low is None


ARGUMENTS = ("all", "--data", "data", "--only", "abbreviations", "--out", "results", "--work", "work")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One measurement with the real command, of the only benchmark that needs no data set."""
    folder = tmp_path_factory.mktemp("measured")
    (folder / "data").mkdir()
    result = golden_lab(*ARGUMENTS, environment=environment_for(folder / "bot"), folder=folder)
    assert result.returncode == 0, result.stderr
    assert result.stdout.split() == [f"results/embedded-part.{ending}" for ending in ("json", "md", "html")]
    assert "1 of 1 benchmarks measured" in result.stderr
    assert "abbreviations: case 1,000 of 1,000" in result.stderr
    return folder


@pytest.fixture
def measured_folder(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(folder)
    return folder


LAB = Commands(program=app)


def test_a_report_is_written_and_shown(measured_folder: Path) -> None:
    report = json.loads(Path("results/embedded-part.json").read_text())
    assert report["engine"] == "embedded"
    assert report["benchmarks"][0]["cases"] == 1_000
    shown = LAB.output("show", "results/embedded-part.json")
    assert shown.startswith("# What the bench measured\n")
    assert "## abbreviations" in shown
    assert not (measured_folder / "bot").exists(), "measuring does not change the bot's data"


def test_gate_passes_for_equal_scores_and_fails_for_a_drop(measured_folder: Path) -> None:
    baseline = measured_folder / "baseline.json"
    baseline.write_text(Path("results/embedded-part.json").read_text())
    same = LAB.succeeds(*ARGUMENTS, "--gate", "baseline.json")
    assert "gate: open" in same.stderr
    assert "0 of 12 scores changed" in Path("results/embedded-part.md").read_text()

    better = json.loads(baseline.read_text())
    for each in better["benchmarks"][0]["scores"]:
        if each["subset"] == "3 at a time" and each["metric"] == "exact set":
            each.update(value=1.2, low=1.15, high=1.25)
    baseline.write_text(json.dumps(better))
    worse = LAB.invoke(*ARGUMENTS, "--gate", "baseline.json")
    assert worse.exit_code == 1
    assert "gate: abbreviations · exact set 3 at a time: 1.2 →" in worse.stderr
    assert "gate: shut" in worse.stderr

    better["benchmarks"][0]["case_digest"] = "of another seed"
    baseline.write_text(json.dumps(better | {"seed": 1}))
    other = LAB.invoke(*ARGUMENTS, "--gate", "baseline.json")
    assert other.exit_code == 1
    assert "measured on other cases (1,000 cases of seed 20260, 1,000 of seed 1 in the baseline)" in other.stderr


def test_without_traces_the_report_quotes_no_case(measured_folder: Path) -> None:
    LAB.succeeds(*ARGUMENTS, "--seed", "3", "--no-traces", "--out", "bare")
    (benchmark,) = json.loads(Path("bare/embedded-part.json").read_text())["benchmarks"]
    assert all(case["trace"] == {} for case in benchmark["worst"])
    assert benchmark["about"]["name"] == "abbreviations"


def test_the_list_names_every_benchmark_and_where_its_data_is(measured_folder: Path) -> None:
    listed = LAB.output("list", "--data", "data")
    assert "abbreviations  (data there)" in listed
    assert "flows-mtrag  (data missing)" in listed


def test_engine_must_be_known_names_its_model_and_never_degrades() -> None:
    embedder = HashingEmbedder()
    with pytest.raises(ConfigurationError, match='the engine "steam" is unknown'):
        build_engine(Settings(), "steam", embedder=embedder)
    with pytest.raises(ConfigurationError, match="set GOLDEN_LLM"):
        build_engine(Settings(), "llm", embedder=embedder)
    server = "http://127.0.0.1:9/v1"
    with pytest.raises(ConfigurationError, match="set its name in GOLDEN_LLM"):
        build_engine(Settings(llm=server), "llm", embedder=embedder)
    engine = build_engine(Settings(llm=f"{server}#some-model"), "llm", embedder=embedder)
    assert (engine.name, engine.model) == ("llm", "some-model")
    adapted = Settings(llm=f"{server}#some-model", engines="answerability=adapter")
    engine = build_engine(adapted, "llm", embedder=embedder)
    assert engine.model == "some-model + granite-3.3-8b-rag-agent-lib 1"
    # A judgement that runs on an adapter is measured separately from those that share a call of the language model.
    assert type(engine.judges.relevance_judge).__module__ == "golden_lab.single_parts"
    assert type(engine.judges.answerability_judge).__module__ != "golden_lab.single_parts"
