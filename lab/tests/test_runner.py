"""The runner: what it stores and measures again; the registry of benchmarks, and the data of each stored fit."""

import asyncio
import json
from collections import Counter
from dataclasses import replace
from pathlib import Path

import pytest

from contracts.errors import ConfigurationError, InvalidInput
from golden_lab import fits
from golden_lab.benchmarks.registry import MODULES, choose, has_its_data, load_benchmarks
from golden_lab.engine import Engine
from golden_lab.fits import FITTED_FILES, embedded_fits
from golden_lab.outcomes import OutcomeStore
from golden_lab.results import BenchmarkResult, Outcome, Report, Score, SplitUse
from golden_lab.run import Run
from golden_lab.runner import Progress, run_benchmarks, values_behind
from golden_lab.splits import half, overlap, part_of
from lab.tests.words_benchmark import words_benchmark, write_words


@pytest.fixture
def run(tmp_path: Path) -> Run:
    write_words(tmp_path / "data")
    return Run(data=tmp_path / "data", work=tmp_path / "work", full=True)


def store_of(run: Run) -> OutcomeStore:
    return OutcomeStore(run.work / "outcomes")


def stored_lines(run: Run) -> list[Path]:
    return sorted((run.work / "outcomes").rglob("*.jsonl"))


def same_but_for_time(report: Report) -> list[BenchmarkResult]:
    return [replace(each, seconds=0) for each in report.benchmarks]


async def test_a_benchmark_is_measured_and_scored(engine: Engine, run: Run) -> None:
    shown: list[Progress] = []
    report = await run_benchmarks([words_benchmark()], engine, run, store=store_of(run), on_progress=shown.append)
    (result,) = report.benchmarks
    assert (report.engine, report.model, report.seed, report.full) == ("embedded", engine.model, run.seed, True)
    assert result.status == "scored"
    assert [(each.metric, each.value, each.n) for each in result.scores] == [("found", 0.75, 8), ("errors", 0.25, 8)]
    assert "nothing has no value" in result.note
    assert [each.id for each in result.worst] == ["q3", "q5"]
    assert result.per_case == {f"q{at}": float(at not in (3, 5)) for at in range(8)}
    assert result.cases == 8
    assert result.seconds > 0
    assert [each.done for each in shown if each.cases] == list(range(9))
    assert shown[0].cases is None


async def test_a_sample_follows_the_seed(engine: Engine, run: Run) -> None:
    drawn = {}
    for seed in (1, 1, 2):
        part = replace(run, full=False, seed=seed)
        report = await run_benchmarks([words_benchmark()], engine, part, store=store_of(run))
        drawn.setdefault(seed, set()).add(report.benchmarks[0].case_digest)
        assert report.benchmarks[0].cases == 6
    assert len(drawn[1]) == 1
    assert drawn[1] != drawn[2]


async def test_only_other_data_engine_or_seed_is_measured_again(engine: Engine, run: Run) -> None:
    first = await run_benchmarks([words_benchmark()], engine, run, store=store_of(run))
    # If any case were measured, this would fail: the key does not depend on this field.
    again = await run_benchmarks([words_benchmark(breaks_at="q0")], engine, run, store=store_of(run))
    assert same_but_for_time(again) == same_but_for_time(first)
    (path,) = stored_lines(run)
    assert len(path.read_text().splitlines()) == 8
    words = run.data / "words" / "words.jsonl"
    words.write_text(words.read_text() + json.dumps({"id": "q8", "question": "What is TLA?", "word": "TLA"}) + "\n")
    await run_benchmarks([words_benchmark()], engine, run, store=store_of(run))
    await run_benchmarks([words_benchmark()], replace(engine, model="another"), run, store=store_of(run))
    await run_benchmarks([words_benchmark()], engine, replace(run, seed=5), store=store_of(run))
    assert [len(path.read_text().splitlines()) for path in stored_lines(run)].count(9) == 3
    assert len(stored_lines(run)) == 4


async def break_off_after(cases: int, engine: Engine, run: Run) -> None:
    """Measure until a case that never ends, and stop when ``cases`` outcomes are in the file."""
    endless = words_benchmark(pause_s=0.3, hangs_at="q6")
    measuring = asyncio.create_task(run_benchmarks([endless], engine, run, store=store_of(run)))
    async with asyncio.timeout(60):
        while not (stored_lines(run) and stored_lines(run)[0].read_bytes().count(b"\n") >= cases):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    measuring.cancel()
    with pytest.raises(asyncio.CancelledError):
        await measuring


