"""Questions with options, and the option that an answer names."""

import pytest

from golden_lab.systems.measures import SystemQuestion, chosen_label, lettered
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
