"""The registry of benchmarks, and the ledger of what each stored fit has seen."""

from collections import Counter
from pathlib import Path

import pytest

from contracts.errors import ConfigurationError, InvalidInput
from golden_lab import fits
from golden_lab.benchmarks.registry import MODULES, choose, has_its_data, load_benchmarks
from golden_lab.fits import FITTED_FILES, embedded_fits
from golden_lab.results import SplitUse
from golden_lab.splits import half, overlap, part_of
from lab.tests.words_benchmark import words_benchmark, write_words

FOLDER = Path(__file__).resolve().parents[1] / "golden_lab" / "benchmarks"


def test_benchmarks_are_chosen_by_name_pattern_or_intrinsic() -> None:
    words, others = words_benchmark(), words_benchmark(name="others", intrinsic="ocr")
    assert choose((words, others), []) == (words, others)
    assert choose((words, others), ["others"]) == (others,)
    assert choose((words, others), ["w*", "ocr"]) == (words, others)
    with pytest.raises(InvalidInput, match='no benchmark is called "wrods"; near: words'):
        choose((words, others), ["wrods"])


def test_data_is_available_if_every_file_exists(tmp_path: Path) -> None:
    assert not has_its_data(words_benchmark(), tmp_path)
    write_words(tmp_path)
    assert has_its_data(words_benchmark(), tmp_path)
    assert has_its_data(words_benchmark(uses=()), tmp_path / "nowhere")
    own = SplitUse(file="golden_lab/triples/gold_labels.py")
    assert has_its_data(words_benchmark(uses=(own,)), tmp_path / "nowhere"), "the project's own labels ship with it"


def test_all_benchmarks_have_an_entry_and_a_name_of_their_own() -> None:
    offering = {path.stem for path in FOLDER.glob("*.py") if "\ndef benchmarks(" in path.read_text(encoding="utf-8")}
    assert offering == set(MODULES)
    names = [each.about.name for each in load_benchmarks()]
    assert len(set(names)) == len(names) >= 35


ROOT = Path(__file__).resolve().parents[2]
# Names of the fields in which a stored fit keeps its fitted values.
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
    with pytest.raises(ConfigurationError, match=r"hidden_fit/weights\.json does not say what it was fitted on"):
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
