"""What counts as an ordinary word: the evidence against jargon."""

import re
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tools.language import STOP_WORDS, fold, rarity

# Zipf 4.0, 3.5 and 3.0 on the rarity scale: the shorter a string, the more often its count in running text is that of
# an abbreviation (dna, cpu, ssd) and not of a word.
_ORDINARY_RARITY = {3: 0.50, 4: 0.5625}
_ORDINARY_RARITY_LONG = 0.625

# Beginnings and ends that no English word has: what keeps "dna", "usb" and "rtfm" from passing as words.
_NO_VOWEL = re.compile(r"[^aeiouy]+\Z")
_ODD_START = re.compile(
    r"(?:[bcdfgjklmnpqrstvxz]{4}|d[bcdfglmnptz]|[fgv][bcdfgkmpstv]|[jlmrvxz][bcdfgklmnpqrstvxz]|n[bcdfglmpqrstvxz]|"
    r"b[bcdfgkmnpstvz]|p[bcdfgkmtvz]|t[bcdfgklmnptvz]|k[bcdfgkmpstvz]|c[bcdfgmpqstvx]|s[bdfgrvxz]|q[^u]|u[gk]\Z)"
)


@dataclass(frozen=True, slots=True)
class EverydayWords:
    """The word lists of ``everyday.toml``, folded."""

    abbreviations: frozenset[str]
    small_abbreviations: frozenset[str]
    stressed: frozenset[str]
    adverbs: frozenset[str]
    adjectives: frozenset[str]
    grammatical: frozenset[str]
    short_words: frozenset[str]
    dates: frozenset[str]
    units: frozenset[str]


@lru_cache(maxsize=1)
def everyday_words() -> EverydayWords:
    """Read the word lists once."""
    lists = tomllib.loads(Path(__file__).with_name("everyday.toml").read_text(encoding="utf-8"))
    words = {name: frozenset(text.split()) for name, text in lists.items()}
    return EverydayWords(
        abbreviations=words["abbreviations"],
        small_abbreviations=words["small_abbreviations"],
        stressed=words["stressed"] | words["adverbs"] | words["adjectives"],
        adverbs=words["adverbs"],
        adjectives=words["adjectives"],
        grammatical=words["grammatical"],
        short_words=words["short_words"],
        dates=words["months"] | words["weekdays"],
        units=words["units"],
    )


def looks_pronounceable(word: str) -> bool:
    """Say whether folded ``word`` could be an English word by its letters."""
    return not _NO_VOWEL.match(word) and not _ODD_START.match(word)


@lru_cache(maxsize=65_536)
def is_ordinary(word: str) -> bool:
    """Say whether ``word``, in any letter case, is an ordinary English word when written in lower case.

    Source: frequency by ``tools.language.rarity``; its counts do not tell "dna" from a word, so the letters decide too.
    """
    folded = fold(word).replace("’", "'")
    if folded in STOP_WORDS:
        return True
    plain = folded.replace("'", "")
    if not plain.isalpha():
        return False
    if len(plain) <= 2:
        return plain in everyday_words().short_words
    limit = _ORDINARY_RARITY.get(len(plain), _ORDINARY_RARITY_LONG)
    return rarity(folded) <= limit and (not plain.isascii() or looks_pronounceable(plain))
