"""Lines that are split without pysbd are split as it does."""

import pysbd
import pytest

from tools.language import split_sentences
from tools.language.sentences import is_plain

_PLAIN = [
    "The page buffer holds one page. The data moves on at 3.3 V (typical). Then the array is programmed.",
    "A die is tested several times [1]. Bad dies are marked [2][3]. They are not assembled.",
    "The interface runs at 1.2 Gb/s with DDR4. It needs no more than 100%. The rest is for later use.",
    "Erase takes 3.5 ms: see Table 12 (timing). Programming doesn't.",
]
_ASKED = [
    "See Fig. 3 of the manual. It shows the wiring.",
    "The U.S. office opens at 9 a.m. Monday to Friday. Ask Dr. Who.",
    "1. Open the case. 2. Remove the board. 3. Close it again.",
    'He said "It works. Really." Nobody answered.',
    "It is 1.5 V. The part is rated for more (see below. There it is explained).",
    "Is it on? Then go on. What else!",
    "A bracket (that never ends. The next one begins.",
    "There are  two spaces.  The second one is no sentence.",
]


def test_a_plain_line_is_split_as_pysbd_splits_it(subtests: pytest.Subtests) -> None:
    for line in _PLAIN:
        with subtests.test(line=line):
            assert is_plain(line)
            found = pysbd.Segmenter(language="en", clean=False).segment(line)
            assert [line[span.start : span.end] for span in split_sentences(line)] == [piece.strip() for piece in found]


def test_a_line_that_asks_for_rules_is_not_plain(subtests: pytest.Subtests) -> None:
    for line in _ASKED:
        with subtests.test(line=line):
            assert not is_plain(line)


def test_sentences_that_come_twice_are_found_where_they_stand() -> None:
    line = "Is it on? Is it on? Is it on?"
    assert [(span.start, span.end) for span in split_sentences(line)] == [(0, 9), (10, 19), (20, 29)]


def test_a_unit_before_the_full_stop_is_no_initial(subtests: pytest.Subtests) -> None:
    for following in ["DDR4 needs less.", "JEDEC calls it VDDQ.", "The part is old."]:
        with subtests.test(following=following):
            line = f"It is 1.5 V. {following}"
            assert [line[span.start : span.end] for span in split_sentences(line)] == ["It is 1.5 V.", following]
