"""Questions with options, the option an answer names, and answers that say they do not know."""

import pytest

from evaluation.systems.abstention import says_unknown
from evaluation.systems.values import SystemQuestion, chosen_label, lettered
from tools.language import split_choices

OPTIONS = lettered(("1.8 V", "1.5 V", "depends on the node."))


def test_a_question_is_asked_with_lettered_options_as_the_bot_reads_them() -> None:
    question = SystemQuestion(text="Which supply has DDR3?", choices=OPTIONS)
    assert question.asked == "Which supply has DDR3? a) 1.8 V b) 1.5 V c) depends on the node."
    text, choices = split_choices(question.asked)
    assert (text, choices) == (question.text, question.choices)


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("b) 1.5 V. The table says so [1].", "b"),
        ("**B.** 1.5 V", "b"),
        ("(c) depends", "c"),
        ("1.5 V", "b"),
        ("Depends on the node", "c"),
        ("a", "a"),
        ("d) 1.2 V", ""),
        ("The supply is 1.5 V or 1.8 V.", ""),
        ("A supply of 1.8 V", ""),
        ("", ""),
    ],
)
def test_the_option_that_an_answer_names(text: str, label: str) -> None:
    assert chosen_label(text, OPTIONS) == label


@pytest.mark.parametrize(
    "text",
    [
        "I do not know.",
        "I don't know the answer.",
        "The passages that were found do not hold an answer.",
        "The passages do not mention the price. They give the weight only.",
        "There is no information about this in the documents.",
        "That is not stated in the passages.",
        "",
    ],
)
def test_an_answer_that_does_not_know(text: str) -> None:
    assert says_unknown(text)


@pytest.mark.parametrize(
    "text",
    [
        "The key costs 40 euros.",
        "Users do not know the password of the service account.",
        "The key costs 40 euros. I do not know the delivery time.",
        "The passages do not say when. The release is signed by two people. It is kept for 11 years.",
    ],
)
def test_an_answer_that_says_something(text: str) -> None:
    assert not says_unknown(text)
