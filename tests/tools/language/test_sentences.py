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
    "Blocks, pages and planes; in that order. NAND-based parts (all of them) count from 0.",
    "It has 1024 blocks of 100. Each has its own buffer",
]
_ASKED = [
    "See Fig. 3 of the manual. It shows the wiring.",
    "The U.S. office opens at 9 a.m. Monday to Friday. Ask Dr. Who.",
    "First (a) erase, then (b) program. Read it back.",
    "1. Open the case. 2. Remove the board. 3. Close it again.",
    'He said "It works. Really." Nobody answered.',
    "It is 1.5 V. The part is rated for more (see below. There it is explained).",
    "Is it on? Then go on. What else!",
    "It ends with an abbreviation of inc. The next one begins.",
    "A bracket (that never ends. The next one begins.",
    "There are  two spaces.  The second one is no sentence.",
    "The clock is at pin 7. The data follows.",
]


@pytest.mark.parametrize("line", _PLAIN)
def test_a_plain_line_is_split_as_pysbd_splits_it(line: str) -> None:
    assert is_plain(line)
    found = pysbd.Segmenter(language="en", clean=False).segment(line)
    assert [line[span.start : span.end] for span in split_sentences(line)] == [piece.strip() for piece in found]


@pytest.mark.parametrize("line", _ASKED)
def test_a_line_that_asks_for_rules_is_not_plain(line: str) -> None:
    assert not is_plain(line)


def test_sentences_that_come_twice_are_found_where_they_stand() -> None:
    line = "Is it on? Is it on? Is it on?"
    assert [(span.start, span.end) for span in split_sentences(line)] == [(0, 9), (10, 19), (20, 29)]


@pytest.mark.parametrize("following", ["DDR4 needs less.", "JEDEC calls it VDDQ.", "The part is old."])
def test_a_unit_before_the_full_stop_is_no_initial(following: str) -> None:
    line = f"It is 1.5 V. {following}"
    assert [line[span.start : span.end] for span in split_sentences(line)] == ["It is 1.5 V.", following]
