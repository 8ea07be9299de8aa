"""The letters of many words: who is left out cannot be near."""

import random
from collections import Counter

import pytest
from rapidfuzz.distance import OSA

from intrinsics.jargon_identification.letters import LetterIndex

WORDS = ["dll", "dlls", "vccq", "electromigration", "", "é1é", "1é", "a" * 300, "ab" * 140, "_#", "ddr3"]


def test_words_within_so_many_edits_are_all_there_and_few_others() -> None:
    chance = random.Random(3)
    words = ["".join(chance.choices("abcdef12é#", k=chance.randint(1, 8))) for _ in range(800)]
    index = LetterIndex(words)
    for word in words[::80]:
        for edits in (1, 2):
            found = set(index.within(word, edits).tolist())
            near = {at for at, other in enumerate(words) if OSA.distance(word, other) <= edits}
            assert near <= found
            assert len(found) < len(words) / 2


@pytest.mark.parametrize("word", [*WORDS, "zzz", "a" * 256, "a" * 255, "b"])
def test_no_word_shares_more_letters_than_it_is_told_to(word: str) -> None:
    shared = LetterIndex(WORDS).shared(word)
    for other, told in zip(WORDS, shared.tolist(), strict=True):
        assert told >= (Counter(word) & Counter(other)).total()
        assert told <= len(word)


def test_the_alphabet_is_the_number_of_equally_frequent_letters() -> None:
    assert LetterIndex(["abcd", "dcba"]).alphabet == pytest.approx(4.0)
    assert LetterIndex(["aaaa"]).alphabet == pytest.approx(1.0)
    assert LetterIndex([]).alphabet > 1.0
    assert LetterIndex([]).within("dll", 1).tolist() == []
