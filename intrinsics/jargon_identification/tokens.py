"""Splits a question into tokens, describes their shapes, and decides which words are ordinary."""

import re
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from contracts.text import Span
from tools.language import STOP_WORDS, find_quantities, fold, rarity

# Zipf 4.0, 3.5 and 3.0 on the rarity scale: the shorter a string is, the more likely it is that its count in running
# text is that of an abbreviation (dna, cpu, ssd) and not of a word.
_ORDINARY_RARITY = {3: 0.50, 4: 0.5625}
_ORDINARY_RARITY_LONG = 0.625

# English words always have a vowel, so "rtfm" and "xml" do not count as words.
_NO_VOWEL = re.compile(r"[^aeiouy]+\Z")


@lru_cache(maxsize=16)
def everyday_words(kind: str) -> frozenset[str]:
    """Return one of the word lists in ``everyday.toml``, folded."""
    lists = tomllib.loads(Path(__file__).with_name("everyday.toml").read_text(encoding="utf-8"))
    return frozenset(lists[kind].split())


def looks_pronounceable(word: str) -> bool:
    """Return whether the letters of ``word`` (folded) could form an English word."""
    return not _NO_VOWEL.match(word)


@lru_cache(maxsize=65_536)
def is_ordinary(word: str) -> bool:
    """Return whether ``word``, in any letter case, is an ordinary English word when written in lowercase.

    Source: frequencies from ``tools.language.rarity``; they cannot distinguish "dna" from a word, so letters count too.
    """
    folded = fold(word).replace("’", "'")
    if folded in STOP_WORDS:
        return True
    plain = folded.replace("'", "")
    if not plain.isalpha():
        return False
    if len(plain) <= 2:
        return plain in everyday_words("short_words")
    limit = _ORDINARY_RARITY.get(len(plain), _ORDINARY_RARITY_LONG)
    return rarity(folded) <= limit and (not plain.isascii() or looks_pronounceable(plain))


