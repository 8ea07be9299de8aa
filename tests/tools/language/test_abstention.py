"""Answers that say they do not know."""

import pytest

from tools.language.abstention import says_unknown


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
