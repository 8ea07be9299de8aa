"""Sentences, words, quantities, choices, quotes: the facts of language that judgements rest on."""

import itertools
import unicodedata
from concurrent.futures import ThreadPoolExecutor

import pysbd
from hypothesis import given
from hypothesis import strategies as st

from tools.language import (
    content_stems,
    cut_at_sentences,
    find_piece,
    find_quantities,
    find_words,
    fold,
    rarity,
    split_choices,
    split_sentences,
    stem,
    word_texts,
)
from tools.language.abstention import says_unknown
from tools.language.sentences import is_plain


def sentences(text: str) -> list[str]:
    return [text[span.start : span.end] for span in split_sentences(text)]


def test_text_is_split_into_sentences() -> None:
    cases = [
        ("The level is 1.5 V. The part wakes up.", ["The level is 1.5 V.", "The part wakes up."]),
        ("Use pump number 3. Pump 4 is spare.", ["Use pump number 3.", "Pump 4 is spare."]),
        ("3. Pump the tank empty.", ["3. Pump the tank empty."]),
        ("See e.g. Fig. 3 for the curve.", ["See e.g. Fig. 3 for the curve."]),
        ("It needs 25 ns! Does it? Yes.", ["It needs 25 ns!", "Does it?", "Yes."]),
        ("Mode | Rate\nNV-DDR | 200 MT/s", ["Mode | Rate", "NV-DDR | 200 MT/s"]),
        ("Ask J. Smith about it.", ["Ask J. Smith about it."]),
        ("Is it on? Is it on?", ["Is it on?", "Is it on?"]),
        # A name may begin with a full stop, and a unit before a full stop is not an initial.
        ("It writes the .jigdo file. Edit .fetchmailrc.", ["It writes the .jigdo file.", "Edit .fetchmailrc."]),
        ("Edit your .fetchmailrc. .netrc is read too.", ["Edit your .fetchmailrc.", ".netrc is read too."]),
        ("All files named *.c or ~/.x/y go. Others stay.", ["All files named *.c or ~/.x/y go.", "Others stay."]),
        ("4. Run ./configure with it. Then wait.", ["4. Run ./configure with it.", "Then wait."]),
        ("| 1. backup [kB] | 7692 | 13445 |", ["| 1. backup [kB] | 7692 | 13445 |"]),
        ("Try find . -print or ls .. | sort. It ends.", ["Try find . -print or ls .. | sort.", "It ends."]),
        ("It is in /tmp/<name>[-<id>].<pid>/log. Read it.", ["It is in /tmp/<name>[-<id>].<pid>/log.", "Read it."]),
        ("The level is 5 . The pump stops.", ["The level is 5 .", "The pump stops."]),
        ("Append ?project=name to it. Call f().head() next.", ["Append ?project=name to it.", "Call f().head() next."]),
        ("It is 1.5 V. DDR4 needs less.", ["It is 1.5 V.", "DDR4 needs less."]),
        ("It is 1.5 V. JEDEC calls it VDDQ.", ["It is 1.5 V.", "JEDEC calls it VDDQ."]),
    ]
    assert [(text, sentences(text)) for text, _ in cases] == cases
    assert all(set(piece.split()) == {"word"} for piece in sentences("word " * 3_000))
    # Long text is cut at the ends of sentences.
    assert cut_at_sentences("One is here. Two is there. Three is longer than all of them.", 27) == (
        "One is here. Two is there.",
        "Three is longer than all of them.",
    )
    assert cut_at_sentences(" \n ", 10) == ()


@given(st.text(max_size=400))
def test_any_text_splits_into_ordered_spans_that_lose_no_word(text: str) -> None:
    spans = split_sentences(text)
    assert all(a.end <= b.start for a, b in itertools.pairwise(spans))
    kept = "".join(text[span.start : span.end] for span in spans)
    assert "".join(kept.split()) == "".join(text.split())


def test_answer_options_are_split_from_the_question() -> None:
    for question, stem_, options in [
        ("Which level? a) 1.8 V b) 1.5 V", "Which level?", [("a", "1.8 V"), ("b", "1.5 V")]),
        ("Which?1. Legacy 2. DDR1 3. DDR2", "Which?", [("1", "Legacy"), ("2", "DDR1"), ("3", "DDR2")]),
        ("What is in section 2. and 3. of the book?", "What is in section 2. and 3. of the book?", []),
        ("Is it 1.5 V?", "Is it 1.5 V?", []),
    ]:
        asked, choices = split_choices(question)
        assert (asked, [(choice.label, choice.text) for choice in choices]) == (stem_, options)


def test_words_stems_and_quantities() -> None:
    found = [word.text for word in find_words("WE# and place_pin at 1.35V")]
    assert found == ["WE#", "and", "place_pin", "at", "1.35", "V"]
    assert stem("calibrations") == stem("calibration")
    assert stem("ext") == stem("extension")
    assert stem("max") == stem("maximum")
    assert content_stems("What is the level of VCCQ?") == ("level", "vccq")
    assert rarity("the") < rarity("gasket") < rarity("vccq")
    quantities = [(each.number, each.unit) for each in find_quantities("1,000 MB/s, 1000MB/s and 1.50 V")]
    assert quantities == [("1000", "MB/s"), ("1000", "MB/s"), ("1.5", "V")]


def test_stemming_is_thread_safe() -> None:
    words = [f"{start}{middle}{end}" for start in "bcdfglmprst" for middle in ("and", "end", "ill", "ool", "urr")
             for end in ("ing", "ations", "fulness", "ed", "iveness", "ly", "s", "ational")]  # fmt: skip
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(lambda _: [stem.__wrapped__(word) for word in words], range(8)))
    assert together == [[stem(word) for word in words]] * 8


@given(st.text() | st.text(alphabet=[chr(code) for code in range(128)]))
def test_fast_path_for_ascii_gives_the_same_words(text: str) -> None:
    assert word_texts(text) == [word.text for word in find_words(text)]
    assert fold(text) == " ".join(unicodedata.normalize("NFKC", text).casefold().split())


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


def test_fast_sentence_splitting_matches_pysbd_on_plain_lines() -> None:
    assert [line for line in (*_PLAIN, *_ASKED) if is_plain(line)] == _PLAIN
    for line in _PLAIN:
        found = pysbd.Segmenter(language="en", clean=False).segment(line)
        assert [line[span.start : span.end] for span in split_sentences(line)] == [piece.strip() for piece in found]


TEXT = "The boiler B-7 holds\n300 litres (net). It is red."


def test_quote_is_found_as_whole_words_ignoring_white_space() -> None:
    for piece, quote in (("holds 300   litres", "holds\n300 litres"), ("(net).", "(net).")):
        span = find_piece(piece, TEXT)
        assert TEXT[span.start : span.end] == quote
    others = ("300 litre", "00 litres", "Holds 300", "holds 30.", " \n")
    assert [piece for piece in others if find_piece(piece, TEXT) is not None] == []


def test_abstentions_are_recognised() -> None:
    unknowing = [
        "I do not know.", "I don't know the answer.", "The passages that were found do not hold an answer.",
        "The passages do not mention the price. They give the weight only.", "That is not stated in the passages.",
        "There is no information about this in the documents.", "",
    ]  # fmt: skip
    saying = [
        "The key costs 40 euros.", "Users do not know the password of the service account.",
        "The key costs 40 euros. I do not know the delivery time.",
        "The passages do not say when. The release is signed by two people. It is kept for 11 years.",
    ]  # fmt: skip
    assert [text for text in (*unknowing, *saying) if says_unknown(text)] == unknowing