async def test_broken_off_run_resumes_with_the_same_report(engine: Engine, run: Run, tmp_path: Path) -> None:
    await break_off_after(3, engine, run)
    (path,) = stored_lines(run)
    kept = path.read_bytes().count(b"\n")
    assert 3 <= kept < 8
    with path.open("ab") as file:
        file.write(b'{"id": "q7", "values": {"fou')

    shown: list[Progress] = []
    resumed = await run_benchmarks([words_benchmark()], engine, run, store=store_of(run), on_progress=shown.append)
    assert max(each.stored for each in shown) == kept
    with store_of(run).open("words", path.stem) as log:
        assert len(log.stored) == 8, "the incomplete line does not affect others"
    fresh = await run_benchmarks([words_benchmark()], engine, run, store=OutcomeStore(tmp_path / "fresh"))
    assert same_but_for_time(resumed) == same_but_for_time(fresh)
    assert resumed.benchmarks[0].seconds >= 0.3 * kept


async def test_failed_benchmark_is_named_and_others_continue(engine: Engine, run: Run, tmp_path: Path) -> None:
    lost = replace(run, data=tmp_path)
    report = await run_benchmarks([words_benchmark()], engine, lost, store=store_of(run))
    assert "words.jsonl does not exist" in report.failures["words"]
    broken = words_benchmark(name="broken", breaks_at="q2")
    report = await run_benchmarks([broken, words_benchmark()], engine, run, store=store_of(run))
    assert [each.status for each in report.benchmarks] == ["failed", "scored"]
    assert report.benchmarks[0].reason.startswith(
        "RuntimeError: the engine is broken (lab/tests/words_benchmark.py, line"
    )
    mended = await run_benchmarks([words_benchmark(name="broken")], engine, run, store=store_of(run))
    assert mended.benchmarks[0].status == "scored"


async def test_benchmark_on_fitted_data_fails(engine: Engine, run: Run) -> None:
    scored_half = words_benchmark(uses=(SplitUse(file="words/words.jsonl", part="score"),))
    for part, status in (("fit", "scored"), ("score", "failed"), ("all", "failed")):
        fitted = {"jargon_identification": (SplitUse(file="words/words.jsonl", part=part),)}  # type: ignore[arg-type]
        report = await run_benchmarks([scored_half], replace(engine, fitted_on=fitted), run, store=store_of(run))
        assert report.benchmarks[0].status == status
    assert "jargon_identification was fitted" in report.benchmarks[0].reason
    elsewhere = replace(engine, fitted_on={"answerability": (SplitUse(file="words/words.jsonl"),)})
    report = await run_benchmarks([scored_half], elsewhere, run, store=store_of(run))
    assert report.benchmarks[0].status == "scored"


async def test_case_ids_must_be_unique(engine: Engine, run: Run) -> None:
    words = run.data / "words" / "words.jsonl"
    words.write_text(words.read_text() * 2)
    report = await run_benchmarks([words_benchmark()], engine, run, store=store_of(run))
    assert 'two cases have the id "q0"' in report.benchmarks[0].reason
    words.write_text("")
    report = await run_benchmarks([words_benchmark()], engine, run, store=store_of(run))
    assert "no cases to measure" in report.benchmarks[0].reason


def test_values_per_case_are_kept_only_if_their_mean_is_the_score() -> None:
    outcomes = [
        Outcome(id="a", values={"F1": 0.5, "hybrid": {"F1": 1.0}, "domain": "law"}, loss=0.2),
        Outcome(id="b", values={"F1": 0.7, "hybrid": {"F1": 0.0}, "domain": "law"}, loss=0.4),
        Outcome(id="c", values={"F1": 0.0, "hybrid": {"F1": 0.2}, "domain": "war"}, loss=0.9),
    ]
    score = Score(metric="F1", value=0.4, low=0, high=1, n=3)
    assert values_behind(score, outcomes) == {"a": 0.5, "b": 0.7, "c": 0.0}
    assert values_behind(replace(score, system="hybrid"), outcomes) == {"a": 1.0, "b": 0.0, "c": 0.2}
    assert values_behind(replace(score, subset="law", value=0.6, n=2), outcomes) == {"a": 0.5, "b": 0.7}
    assert values_behind(replace(score, metric="accuracy", value=0.5), outcomes) == pytest.approx(
        {"a": 0.8, "b": 0.6, "c": 0.1}
    )
    assert values_behind(replace(score, value=0.45), outcomes) == {}
    assert values_behind(replace(score, n=4), outcomes) == {}


