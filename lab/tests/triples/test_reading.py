"""Files of examples: what is wrong with them is said by line and field."""

import json
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import InvalidInput
from golden_lab.triples.pipeline import read_examples

LINE = {"id": "e1", "query": "q", "context": "", "reference": "r", "response": "a"}


def write(path: Path, *lines: Any) -> Path:
    path.write_text("\n".join(each if isinstance(each, str) else json.dumps(each) for each in lines), encoding="utf-8")
    return path


def test_reads_examples_with_and_without_system(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", LINE, "", {**LINE, "system": "bot", "condition": "noisy"})
    first, second = read_examples(path)
    assert (first.id, first.system, first.condition, first.context) == ("e1", "", "", "")
    assert (second.system, second.condition) == ("bot", "noisy")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "line 2 cannot be read"),
        ("[1]", "line 2: not a JSON object"),
        ({key: LINE[key] for key in LINE if key != "reference"}, "line 2: reference"),
        ({**LINE, "id": "e2", "response": 3}, "line 2: response"),
        ({**LINE, "id": "e2", "contxt": "x"}, "line 2: contxt"),
        ({**LINE, "id": ""}, "line 2: id"),
        (LINE, 'id "e1" comes twice'),
    ],
)
def test_a_bad_line_is_refused_with_line_and_field(tmp_path: Path, line: Any, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        read_examples(write(tmp_path / "a.jsonl", LINE, line))
