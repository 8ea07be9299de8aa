"""Controlled retrieval as in the paper's table, and its files: equal for the same seed, and without leaks."""

import json
import re
from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from contracts.text import Span
from golden_lab.json_lines import read_forms
from golden_lab.training.data.condition_folder import ConditionFolder, without_leaks, write_condition_folder
from golden_lab.training.data.conditions import (
    CONDITIONS,
    VARIANTS,
    ConditionBuilder,
    ConditionedLine,
    Triplet,
    context_chunks,
    hold_out,
    read_triplets,
    token_spans,
)
from golden_lab.training.data.examples import read_examples
from golden_lab.training.recipes import Recipe
from tools.embedding.weights import find_default_model
from tools.prompts import load_prompt

PROMPT = load_prompt(Recipe.find("rag-lora-7b").prompt_path)  # type: ignore[arg-type]


def word_spans(text: str) -> list[Span]:
    return [Span(each.start(), each.end()) for each in re.finditer(r"\S+", text)]


def triplets(count: int = 12, *, words: int = 300, per_source: int = 1) -> list[Triplet]:
    return [
        Triplet(
            id=f"t{number:02}",
            query=f"What is part {number}?",
            reference=f"Part {number} is reference {number}.",
            context=" ".join(f"w{number}.{place}" for place in range(words)),
            source=f"document {number // per_source}",
        )
        for number in range(count)
    ]


def test_token_spans_cover_texts_beyond_the_encoders_limit() -> None:
    spans_of = token_spans(find_default_model())
    text = " ".join(f"Pump number {at} runs." for at in range(400))
    spans = spans_of(text)
    assert len(spans) > 1_600
    assert "".join(text[span.start : span.end] for span in spans) == text.replace(" ", "")
    assert spans_of("") == []


def test_a_context_is_cut_into_up_to_three_chunks_of_128_tokens() -> None:
    long, short = triplets(1, words=500)[0], triplets(1, words=130)[0]
    assert [len(chunk.split()) for chunk in context_chunks(long, word_spans)] == [128, 128, 128]
    assert [len(chunk.split()) for chunk in context_chunks(short, word_spans)] == [128, 2]
    assert " ".join(context_chunks(short, word_spans)) == short.context
    with pytest.raises(InvalidInput, match="t00"):
        context_chunks(Triplet(id="t00", query="q", reference="r", context=" "), word_spans)


def test_each_condition_has_the_described_context() -> None:
    builder = ConditionBuilder(triplets(), word_spans, PROMPT, seed=5)
    for each in builder.variant("with-all"):
        own = f"w{int(each.id[1:])}."
        assert each.relevant == tuple(own in chunk for chunk in each.chunks)
        match each.condition:
            case "none":
                assert each.chunks == ()
            case "relevant":
                assert each.relevant == (True, True, True)
            case "irrelevant":
                assert each.relevant == (False, False, False)
            case "noisy":
                assert len(each.chunks) == 3
                assert sum(each.relevant) in (1, 2)
        assert len(set(each.chunks)) == len(each.chunks)
    # A noisy context contains one or two relevant chunks, in any position.
    noisy = [each for each in ConditionBuilder(triplets(60), word_spans, PROMPT, seed=1).variant("raft")
             if each.condition == "noisy"]  # fmt: skip
    counts = [sum(each.relevant) for each in noisy]
    assert 15 <= counts.count(1) <= 45
    assert counts.count(1) + counts.count(2) == 60
    assert {each.relevant.index(True) for each in noisy} == {0, 1, 2}


def test_irrelevant_context_never_has_the_same_source() -> None:
    builder = ConditionBuilder(triplets(12, per_source=3), word_spans, PROMPT, seed=5)
    for each in builder.variant("raft"):
        beside = {int(re.match(r"w(\d+)", chunk)[1]) // 3 for chunk, own in zip(each.chunks, each.relevant, strict=True)
                  if not own}  # type: ignore[index]  # fmt: skip
        assert int(each.id[1:]) // 3 not in beside


def test_too_few_sources_and_wrong_names_are_refused() -> None:
    alone = ConditionBuilder(triplets(3, per_source=3), word_spans, PROMPT, seed=1)
    with pytest.raises(InvalidInput, match="add documents"):
        alone.variant("pa-rag")
    with pytest.raises(InvalidInput, match="pa-rag"):
        alone.variant("parag")
    with pytest.raises(InvalidInput, match="t00 occurs twice"):
        ConditionBuilder([*triplets(2), *triplets(1)], word_spans, PROMPT, seed=1)


def test_training_triplets_that_overlap_the_test_set_are_left_out(subtests: pytest.Subtests) -> None:
    fresh = {"id": "x", "query": "Quite another one?", "reference": "An answer of its own.",
             "context": "Nothing that stands elsewhere at all, in no place of any text that is trained on here.",
             "source": "elsewhere"}  # fmt: skip
    assert len(without_leaks(triplets(), [Triplet(**fresh)])) == 12
    for field, shared in {
        "id": "t00",
        "source": "document 0",
        "query": "what IS part 0",
        "reference": "Part 0 is reference 0.",
        "context": "before " + " ".join(f"w0.{place}" for place in range(20, 40)) + " behind",
    }.items():
        with subtests.test(field=field):
            left = without_leaks(triplets(), [Triplet(**{**fresh, field: shared})])
            assert [each.id for each in left] == [f"t{number:02}" for number in range(1, 12)]


def write(folder: Path, rows: list[Triplet], **options: object) -> ConditionFolder:
    return write_condition_folder(rows, folder, PROMPT, word_spans, seed=4, **options)  # type: ignore[arg-type]


def test_each_variant_contains_its_conditions_for_every_question(tmp_path: Path) -> None:
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
    # The test set contains each held-out question four times, and nothing from training.
    lines = tuple(read_forms(tmp_path / "test.jsonl", ConditionedLine))
    assert [each.condition for each in lines] == list(CONDITIONS) * 8
    held = {each.source for each in lines}
    trained = read_examples(tmp_path / "train-with-all.jsonl")
    assert len({each.group for each in trained}) == 8
    assert not held & {each.group for each in trained}
    own = {f"w{int(each.id[1:])}." for each in lines}
    assert not any(mark in message.content for each in trained for message in each.messages for mark in own)
    for each in lines:
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


def test_plain_triplets_are_read_and_an_empty_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "triplets.jsonl"
    path.write_text(
        '{"query": "q", "reference": "r", "context": "c"}\n'
        '{"id": "own", "query": "q", "reference": "r", "context": "c", "source": "s"}\n', "utf-8"
    )  # fmt: skip
    assert [(each.id, each.group) for each in read_triplets(path)] == [("line-000001", "line-000001"), ("own", "s")]
    path.write_text("", "utf-8")
    with pytest.raises(InvalidInput, match="is empty"):
        read_triplets(path)
