from pathlib import Path

import pytest

from contracts.errors import ConfigurationError
from evaluation.results import SplitUse
from golden_lab import fits
from golden_lab.benchmarks.registry import load_benchmarks
from golden_lab.fits import FITTED_FILES, embedded_fits
from golden_lab.splits import half, overlap

ROOT = Path(__file__).resolve().parents[2]
# Words of the fields in which a stored fit keeps what was fitted.
FITTED = ('"models"', '"weights"', '"thresholds"', '"coefficients"')


def stored_fits() -> set[tuple[str, str]]:
    found = set()
    for part in ("intrinsics", "tools", "lab/golden_lab"):
        for path in (ROOT / part).rglob("*.json"):
            if any(word in path.read_text(encoding="utf-8") for word in FITTED):
                found.add((".".join(path.parent.relative_to(ROOT).parts).removeprefix("lab."), path.name))
    return found


def test_every_stored_fit_is_in_the_ledger() -> None:
    cross_encoder = ("tools.cross_encoder.weights", "card.json")
    assert stored_fits() | {cross_encoder} == {each for files in FITTED_FILES.values() for each in files}


def test_every_stored_fit_says_what_it_was_fitted_on() -> None:
    for name, uses in embedded_fits().items():
        assert uses, name


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


def test_a_fit_that_hides_its_data_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "hidden_fit"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "weights.json").write_text('{"weights": {"a": 1}}', encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(ConfigurationError, match=r"hidden_fit/weights\.json does not say what it was fitted on"):
        fits.uses_of("hidden_fit", "weights.json")


def test_a_group_lies_in_one_half_in_every_file_of_its_set() -> None:
    groups = [f"conversation {number}" for number in range(400)]
    assert all(half("mtrag/tasks.jsonl.gz", group) == half("mtrag/retrieval/govt", group) for group in groups)
    share = sum(half("mtrag", group) == "fit" for group in groups) / len(groups)
    assert 0.4 < share < 0.6
    assert any(half("mtrag", group) != half("squad2", group) for group in groups)


def test_halves_do_not_overlap_but_a_whole_overlaps_with_both() -> None:
    fit, score = SplitUse(file="a/b", part="fit"), SplitUse(file="a/b", part="score")
    assert not overlap(fit, score)
    assert overlap(fit, SplitUse(file="a/b"))
    assert overlap(SplitUse(file="a/b"), score)
    assert not overlap(SplitUse(file="a/b"), SplitUse(file="a/c"))


def test_a_cross_encoder_of_ones_own_brings_what_it_has_seen(tmp_path: Path) -> None:
    use = SplitUse(file="own/questions.jsonl")
    (tmp_path / "card.json").write_text(f'{{"fits": [{{"file": "{use.file}", "part": "all"}}]}}')
    found = embedded_fits(tmp_path)
    assert found["context_relevance"][0] == use
    assert all(use in found[name] for name in ("answerability", "bot", "certainty"))
    assert found["citation"] == embedded_fits()["citation"]