_MARKS = "\u0300-\u036f"
_TOKEN = re.compile(
    # D.L.L. and U.S.
    r"(?<![\w.])(?:[^\W\d_]\.){2,}[^\W\d_]?(?!\w)"
    # 2.5D, 802.11ax
    r"|(?<![\w.])\d+\.\d+[^\W\d_]\w*"
    # R&D, ED&I
    r"|(?<!\w)[^\W\d_a-z]{1,4}(?:&[^\W\d_a-z]{1,4})+(?:['’]?s)?(?![^\W_])"
    # words, codes and signals: place_pin, VCCQ, WE#, DLL's
    rf"|_?[^\W_](?:\w|[{_MARKS}])*(?:['’](?:\w|[{_MARKS}])+)?(?:[#*]|\+\+)?"
)
_BLIND = re.compile(
    r"(?:https?|ftp)://\S+|www\.\S+"  # addresses
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]+\.[\w.-]+"  # mail
    r"|(?<![\w/\\])(?:[\w.-]{1,80}[/\\]){1,20}[\w-]{1,80}\.[a-z]{2,4}\b|\b[\w-]{1,80}\.(?:pdf|docx?|xlsx?|pptx?|md|txt|csv|html?|png|jpe?g|py|json|ya?ml)\b",
    re.IGNORECASE,
)
# 8 pm, 10:30 a.m.: never terms, and not picometres.
_TIME_OF_DAY = re.compile(r"(?<![\w.])(?:1[0-2]|0?[1-9])(?:[:.][0-5]\d)?\s?(?:[ap]m\b|[ap]\.m\.)", re.IGNORECASE)
_HEX = re.compile(r"(?:0x[0-9A-Fa-f]+|[0-9][0-9A-Fa-f]*h|[A-Fa-f][0-9A-Fa-f]*[0-9][0-9A-Fa-f]*h)\Z")
_ALPHANUMERIC = re.compile(r"(?P<number>\d+(?:\.\d+)?)(?P<rest>[^\W\d_]{2,}[\w#]*)\Z")
_ROMAN = re.compile(r"(?=[IVX]{2,})X{0,3}(?:IX|IV|V?I{0,3})\Z")
_ORDINAL = re.compile(r"\d+(?:\.\d+)?(?:st|nd|rd|th|s|x|k|m|K|M)\Z")
_NAME = re.compile(r"(?:Mc|Mac|Di|De|Du|La|Le|Van|O['’])[A-Z][a-z]+\Z")
# The maximum number of letters that standards add to a number: 802.11ax, 802.3cd.
_SHORT_ENDING = 3
_CITATION = re.compile(r"[A-Za-z]?[a-z]+(?:19|20)\d\d[a-zA-Z]*\Z")
_VERSION = re.compile(r"[vV]\d+\Z")


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a question: ``text`` as written at ``span``, and ``bare`` without its possessive ending and dots.

    ``blind`` pieces (addresses, file names, quantities with units) are never unknown jargon.
    """

    text: str
    span: Span
    bare: str
    blind: bool = False

    @property
    def letters(self) -> str:
        return "".join(character for character in self.bare if character.isalpha())

    @property
    def capitals(self) -> bool:
        """Whether the token has two or more letters, all of them capitals (except a plural "s" at the end)."""
        letters = self.letters
        core = letters[:-1] if len(letters) > 2 and letters.endswith("s") else letters
        return len(core) >= 2 and core.isupper()

    @property
    def singular(self) -> str:
        """The token without a lowercase plural "s" after capitals."""
        return self.bare[:-1] if self.capitals and self.bare.endswith("s") else self.bare

    @property
    def mixed(self) -> bool:
        """Whether the token has capitals after its first letter, and also lowercase letters: tCKE, OpenROAD."""
        letters = self.letters
        inner = letters[1:]
        return not self.capitals and any(c.isupper() for c in inner) and any(c.islower() for c in letters)

    @property
    def roman(self) -> bool:
        """Whether the token is a small Roman numeral of two or more letters."""
        return bool(_ROMAN.match(self.bare))

    @property
    def end(self) -> int:
        """The end of the token in the question, without a possessive ending."""
        return self.span.start + len(self.bare) if self.text.startswith(self.bare) else self.span.end

    @property
    def plain_number(self) -> bool:
        """Whether the token is a number, ordinal, hexadecimal byte, version or a name with a year (smith2019)."""
        return bool(
            not any(c.isalpha() for c in self.bare)
            or _HEX.match(self.bare)
            or _ORDINAL.match(self.bare)
            or _VERSION.match(self.bare)
            or _CITATION.match(self.bare)
        )

    @property
    def surname(self) -> bool:
        """Whether the token has the capitals of a surname such as McDonald."""
        return bool(_NAME.match(self.bare))


def _bare(text: str) -> str:
    stripped = re.sub(r"['’][sS]?\Z", "", text)
    stripped = re.sub(r"(?<=\w)['’]\w+\Z", "", stripped) if re.search(r"['’](?:s|d|ll|re|ve)\Z", text) else stripped
    if re.fullmatch(r"(?:[^\W\d_]\.)+[^\W\d_]?", stripped):
        stripped = stripped.replace(".", "")
    return stripped


def _make(text: str, start: int, blind: bool) -> Token:
    return Token(text, Span(start, start + len(text)), _bare(text), blind)


@dataclass(frozen=True, slots=True)
class AlphanumericToken:
    """A number with letters attached to it, which is a code (3GPP) or an amount (40MI)."""

    text: str
    number: str
    rest: str

    @property
    def code_by_shape(self) -> bool:
        """Whether this looks like a code: a digit before capitals, digits between letters, or a form like 802.11ax."""
        if any(character.isdigit() for character in self.rest):
            return True
        if self.rest.islower():
            return "." in self.number and len(self.rest) <= _SHORT_ENDING and self.rest not in everyday_words("units")
        return self.rest[:1].isupper() and len(self.number) == 1 and self.number != "0"


def read_alphanumeric(text: str) -> AlphanumericToken | None:
    """Return the parts of ``text`` if it is a number with two or more letters attached to it, otherwise None."""
    bare = _bare(text)
    match = _ALPHANUMERIC.match(bare)
    if not match or _ORDINAL.match(bare) or _HEX.match(bare) or not text.startswith(bare):
        return None
    return AlphanumericToken(bare, match.group("number"), match.group("rest"))


def read_tokens(
    question: str, *, whole: Callable[[AlphanumericToken], bool] = lambda mixed: mixed.code_by_shape
) -> tuple[Token, ...]:
    """Split ``question`` into tokens, in order, and split numbers from letters attached to them ("40MI", not "40MB").

    Times of day ("8 pm") are left out. ``whole`` decides which numbers with letters are codes and are not split (by
    default: by their shape).
    """
    blind = [(match.start(), match.end()) for match in _BLIND.finditer(question)]
    blind += [(q.span.start, q.span.end) for q in find_quantities(question) if q.unit]
    times = [match.span() for match in _TIME_OF_DAY.finditer(question)]
    tokens: list[Token] = []
    for match in _TOKEN.finditer(question):
        text, start = match.group(), match.start()
        if any(low <= start < high for low, high in times):
            continue
        hidden = any(low <= start and match.end() <= high for low, high in blind)
        mixed = None if hidden or not text[0].isdigit() else read_alphanumeric(text)
        if mixed and not whole(mixed):
            tokens.append(_make(mixed.number, start, False))
            tokens.append(_make(text[len(mixed.number) :], start + len(mixed.number), False))
        else:
            tokens.append(_make(text, start, hidden))
    return tuple(tokens)
