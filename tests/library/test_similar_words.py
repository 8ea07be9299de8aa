"""Words similar to one: how far, and in which order."""

import pytest

from library.similar_words import nearest_words, words_to_compare


def test_an_exchange_of_letters_comes_before_other_errors_and_the_frequent_before_the_rare() -> None:
    words = words_to_compare({"plr": 1, "prx": 5, "prs": 9, "xrl": 99, "the": 7, "123": 7})
    assert nearest_words("prl", words) == ["plr", "prs", "prx", "xrl"]
    assert [nearest_words(asked, words) for asked in ("th", "124", "p", "")] == [[], [], [], []]


def test_longer_words_may_hold_more_errors(subtests: pytest.Subtests) -> None:
    for asked, near, far in [
        ("abcd", "abcx", "abxx"),
        ("abcde", "abcxx", "abxxx"),
        ("abcdefghi", "abcdefxxx", "abcdexxxx"),
    ]:
        with subtests.test(asked=asked):
            assert nearest_words(asked, {near: 1, far: 1}) == [near]
