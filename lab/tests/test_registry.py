"""The registry: lazily loaded modules, broken ones named, benchmarks chosen by name."""

from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from golden_lab.benchmarks.registry import MODULES, choose, has_its_data, load_benchmarks
from golden_lab.results import SplitUse
from lab.tests.words_benchmark import words_benchmark, write_words

FOLDER = Path(__file__).resolve().parents[1] / "golden_lab" / "benchmarks"


def test_benchmarks_are_chosen_by_name_pattern_or_intrinsic() -> None:
    words, others = words_benchmark(), words_benchmark(name="others", intrinsic="ocr")
    assert choose((words, others), []) == (words, others)
    assert choose((words, others), ["others"]) == (others,)
    assert choose((words, others), ["w*", "ocr"]) == (words, others)
    with pytest.raises(InvalidInput, match='no benchmark is called "wrods"; near: words'):
        choose((words, others), ["wrods"])


def test_data_is_there_when_every_file_is(tmp_path: Path) -> None:
    assert not has_its_data(words_benchmark(), tmp_path)
    write_words(tmp_path)
    assert has_its_data(words_benchmark(), tmp_path)
    assert has_its_data(words_benchmark(uses=()), tmp_path / "nowhere")
    own = SplitUse(file="golden_lab/triples/gold_labels.py")
    assert has_its_data(words_benchmark(uses=(own,)), tmp_path / "nowhere"), "labels of the project's own lie with it"


def test_all_benchmarks_have_an_entry_and_a_name_of_their_own() -> None:
    offering = {path.stem for path in FOLDER.glob("*.py") if "\ndef benchmarks(" in path.read_text(encoding="utf-8")}
    assert offering == set(MODULES)
    names = [each.about.name for each in load_benchmarks()]
    assert len(set(names)) == len(names) >= 35
