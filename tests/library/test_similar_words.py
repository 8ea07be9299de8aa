"""Words near to one: the same that a comparison with every word finds."""

import random

from rapidfuzz.distance import OSA

from library.similar_words import allowed_distance, nearest_words, words_to_compare

LETTERS = "bcfgx1"


def test_the_same_words_are_found_as_by_comparing_each() -> None:
    chance = random.Random(3)
    words = {"".join(chance.choices(LETTERS, k=chance.randint(1, 11))): chance.randint(1, 9) for _ in range(1_500)}
    compared = words_to_compare(words)
    for _ in range(60):
        asked = "".join(chance.choices(LETTERS, k=chance.randint(1, 10)))
        expected = {
            word
            for word in words
            if word != asked and min(len(word), len(asked)) > 1 and any(map(str.isalpha, word))
            if OSA.distance(asked, word) <= allowed_distance(len(asked))
            if OSA.distance(asked, word) < min(len(word), len(asked))
        }
        found = nearest_words(asked, compared)
        assert set(found) == expected
        distances = [OSA.distance(asked, word) for word in found]
        assert distances == sorted(distances)


def test_an_exchange_of_letters_comes_before_other_errors_and_the_frequent_before_the_rare() -> None:
    words = words_to_compare({"plr": 1, "prx": 5, "prs": 9, "xrl": 99, "the": 7, "123": 7})
    assert nearest_words("prl", words) == ["plr", "prs", "prx", "xrl"]
    assert [nearest_words(asked, words) for asked in ("th", "124", "p", "")] == [[], [], [], []]
