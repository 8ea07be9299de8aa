"""Sentences, words, quantities, choices: the facts of language that judgements rest on."""

import itertools
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.language import (
    content_stems,
    find_quantities,
    find_words,
    fold,
    rarity,
    split_choices,
    split_sentences,
    stem,
    word_texts,
)


def sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


def test_sentences(subtests: pytest.Subtests) -> None:
    for text, expected in [
        ("The level is 1.5 V. The part wakes up.", ["The level is 1.5 V.", "The part wakes up."]),
        ("3. Pump the tank empty.", ["3. Pump the tank empty."]),
        ("See e.g. Fig. 3 for the curve.", ["See e.g. Fig. 3 for the curve."]),
        ("It needs 25 ns! Does it? Yes.", ["It needs 25 ns!", "Does it?", "Yes."]),
        ("Mode | Rate\nNV-DDR | 200 MT/s", ["Mode | Rate", "NV-DDR | 200 MT/s"]),
    ]:
        with subtests.test(text=text):
            assert sentences(text) == expected
    assert all(set(piece.split()) == {"word"} for piece in sentences("word " * 3_000))


@given(st.text(max_size=400))
def test_any_text_splits_into_ordered_spans_that_lose_no_word(text: str) -> None:
    spans = split_sentences(text)
    assert all(a.end <= b.start for a, b in itertools.pairwise(spans))
    kept = "".join(text[span.start : span.end] for span in spans)
    assert "".join(kept.split()) == "".join(text.split())


def test_quantities_come_in_one_notation() -> None:
    assert [(q.number, q.unit) for q in find_quantities("1,000 MB/s, 1000MB/s and 1.50 V")] == [
        ("1000", "MB/s"),
        ("1000", "MB/s"),
        ("1.5", "V"),
    ]


def test_choices(subtests: pytest.Subtests) -> None:
    for question, stem_, options in [
        ("Which level? a) 1.8 V b) 1.5 V", "Which level?", [("a", "1.8 V"), ("b", "1.5 V")]),
        ("Which?1. Legacy 2. DDR1 3. DDR2", "Which?", [("1", "Legacy"), ("2", "DDR1"), ("3", "DDR2")]),
        ("What is in section 2. and 3. of the book?", "What is in section 2. and 3. of the book?", []),
        ("Is it 1.5 V?", "Is it 1.5 V?", []),
    ]:
        with subtests.test(question=question):
            asked, choices = split_choices(question)
            assert asked == stem_
            assert [(choice.label, choice.text) for choice in choices] == options


def test_words_and_stems() -> None:
    found = [word.text for word in find_words("WE# and place_pin at 1.35V")]
    assert found == ["WE#", "and", "place_pin", "at", "1.35", "V"]
    assert stem("calibrations") == stem("calibration")
    assert stem("ext") == stem("extension")
    assert stem("max") == stem("maximum")
    assert content_stems("What is the level of VCCQ?") == ("level", "vccq")
    assert rarity("the") < rarity("gasket") < rarity("vccq")


def test_threads_stem_beside_each_other() -> None:
    words = [f"{start}{middle}{end}" for start in "bcdfglmprst" for middle in ("and", "end", "ill", "ool", "urr")
             for end in ("ing", "ations", "fulness", "ed", "iveness", "ly", "s", "ational")]  # fmt: skip
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda _: [stem.__wrapped__(word) for word in words], range(8)))
    assert together == [[stem(word) for word in words]] * 8


@given(st.text() | st.text(alphabet=[chr(code) for code in range(128)]))
def test_words_and_folding_are_the_same_by_the_short_way(text: str) -> None:
    assert word_texts(text) == [word.text for word in find_words(text)]
    assert fold(text) == " ".join(unicodedata.normalize("NFKC", text).casefold().split())
