"""Comparing systems: scores and paired differences computed by hand."""

import pytest

from golden_lab.systems.comparison import CaseNumbers, compare
from golden_lab.systems.golden import WHOLE
from golden_lab.systems.measures import SystemQuestion, chosen_label, lettered
from tools.language import split_choices

WITHOUT = "without the gate"


def case(whole: float, plain: float, ablated: float, s3: float | None = None) -> CaseNumbers:
    return {
        "plain RAG": {"right": plain, "cited": None, "S3": 0.5},
        WHOLE: {"right": whole, "cited": None, "S3": s3},
        WITHOUT: {"right": ablated, "cited": None, "S3": 0.25},
    }


def test_scores_and_differences_are_those_of_the_cases_that_have_both() -> None:
    cases = [case(1, 0, 1, 1.0), case(1, 1, 0, 0.5), case(1, 0, 1), case(0, 0, 0)]
    found = compare(cases, seed=1)
    values = {(score.system, score.metric): (score.value, score.n) for score in found.scores}
    assert values[WHOLE, "right"] == (0.75, 4)
    assert values["plain RAG", "right"] == (0.25, 4)
    assert values[WHOLE, "S3"] == (0.75, 2)
    assert (WHOLE, "cited") not in values
    differences = {(each.system, each.metric): each for each in found.differences}
    assert differences["plain RAG", "right"].difference.difference == -0.5
    assert differences[WITHOUT, "right"].difference.difference == -0.25
    assert differences[WITHOUT, "S3"].difference.difference == pytest.approx(-0.5)
    assert differences[WITHOUT, "S3"].difference.n == 2


def test_only_ablations_are_corrected_and_together() -> None:
    cases: list[CaseNumbers] = [
        {
            "plain RAG": {"right": 0.0},
            WHOLE: {"right": 1.0},
            "without jargon": {"right": 0.0},
            "without context": {"right": 0.0},
            "without reranking": {"right": 1.0},
        }
        for _ in range(12)
    ]
    found = {each.system: each for each in compare(cases, seed=1).differences}
    smallest = found["without jargon"].difference.p_value
    assert smallest == pytest.approx(2 / 10_001)
    assert found["plain RAG"].adjusted_p is None
    assert found["without jargon"].adjusted_p == pytest.approx(3 * smallest)
    assert found["without context"].adjusted_p == pytest.approx(3 * smallest)
    assert found["without reranking"].adjusted_p == 1.0


OPTIONS = lettered(("1.8 V", "1.5 V", "depends on the node."))


def test_a_question_is_asked_with_lettered_options_as_the_bot_reads_them() -> None:
    question = SystemQuestion(text="Which supply has DDR3?", choices=OPTIONS)
    assert question.asked == "Which supply has DDR3? a) 1.8 V b) 1.5 V c) depends on the node."
    text, choices = split_choices(question.asked)
    assert (text, choices) == (question.text, question.choices)


def test_the_option_that_an_answer_names() -> None:
    for text, label in [
        ("b) 1.5 V. The table says so [1].", "b"), ("**B.** 1.5 V", "b"), ("(c) depends", "c"), ("1.5 V", "b"),
        ("Depends on the node", "c"), ("a", "a"), ("d) 1.2 V", ""), ("The supply is 1.5 V or 1.8 V.", ""),
        ("A supply of 1.8 V", ""), ("", ""),
    ]:  # fmt: skip
        assert chosen_label(text, OPTIONS) == label, text
