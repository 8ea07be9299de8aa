"""Texts against gold texts, by hand and against rouge-score."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from golden_lab.metrics.text import contained_share, exact_match, rouge_l, rouge_n, token_f1, word_accuracy

SENTENCES = st.lists(st.sampled_from(["the", "Cat", "sat", "on", "mat-2", "3.5", "x_y"]), max_size=12).map(" ".join)


def test_matches_shares_and_token_f1_by_hand() -> None:
    assert exact_match("The  Eiffel-Tower!", ["Louvre", "eiffeltower"]) == 1
    assert exact_match("Eiffel Tower, Paris", ["Eiffel Tower"]) == 0
    answer = "It opened in 1889, in the Champ de Mars."
    assert contained_share(answer, ["1889", "Champ de Mars", "Gustave Eiffel", ["Seine", "Mars"]]) == 3 / 4
    # "cat sat on mat" against "cat cat mat": cat and mat in common, 4 and 3 words.
    assert token_f1("The cat sat on the mat.", "a cat, cat mat") == pytest.approx(2 * 2 / 7)
    assert (token_f1("", "the"), token_f1("", "cat")) == (1, 0)
    assert rouge_l("größer als Öl", "Größer als Wasser").recall == pytest.approx(2 / 3)


@settings(max_examples=60, deadline=None)
@given(SENTENCES, SENTENCES)
def test_rouge_as_rouge_score(answer: str, gold: str) -> None:
    theirs = RougeScorer(["rouge1", "rouge2", "rougeL"]).score(gold, answer)
    for name, ours in (
        ("rouge1", rouge_n(answer, gold, 1)),
        ("rouge2", rouge_n(answer, gold, 2)),
        ("rougeL", rouge_l(answer, gold)),
    ):
        assert (ours.precision, ours.recall, ours.f1) == pytest.approx(tuple(theirs[name]))


def test_word_accuracy_by_hand() -> None:
    assert word_accuracy("set the flow rote to 5", "set the flow rate to 5") == pytest.approx(5 / 6)
    assert word_accuracy("set flow rate to 5 ml", "set the flow rate to 5") == pytest.approx(4 / 6)
    # The order counts, it is never below 0, and composed letters are decomposed ones.
    assert word_accuracy("b a", "a b") == word_accuracy("x y z", "a") == 0
    assert word_accuracy("Ko\u0308ln", "K\u00f6ln") == 1
