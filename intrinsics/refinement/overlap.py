"""The signal S3: the share of a draft's content words that occur in any of its passages."""

import re
import sys
from collections.abc import Sequence
from functools import lru_cache

from contracts.text import Passage
from tools.language import STOP_WORDS, find_words, fold
from tools.language.quantities import NUMERALS

_WORDS = {"zero": "0"} | {word: digits for word, digits in NUMERALS.items() if len(digits) < 3}
_ORDINALS = {
    "first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6", "seventh": "7",
    "eighth": "8", "ninth": "9", "tenth": "10",
}  # fmt: skip


def number_forms(word: str) -> frozenset[str]:
    """Return the digit form of ``word`` (folded) if it is a number: "2" for "two", "1.5" for "1.50"."""
    forms = {word}
    value = _WORDS.get(word) or _ORDINALS.get(word) or _digits(word)
    if value:
        forms.add(value)
    return frozenset(forms)


def _digits(word: str) -> str:
    plain = word
    for ending in ("st", "nd", "rd", "th"):
        if word.endswith(ending) and word[:-2].isascii() and word[:-2].isdigit():
            plain = word[:-2]
    if "." in plain and plain.replace(".", "", 1).isdigit():
        plain = plain.rstrip("0").rstrip(".")
    return plain if plain[:1].isdigit() else ""


S3 = "S3"

# Citation markers in this product and in the two data sets on which the signal was studied: [2], [2, 5], [cite_2].
_MARKER = re.compile(r"\[(?:cite_)?\d+(?:\s*,\s*(?:cite_)?\d+)*\]")
_THOUSANDS = re.compile(r"(?<=\d)[,\u00a0\u202f](?=\d{3}\b)")


def passage_overlap(draft: str, passages: Sequence[Passage]) -> float:
    """Return S3, in [0, 1]: the share of the draft's content words that occur in any passage or its headings.

    Stop words and citation markers are ignored; numbers match in any form ("1,000", "1000", "one thousand").
    A draft without content words scores 1.
    Source: the report on refinement policies for retrieval-augmented answers, section 3.2.
    """
    words = content_words(_MARKER.sub(" ", draft))
    if not words:
        return 1.0
    there = [_forms_in(passage.chunk.searchable_text) for passage in passages]
    return sum(any(not forms.isdisjoint(each) for each in there) for forms in map(number_forms, words)) / len(words)


def content_words(text: str) -> list[str]:
    """Return the words in ``text``, folded, without stop words, in order; "1,000" becomes "1000"."""
    joined = _THOUSANDS.sub("", text)
    return [folded for word in find_words(joined) if (folded := fold(word.text)) not in STOP_WORDS]


# Consecutive questions often find the same passages, but a draft is read only once.
@lru_cache(maxsize=1_024)
def _forms_in(text: str) -> frozenset[str]:
    return frozenset(sys.intern(form) for word in set(content_words(text)) for form in number_forms(word))