FOLDER = Path(__file__).resolve().parents[1] / "golden_lab" / "benchmarks"


def test_benchmarks_are_chosen_by_name_pattern_or_intrinsic() -> None:
    words, others = words_benchmark(), words_benchmark(name="others", intrinsic="ocr")
    assert choose((words, others), []) == (words, others)
    assert choose((words, others), ["others"]) == (others,)
    assert choose((words, others), ["w*", "ocr"]) == (words, others)
    with pytest.raises(InvalidInput, match='unknown benchmark "wrods"; similar: words'):
        choose((words, others), ["wrods"])


def test_data_is_available_if_every_file_exists(tmp_path: Path) -> None:
    assert not has_its_data(words_benchmark(), tmp_path)
    write_words(tmp_path)
    assert has_its_data(words_benchmark(), tmp_path)
    assert has_its_data(words_benchmark(uses=()), tmp_path / "nowhere")
    own = SplitUse(file="golden_lab/triples/gold_labels.py")
    assert has_its_data(words_benchmark(uses=(own,)), tmp_path / "nowhere"), "the project's own labels are part of it"


def test_all_benchmarks_have_an_entry_and_a_name_of_their_own() -> None:
    offering = {path.stem for path in FOLDER.glob("*.py") if "\ndef benchmarks(" in path.read_text(encoding="utf-8")}
    assert offering == set(MODULES)
    names = [each.about.name for each in load_benchmarks()]
    assert len(set(names)) == len(names) >= 35


ROOT = Path(__file__).resolve().parents[2]
# The fields in which a stored fit keeps its fitted values.
FITTED = ('"models"', '"weights"', '"thresholds"', '"coefficients"')


def test_every_stored_fit_is_in_the_ledger() -> None:
    found = {("tools.cross_encoder.weights", "card.json")}
    for part in ("intrinsics", "tools", "lab/golden_lab"):
        for path in (ROOT / part).rglob("*.json"):
            if any(word in path.read_text(encoding="utf-8") for word in FITTED):
                found.add((".".join(path.parent.relative_to(ROOT).parts).removeprefix("lab."), path.name))
    assert found == {each for files in FITTED_FILES.values() for each in files}


def test_no_benchmark_scores_what_its_judgement_was_fitted_on() -> None:
    ledger = embedded_fits()
    everything = {use for uses in ledger.values() for use in uses}
    breaches = [
        f"{benchmark.about.name} scores {use.file} ({use.part}), fitted on: {fit.part}"
        for benchmark in load_benchmarks()
        for use in benchmark.about.uses
        for fit in (everything if benchmark.about.intrinsic == "bot" else ledger.get(benchmark.about.intrinsic, ()))
        if overlap(use, fit)
    ]
    assert breaches == []


def test_fit_that_does_not_name_its_data_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "hidden_fit"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "weights.json").write_text('{"weights": {"a": 1}}', encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ConfigurationError, match=r"hidden_fit/weights\.json does not state what it was fitted on"):
        fits.uses_of("hidden_fit", "weights.json")


def test_own_cross_encoder_declares_its_training_data(tmp_path: Path) -> None:
    use = SplitUse(file="own/questions.jsonl")
    (tmp_path / "card.json").write_text(f'{{"fits": [{{"file": "{use.file}", "part": "all"}}]}}')
    found = embedded_fits(tmp_path)
    assert found["context_relevance"][0] == use
    assert all(use in found[name] for name in ("answerability", "bot", "certainty"))
    assert found["citation"] == embedded_fits()["citation"]


def test_scored_groups_are_not_used_for_training() -> None:
    groups = [f"article {number}" for number in range(4_000)]
    for group in groups:
        assert (part_of("wice", group) == "score") == (half("wice", group) == "score")
    # Three quarters of the fit half are for training, and a tenth decides when to stop.
    shares = Counter(part_of("wice", group) for group in groups if half("wice", group) == "fit")
    learnt = sum(shares.values())
    assert abs(shares["train"] / learnt - 0.75) < 0.03
    assert abs(shares["dev"] / learnt - 0.10) < 0.03
    assert abs(shares["calibration"] / learnt - 0.15) < 0.03
