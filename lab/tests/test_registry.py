"""The registry: lazily loaded modules, broken ones named, benchmarks chosen by name."""

import importlib
import sys
from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from evaluation.splits import SplitUse
from golden_lab.benchmarks.registry import MODULES, choose, has_its_data, load_benchmarks
from lab.tests.words import WordsBenchmark, write_words

FOLDER = Path(__file__).resolve().parents[1] / "golden_lab" / "benchmarks"


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    folder = tmp_path / "some_benchmarks"
    folder.mkdir()
    offers = "from lab.tests.words import WordsBenchmark\ndef benchmarks():\n    return ({},)\n"
    (folder / "__init__.py").write_text("")
    (folder / "first.py").write_text(offers.format("WordsBenchmark()"))
    (folder / "second.py").write_text(offers.format("WordsBenchmark(name='more words')"))
    (folder / "double.py").write_text(offers.format("WordsBenchmark()"))
    (folder / "broken.py").write_text("raise RuntimeError('no licence for this one')\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.invalidate_caches()
    yield "some_benchmarks"  # type: ignore[misc]
    for name in [each for each in sys.modules if each.startswith("some_benchmarks")]:
        del sys.modules[name]


def test_modules_are_loaded_in_order_and_broken_ones_named(package: str) -> None:
    found = load_benchmarks(("second", "broken", "nowhere", "first"), package=package)
    assert [each.about.name for each in found.benchmarks] == ["more words", "words"]
    assert set(found.not_loaded) == {"broken", "nowhere"}
    assert found.not_loaded["broken"].startswith("RuntimeError: no licence for this one (")
    assert "some_benchmarks.nowhere" in found.not_loaded["nowhere"]


def test_a_name_is_given_once(package: str) -> None:
    with pytest.raises(InvalidInput, match='the name "words"'):
        load_benchmarks(("first", "double"), package=package)


def test_benchmarks_are_chosen_by_name_pattern_or_intrinsic() -> None:
    words, others = WordsBenchmark(), WordsBenchmark(name="others", intrinsic="ocr")
    assert choose((words, others), []) == (words, others)
    assert choose((words, others), ["others"]) == (others,)
    assert choose((words, others), ["w*", "ocr"]) == (words, others)
    with pytest.raises(InvalidInput, match='no benchmark is called "wrods"; near: words'):
        choose((words, others), ["wrods"])


def test_data_is_there_when_every_file_is(tmp_path: Path) -> None:
    assert not has_its_data(WordsBenchmark(), tmp_path)
    write_words(tmp_path)
    assert has_its_data(WordsBenchmark(), tmp_path)
    assert has_its_data(WordsBenchmark(uses=()), tmp_path / "nowhere")
    own = SplitUse(file="golden_lab/benchmarks/registry.py")
    assert has_its_data(WordsBenchmark(uses=(own,)), tmp_path / "nowhere"), "labels of the project's own lie with it"


def test_every_module_is_named_once_and_the_own_experiment_is_there() -> None:
    assert len(set(MODULES)) == len(MODULES)
    assert [each.about.name for each in load_benchmarks(("abbreviations",)).benchmarks] == ["abbreviations"]


def test_no_benchmark_is_left_out_of_the_registry() -> None:
    offering = {path.stem for path in FOLDER.glob("*.py") if "\ndef benchmarks(" in path.read_text(encoding="utf-8")}
    offered = {each.about.name for each in load_benchmarks(sorted(offering - set(MODULES))).benchmarks}
    registered = {
        each.about.name for each in load_benchmarks([each for each in MODULES if each in offering]).benchmarks
    }
    assert offered <= registered
