"""Files in the shapes of ALCE and GaRAGe."""

import json
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import InvalidInput
from golden_lab.refinement.cases import read_cases
from lab.tests.refinement.study_files import alce_row, garage_row, write_study_files


def write(path: Path, rows: list[Any]) -> Path:
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_both_shapes_are_read_from_a_folder(tmp_path: Path) -> None:
    found = read_cases(write_study_files(tmp_path, 3))
    assert [(each.shape, each.id) for each in found.cases] == [
        *(("ALCE", f"a{number}") for number in range(3)),
        *(("GaRAGe", f"g{number}") for number in range(3)),
    ]
    first, last = found.cases[0], found.cases[-1]
    assert (first.short_answers, first.relevant) == ((("1 volts",),), ())
    assert first.passages[0].chunk.document_title == "Guide 1"
    assert (last.relevant[:2], last.short_answers) == ((False, True), ())
    assert last.passages[1].text == "The K2 hoist lifts 201 kg on line 1.", "the mark in front is not the passage's"


def test_cases_that_are_all_of_one_kind_are_left_out_and_counted(tmp_path: Path) -> None:
    alike = {**garage_row(1), "evidence_relevant": ["Y"] * 6}
    found = read_cases(write(tmp_path / "g.json", [alike, garage_row(2)]))
    assert [each.id for each in found.cases] == ["g2"]
    assert found.notes == ("1 cases whose passages are all relevant or all irrelevant are left out",)


def test_a_part_is_drawn_by_the_seed(tmp_path: Path) -> None:
    folder = write_study_files(tmp_path, 8)
    one, other = (read_cases(folder, most=3, seed=seed) for seed in (1, 2))
    assert read_cases(folder, most=3, seed=1) == one
    assert [len(each.cases) for each in (one, other)] == [6, 6]
    assert one.cases != other.cases
    assert one.notes[0] == "3 of 8 cases of the shape ALCE, drawn by seed 1"


def test_a_row_that_is_of_neither_form_is_named(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for row, words in [
        ({"docs": []}, "question"),
        ({"question": "Why?"}, "neither"),
        ({"question": "Why?", "docs": []}, "no passages"),
        ({"question": "Why?", "docs": [{"title": "x"}]}, "without text"),
        ({**garage_row(1), "evidence_relevant": ["YES"]}, "YES or NO"),
        ({**garage_row(1), "evidence_relevant": ["MAYBE"] * 6}, "YES or NO"),
        ({**alce_row(1), "qa_pairs": [{"short_answers": 3}]}, "short answer"),
    ]:
        with subtests.test(words=words), pytest.raises(InvalidInput, match=rf"row 2.*{words}"):
            read_cases(write(tmp_path / "x.json", [alce_row(1), row]))
