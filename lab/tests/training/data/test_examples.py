"""Training files are read line by line, and a wrong line is named."""

from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from golden_lab.training.data.examples import ExampleMessage, TrainingExample, read_examples, write_examples


def test_written_examples_come_back(tmp_path: Path) -> None:
    examples = (
        TrainingExample(id="a", messages=(ExampleMessage(role="user", content="Wie heißt er?"),), completion="Zindel"),
        TrainingExample(id="b", prompt="<|x|>judge", completion="yes", group="g"),
    )
    digest = write_examples(tmp_path / "train.jsonl", examples)
    assert read_examples(tmp_path / "train.jsonl") == examples
    assert write_examples(tmp_path / "again.jsonl", examples) == digest
    assert [each.held_out_with for each in examples] == ["a", "g"]


def test_a_wrong_line_is_named(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for line, words in [
        ('{"id": "a", "completion": "x"}', "line 2.*either messages or prompt"),
        ('{"id": "a", "prompt": "p", "completion": ""}', "line 2: completion"),
        ('{"id": "a", "messages": [{"role": "assistant", "content": "p"}], "completion": "x"}', "the user's"),
        ("[1]", "line 2: not a JSON object"),
        ("{", "line 2 cannot be read"),
    ]:
        with subtests.test(line=line):
            path = tmp_path / "train.jsonl"
            path.write_text(f'{{"id": "z", "prompt": "p", "completion": "x"}}\n{line}\n', "utf-8")
            with pytest.raises(InvalidInput, match=words):
                read_examples(path)
