"""Controlled retrieval, as the paper's table says, and the same from the same seed."""

import re

import pytest

from contracts.errors import InvalidInput
from contracts.text import Span
from golden_lab.training.data.condition_folder import without_leaks
from golden_lab.training.data.conditions import ConditionBuilder, Triplet, context_chunks, token_spans
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


def test_tokens_cover_a_text_that_is_longer_than_its_encoder_looks() -> None:
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


def test_each_condition_is_what_it_says() -> None:
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


def test_noisy_context_has_one_and_two_relevant_chunks_at_any_place() -> None:
    noisy = [each for each in ConditionBuilder(triplets(60), word_spans, PROMPT, seed=1).variant("raft")
             if each.condition == "noisy"]  # fmt: skip
    counts = [sum(each.relevant) for each in noisy]
    assert 15 <= counts.count(1) <= 45
    assert counts.count(1) + counts.count(2) == 60
    assert {each.relevant.index(True) for each in noisy} == {0, 1, 2}


def test_what_is_of_the_same_source_is_never_irrelevant() -> None:
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
    with pytest.raises(InvalidInput, match="t00 stands twice"):
        ConditionBuilder([*triplets(2), *triplets(1)], word_spans, PROMPT, seed=1)


def test_what_shares_anything_with_the_test_set_is_left_out(subtests: pytest.Subtests) -> None:
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
