"""Normalised forms for comparing terms and names."""

import re
import unicodedata
from collections.abc import Iterable

from contracts.jargon import Sense
from database.text import storable, unified

# The plural of an abbreviation has a lowercase s after a capital or digit: "ECCs", "SSD's". "ECS" is not a plural.
_ABBREVIATION_PLURAL = re.compile(r"(?<=[A-Z0-9#])['’]?s$")
_JOINTS = re.compile(r"[\s\-‐‑‒–—−_/]+")
# XML, and therefore XLSX, cannot contain these characters; the second set is white space.
_UNWRITABLE = re.compile("[\x00-\x08\x0e-\x1b\ufffe\uffff]")
_ODD_SPACE = re.compile("[\x0b\x0c\x1c-\x1f]")
# Invisible characters: soft hyphen, zero-width space, word joiner, byte order mark, and marks for right-to-left text.
# Zero-width joiners shape letters in some scripts: they are stored, but not compared.
_UNSEEN = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_NOTHING_BY_ITSELF = {"Cc", "Cf", "Mn", "Mc", "Me", "Zs", "Zl", "Zp"}
_JOINERS = re.compile("[\u200c\u200d]")


def legible(text: str) -> str:
    """Return ``text`` with only those characters that all databases and spreadsheets accept.

    Line ends become line feeds, white-space controls become spaces, and other invalid characters become U+FFFD.
    """
    lines = storable(text).replace("\r\n", "\n").replace("\r", "\n")
    return _ODD_SPACE.sub(" ", _UNWRITABLE.sub("\ufffd", lines))


def one_line(text: str) -> str:
    """Return ``text`` as a name: storable, on one line, without invisible characters."""
    return " ".join(_UNSEEN.sub("", legible(text)).split())


def fold(text: str) -> str:
    """Return ``text`` in NFKC, case-folded, on one line, without invisible characters; all databases can store it."""
    return " ".join(_JOINERS.sub("", unified(one_line(text))).casefold().split())


def is_visible(text: str) -> bool:
    """Return whether ``text`` has a visible character; accents and control characters alone are not visible."""
    return any(unicodedata.category(character) not in _NOTHING_BY_ITSELF for character in fold(text))


def loose_term(term: str) -> str:
    """Return the form for comparing mined terms: folded, without plural endings, hyphens or spaces."""
    tidy = " ".join(term.split())
    shortened = _ABBREVIATION_PLURAL.sub("", tidy)
    return loose_name(tidy) if shortened == tidy and tidy.islower() else _joined(fold(shortened).split())


def loose_name(name: str) -> str:
    """Return the form for comparing mined extended names: folded, singular, without hyphens or spaces."""
    return _joined([_singular(word) for word in _JOINTS.split(fold(name)) if word])


def closest_first(term: str, found: Iterable[Sense]) -> list[Sense]:
    """Sort the senses found for ``term``: exact spellings first (MB before Mb), then the term itself, then aliases."""
    asked = " ".join(term.split())

    def distance(sense: Sense) -> tuple[object, ...]:
        exact = asked in (sense.term, *sense.aliases)
        own = fold(sense.term) == fold(asked)
        return (not exact, not own, fold(sense.term), fold(sense.context), fold(sense.extended_name))

    return sorted(found, key=distance)


def _joined(words: list[str]) -> str:
    return _JOINTS.sub("", "".join(words))


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]
