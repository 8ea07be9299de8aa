"""Prompts whose passages are known token by token."""

import pytest

from contracts.errors import ConfigurationError, InvalidInput

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

from golden_lab.causal_attribution.layout import answer_ids, lay_out  # noqa: E402
from lab.tests.causal_attribution.tokens import word_tokenizer  # noqa: E402

PASSAGES = ("The DLL needs 512 cycles .", "VPP is 2.5 V .", "tRC is 45 ns .")
QUESTION = "How long does the DLL lock ?"


@pytest.mark.parametrize("chat", [False, True])
@pytest.mark.parametrize("system", ["", "Be brief ."])
def test_each_passage_is_found_in_the_prompt(chat: bool, system: str) -> None:
    tokenizer = word_tokenizer([*PASSAGES, QUESTION, "Be brief ."], chat=chat)
    found = lay_out(tokenizer, QUESTION, PASSAGES, system=system)
    assert len(found.passages) == 3
    for number, (text, span) in enumerate(zip(PASSAGES, found.passages, strict=True), 1):
        words = tokenizer.convert_ids_to_tokens(found.ids[span.start : span.end])
        assert words == ["[", str(number), "]", *tokenizer.tokenize(text)]
    behind = tokenizer.convert_ids_to_tokens(found.ids[found.passages[-1].end :])
    assert behind[0] == "Question"
    assert "lock" in behind


def test_a_passage_that_holds_another_one_is_not_mistaken_for_it() -> None:
    tokenizer = word_tokenizer([*PASSAGES, QUESTION])
    twice = (PASSAGES[1], PASSAGES[1], PASSAGES[1] + " " + PASSAGES[1])
    found = lay_out(tokenizer, QUESTION, twice)
    starts = [span.start for span in found.passages]
    assert starts == sorted(set(starts))
    assert all(one.end == two.start for one, two in zip(found.passages, found.passages[1:], strict=False))


def test_the_last_passages_go_where_there_is_no_room() -> None:
    tokenizer = word_tokenizer([*PASSAGES, QUESTION])
    whole = lay_out(tokenizer, QUESTION, PASSAGES)
    fewer = lay_out(tokenizer, QUESTION, PASSAGES, most_tokens=len(whole.ids) - 1)
    assert fewer.passages == whole.passages[:2]
    assert len(fewer.ids) < len(whole.ids)
    with pytest.raises(InvalidInput, match="longer than 5"):
        lay_out(tokenizer, QUESTION, PASSAGES, most_tokens=5)


def test_a_tokenizer_without_places_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="fast tokenizer"):
        lay_out(object(), QUESTION, PASSAGES)


def test_a_template_that_rewrites_the_prompt_is_refused() -> None:
    tokenizer = word_tokenizer([*PASSAGES, QUESTION], chat=True)
    tokenizer.chat_template = "{% for each in messages %}{{ each.content | upper }}{% endfor %}"
    with pytest.raises(ConfigurationError, match="template"):
        lay_out(tokenizer, QUESTION, PASSAGES)


def test_an_answers_first_tokens_come_without_special_ones() -> None:
    tokenizer = word_tokenizer(["It needs 512 cycles ."])
    assert tokenizer.convert_ids_to_tokens(answer_ids(tokenizer, "It needs 512 cycles .", 3)) == ["It", "needs", "512"]
    assert answer_ids(tokenizer, "", 3) == ()
