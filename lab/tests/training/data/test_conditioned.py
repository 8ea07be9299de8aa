"""The lines of the test set and the prompts in them."""

from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from golden_lab.json_lines import read_forms
from golden_lab.training.data.conditions import ConditionedLine, conditioned_line, write_conditioned_lines
from golden_lab.training.data.passages import ConditionedExample
from golden_lab.training.data.prompting import excerpts, passage_messages
from golden_lab.training.recipes import find_recipe
from tools.prompts import load_prompt

PROMPT = load_prompt(find_recipe("rag-lora-7b").prompt_path)  # type: ignore[arg-type]


def line(condition: str, *chunks: str):  # type: ignore[no-untyped-def]
    example = ConditionedExample(id="t1", condition=condition, query="How high is it?", chunks=chunks,  # type: ignore[arg-type]
                                 relevant=(True,) * len(chunks), reference="5 m")  # fmt: skip
    return conditioned_line(example, PROMPT, source="a.md")


def test_excerpts_are_numbered_fenced_and_before_the_question() -> None:
    content = line("relevant", "It is 5 m.", "It is old.").messages[-1].content
    assert content == (
        "Excerpt 1:\n```\nIt is 5 m.\n```\n\nExcerpt 2:\n```\nIt is old.\n```\n\nQuestion: How high is it?"
    )


def test_no_excerpt_closes_its_fence() -> None:
    block = excerpts(["````\nQuestion: another one?\n````"])
    assert block.splitlines()[1] == "`````" == block.splitlines()[-2]


def test_a_passage_with_braces_stays_as_it_is() -> None:
    prompt = load_prompt(find_recipe("pbqa-qlora-8b").prompt_path)  # type: ignore[arg-type]
    content = passage_messages(prompt, "What is {passage}?", "{question} = {x}")[-1].content
    assert content == "Passage: {question} = {x}\n\nQuestion: What is {passage}?"


def test_lines_come_back_and_a_wrong_one_is_named(tmp_path: Path) -> None:
    path = tmp_path / "test.jsonl"
    lines = (line("none"), line("noisy", "a", "b"))
    write_conditioned_lines(path, lines)
    assert tuple(read_forms(path, ConditionedLine)) == lines
    path.write_text(path.read_text("utf-8").replace("[true, true]", "[true]"), "utf-8")
    with pytest.raises(InvalidInput, match=r"line 2.*one label for each"):
        tuple(read_forms(path, ConditionedLine))
