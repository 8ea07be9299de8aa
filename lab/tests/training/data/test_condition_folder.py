"""The files of controlled retrieval: which, how many lines, the same bytes from the same seed, and no leak."""

import json
from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from golden_lab.json_lines import read_forms
from golden_lab.training.data.condition_folder import ConditionFolder, write_condition_folder
from golden_lab.training.data.conditions import CONDITIONS, VARIANTS, ConditionedLine, Triplet, hold_out, read_triplets
from golden_lab.training.data.examples import read_examples
from lab.tests.training.data.test_conditions import PROMPT, triplets, word_spans


def write(folder: Path, rows: list[Triplet], **options: object) -> ConditionFolder:
    return write_condition_folder(rows, folder, PROMPT, word_spans, seed=4, **options)  # type: ignore[arg-type]


def test_each_variant_holds_its_conditions_of_every_question(tmp_path: Path) -> None:
    written = write(tmp_path, triplets(40, per_source=4), test=8)
    assert (written.train_triplets, written.test_triplets) == (32, 8)
    assert {path.name for path in tmp_path.iterdir()} == {
        "statistics.json", "test.jsonl", *(f"train-{name}.jsonl" for name in VARIANTS),
    }  # fmt: skip
    for name, conditions in VARIANTS.items():
        rows = read_examples(tmp_path / f"train-{name}.jsonl")
        assert len(rows) == 32 * len(conditions)
        assert {each.condition for each in rows} == set(conditions)
        assert len({each.id for each in rows}) == len(rows)
        for each in rows:
            assert ("Excerpt 1:" in each.messages[-1].content) == (each.condition != "none")
            assert each.completion.startswith("Part ")
    statistics = json.loads((tmp_path / "statistics.json").read_text("utf-8"))
    assert (statistics["examples"]["raft"], statistics["seed"], statistics["files"]) == (64, 4, written.files)
    assert (statistics["tokens"]["relevant"], statistics["tokens"]["none"]) == (300, 0)


def test_the_test_set_has_each_held_out_question_four_times_and_nothing_of_training(tmp_path: Path) -> None:
    write(tmp_path, triplets(40, per_source=4), test=8)
    lines = tuple(read_forms(tmp_path / "test.jsonl", ConditionedLine))
    assert [each.condition for each in lines] == list(CONDITIONS) * 8
    held = {each.source for each in lines}
    trained = read_examples(tmp_path / "train-with-all.jsonl")
    assert not held & {each.group for each in trained}
    own = {f"w{int(each.id[1:])}." for each in lines}
    assert not any(mark in message.content for each in trained for message in each.messages for mark in own)
    for each in lines:
        assert each.relevant == tuple(f"w{int(each.id[1:])}." in chunk for chunk in each.chunks)
        assert all(chunk in each.messages[-1].content for chunk in each.chunks)


def test_the_same_seed_writes_the_same_bytes_whatever_the_order(tmp_path: Path) -> None:
    rows = triplets(40, per_source=4)
    first, second = tmp_path / "first", tmp_path / "second"
    one, two = write(first, rows, test=8), write(second, rows[::-1], test=8)
    assert one.files == two.files
    for path in first.iterdir():
        assert path.read_bytes() == (second / path.name).read_bytes()
    third = write_condition_folder(rows, tmp_path / "third", PROMPT, word_spans, seed=5, test=8)
    assert third.files != one.files


def test_training_text_in_the_test_set_is_left_out(tmp_path: Path) -> None:
    rows = triplets(40)
    held = {each.id for each in hold_out(rows, 8, seed=4)[1]}
    tested = next(each for each in rows if each.id in held)
    at = next(at for at, each in enumerate(rows) if each.id not in held)
    rows[at] = rows[at].model_copy(update={"query": tested.query.upper()})
    written = write(tmp_path, rows, test=8)
    assert (written.left_out, written.train_triplets, written.test_triplets) == (1, 31, 8)
    trained = {each.id.partition("/")[0] for each in read_examples(tmp_path / "train-raft.jsonl")}
    assert rows[at].id not in trained


def test_one_long_document_is_not_held_out_for_a_few_questions() -> None:
    rows = [*triplets(30, per_source=30), *(each.model_copy(update={"id": f"x{each.id}", "source": f"s{at}"})
                                            for at, each in enumerate(triplets(10)))]  # fmt: skip
    for seed in range(8):
        train, test = hold_out(rows, 5, seed=seed)
        assert (len(train), len(test)) == (35, 5)


def test_plain_triplets_are_read_and_a_wrong_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "triplets.jsonl"
    path.write_text(
        '{"query": "q", "reference": "r", "context": "c"}\n'
        '{"id": "own", "query": "q", "reference": "r", "context": "c", "source": "s"}\n', "utf-8"
    )  # fmt: skip
    assert [(each.id, each.group) for each in read_triplets(path)] == [("line-000001", "line-000001"), ("own", "s")]
    path.write_text('{"query": "q", "reference": "", "context": "c"}\n', "utf-8")
    with pytest.raises(InvalidInput, match="line 1: reference"):
        read_triplets(path)
    path.write_text("", "utf-8")
    with pytest.raises(InvalidInput, match="holds no line"):
        read_triplets(path)
