"""Answers that say they do not know."""

import pytest

from tools.language.abstention import says_unknown


def test_an_answer_that_does_not_know(subtests: pytest.Subtests) -> None:
    for text in [
        "I do not know.",
        "The passages that were found do not hold an answer.",
        "The passages do not mention the price. They give the weight only.",
        "There is no information about this in the documents.",
        "",
    ]:
        with subtests.test(text=text):
            assert says_unknown(text)


def test_an_answer_that_says_something(subtests: pytest.Subtests) -> None:
    for text in [
        "The key costs 40 euros.",
        "Users do not know the password of the service account.",
        "The key costs 40 euros. I do not know the delivery time.",
        "The passages do not say when. The release is signed by two people. It is kept for 11 years.",
    ]:
        with subtests.test(text=text):
            assert not says_unknown(text)
