"""Words: their positions, stems and rarity in ordinary English."""

import re
import threading
import tomllib
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import snowballstemmer
from wordfreq import zipf_frequency

from contracts.text import Span

# A word may contain digits and the connecting characters of technical names: place_pin, WE#, tR/B#. In "-40", the sign
# is not part of the word.
_WORD = re.compile(r"[^\W_]+(?:[_'’][^\W_]+)*[#*]?(?:\.\d+)?", re.UNICODE)

_LISTS = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
STOP_WORDS = frozenset(_LISTS["stop_words"].split())
_SHORT_FORMS: dict[str, str] = _LISTS["short_forms"]


class _Stemmer(threading.local):
    """One stemmer per thread, because it stores the current word in its fields."""

    def __init__(self) -> None:
        self.stem: Callable[[str], str] = snowballstemmer.stemmer("english").stemWord


_STEMMER = _Stemmer()


@dataclass(frozen=True, slots=True)
class Word:
    """A word as written, at its span."""

    text: str
    span: Span


def fold(text: str) -> str:
    """Return ``text`` in the form for comparisons: NFKC, case-folded, with each run of white space as one space."""
    # ASCII text has only one normal form, and its lowercase form is the folded form.
    plain = text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()
    return " ".join(plain.split())


# Several judges split the sentences of an answer and its passages into words.
@lru_cache(maxsize=512)
def find_words(text: str) -> tuple[Word, ...]:
    """Find the words in ``text``, in order."""
    return tuple(Word(match.group(), Span(*match.span())) for match in _WORD.finditer(text))


def word_texts(text: str) -> list[str]:
    """Return the words in ``text`` as written, in order, without spans, which takes a tenth of the time."""
    return _WORD.findall(text)


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """Return the Porter2 stem of ``word``, folded; short forms (ext, max, temp) have the stem of the full word.

    A word with a digit or a sign is only folded.
    """
    folded = fold(word).replace("’", "'")
    folded = _SHORT_FORMS.get(folded, folded)
    return _STEMMER.stem(folded) if folded.isalpha() else folded


@lru_cache(maxsize=4_096)
def content_stems(text: str) -> tuple[str, ...]:
    """Return the stems of the words in ``text`` that are not stop words, in order, including repeats."""
    return tuple(stem(word) for word in word_texts(text) if fold(word) not in STOP_WORDS)


@lru_cache(maxsize=65_536)
def rarity(word: str) -> float:
    """Return how rare ``word`` is in English, from 0 (the) to 1 (never seen): 1 - Zipf frequency / 8.

    Source: wordfreq 3.1 (Speer 2022); the Zipf scale is the base-10 logarithm of occurrences per billion words.
    """
    return 1.0 - min(zipf_frequency(word, "en"), 8.0) / 8.0


# Words in questions that ask what a term means.
MEANING_STEMS = frozenset(
    stem(word)
    for word in """abbreviate abbreviated abbreviation abbreviations acronym acronyms call called define definition
    describe description exactly expand expanded expansion explain explanation form full gloss glossary jargon letters
    long mean meaning meanings means meant name named remind short spell spelled spelt stand stands term terms
    understand word words write written""".split()  # noqa: SIM905
)
