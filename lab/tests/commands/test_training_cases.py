"""``golden-lab train cases`` and ``intrinsic``: from a bot's own records and from a file to training lines."""

import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from contracts.errors import InvalidInput
from golden_lab.cli import app as lab
from golden_lab.training.data.examples import read_examples
from lab.tests.training.judgements.test_from_passages import PUMPS
from tests.golden_retriever.commands import Commands

TRAIN = Commands("train", lab)
done, refused = TRAIN.output, partial(TRAIN.fails, InvalidInput)


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def gate_case(number: int, question: str, **more: Any) -> dict[str, Any]:
    passage = {"text": "The P-200 pump runs at 48 V.", "title": "Pump"}
    return {"id": str(number), "question": question, "passages": [passage], "answerable": True, **more}


def written(path: Path, *cases: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(each) + "\n" for each in cases), "utf-8")
    return path


def test_what_is_not_read_as_right_is_left_out_and_named(tmp_path: Path) -> None:
    good, bad = gate_case(1, "At which voltage does the P-200 run?"), gate_case(2, "Which oil does the XR77 take?")
    cases, out = written(tmp_path / "cases.jsonl", good, bad), tmp_path / "out.jsonl"
    output = TRAIN.succeeds("intrinsic", "answerability", cases, out).output
    assert "cases.jsonl, line 2: online it is read as unanswerable, not as answerable" in output
    assert "1 of 2 cases left out" in output
    assert [each.id for each in read_examples(out)] == ["1"]
    nothing = written(tmp_path / "bad.jsonl", bad)
    assert "no case of answerability" in refused("intrinsic", "answerability", nothing, out)


def test_an_adapter_file_of_ones_own_is_trained_on_its_own_words(tmp_path: Path) -> None:
    adapter = tmp_path / "gate.toml"
    adapter.write_text(
        'version = "1"\ndescription = "Ours."\nmodel = "gate"\nbase_model = "ibm-granite/granite-3.3-8b-instruct"\n'
        '[weights]\npath = "/srv/gate"\nrank = 8\n'
        '[prompt]\nconvention = "granite-3.3"\nrole = "gate"\ninstruction = "Answer yes or no."\ndocuments = "before"\n'
        '[reply]\nmax_tokens = 4\nlabels = { answerable = "yes", unanswerable = "no" }\n',
        "utf-8",
    )
    cases = written(tmp_path / "cases.jsonl", gate_case(1, "At which voltage does the P-200 run?"))
    out = tmp_path / "out.jsonl"
    done("intrinsic", "answerability", cases, out, "--adapter", adapter)
    (example,) = read_examples(out)
    assert example.completion == "yes"
    assert example.prompt.endswith("<|start_of_role|>gate: Answer yes or no.<|end_of_role|>")
    assert "in one call with others" in refused("intrinsic", "answerability", cases, out, "--messages")
    assert "not both" in refused("intrinsic", "answerability", cases, out, "--messages", "--adapter", adapter)


def test_passages_with_questions_become_training_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOLDEN_DATA_DIR", str(tmp_path / "data"))
    passages = tmp_path / "passages.jsonl"
    passages.write_text("".join(f"{each.model_dump_json()}\n" for each in PUMPS), "utf-8")
    for name in ("answerability", "context_relevance", "citation", "answer_generation"):
        cases, out = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.examples.jsonl"
        done("cases", name, cases, "--passages", passages)
        done("intrinsic", name, cases, out)
        assert len(read_examples(out)) == len(rows(cases)) >= len(PUMPS)
    gate = rows(tmp_path / "answerability.jsonl")
    assert {each["answerable"] for each in gate} == {True, False}
    assert "either" in refused("cases", "citation", cases, "--passages", passages, "--data", tmp_path)
