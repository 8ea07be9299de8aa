"""Matches the letters of abbreviations with phrases, and converts both to their dictionary form."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from contracts.text import Span
from tools.language import STOP_WORDS, fold, rarity

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*", re.UNICODE)
_SHORT_FORM = re.compile(r"[^\W_][\w/&.+-]{0,14}[\w#*+]|[^\W_]{2}")
_ARTICLES = frozenset({"the", "a", "an", "and", "or", "of", "for", "to", "in", "on", "with", "by", "at", "from", "as"})
_SOUNDS = {
    "x": ("ex", "cross", "trans", "extra"),
    "2": ("to", "two", "second"),
    "3": ("three", "third"),
    "4": ("for", "four"),
    "&": ("and",),
    "u": ("you",),
}
_INITIAL, _JOINED, _INNER, _WHOLE_NUMBER = 1.0, 0.75, 0.6, 1.0
_SKIPPED_WORD, _SKIPPED_ARTICLE = 0.35, 0.0
_NEVER = -99.0


@dataclass(frozen=True, slots=True)
class Definition:
    """A short form and its name as written, their position, a score, and the remaining text as a description."""

    short: str
    name: str
    place: int
    score: float
    description: str = ""


@dataclass(frozen=True, slots=True)
class LongForm:
    """The span of a phrase that a short form may stand for, and how well its letters fit, in [0, 1]."""

    span: Span
    fit: float


def is_short_form(text: str) -> bool:
    """Return whether ``text`` looks like an abbreviation: one word, at most 16 characters, with enough capitals."""
    if not _SHORT_FORM.fullmatch(text):
        return False
    letters = [character for character in text if character.isalpha()]
    capitals = sum(character.isupper() for character in letters)
    if len(letters) < 2 and not (letters and any(c.isdigit() for c in text) and letters[0].isupper()):
        return False
    return capitals >= 2 or (capitals == 1 and (not text[0].isupper() or any(c.isdigit() for c in text)))


def without_plural(short: str) -> str:
    """Return an abbreviation without the lowercase "s" of its plural."""
    return short[:-1] if len(short) > 2 and short.endswith("s") and short[-2].isupper() else short


def letters_of(short: str) -> str:
    """Return the letters and digits of ``short`` that must occur in its long form, without a plural "s"."""
    core = without_plural(short)
    return "".join(character.lower() for character in core if character.isalnum() or character == "&")


@lru_cache(maxsize=8192)
def _taken(letters: str, word: str) -> tuple[tuple[int, float], ...]:
    """Return the possible numbers of leading ``letters`` that ``word`` can provide, each with its score."""
    options: list[tuple[int, float]] = []
    first = letters[0]
    if word.isdigit():
        return ((len(word), _WHOLE_NUMBER * len(word)),) if letters.startswith(word) else ()
    sounds = next((sound for sound in _SOUNDS.get(first, ()) if word.startswith(sound)), "")
    if sounds:
        options.append((1, _INITIAL))
    if word[0] != first:
        return tuple(options)
    score, place, joined = _INITIAL, 0, True
    options.append((1, score))
    for count, letter in enumerate(letters[1:], 2):
        found = word.find(letter, place + 1)
        if found < 0:
            break
        joined = joined and found == place + 1
        score += _JOINED if joined else _INNER
        place = found
        options.append((count, score))
    return tuple(options)


def fit_letters(letters: str, words: Sequence[str]) -> float:
    """Return how well ``letters`` can be taken from ``words`` (folded) in order, the first from the first word; or 0.

    The score is 1 if each word provides one letter. Source: based on Schwartz and Hearst 2003, with scores for the
    position of a letter in its word and for words that contribute no letter; the weights are ours.
    """
    if not letters or not words:
        return 0.0
    count = len(letters)
    best = [_NEVER] * (count + 1)
    best[0] = 0.0
    for position, word in enumerate(words):
        following = [_NEVER] * (count + 1)
        skip = _SKIPPED_ARTICLE if word in _ARTICLES else _SKIPPED_WORD
        for done in range(count + 1):
            if best[done] == _NEVER:
                continue
            if position:
                following[done] = max(following[done], best[done] - skip)
            if done < count and (position or done == 0):
                for taken, score in _taken(letters[done:], word):
                    following[done + taken] = max(following[done + taken], best[done] + score)
        best = following
    return max(0.0, best[count] / count)


def find_long_form(short: str, text: str, limit: Span, *, ending: bool) -> LongForm | None:
    """Find the best long form of ``short`` at the end (if ``ending``) or start of ``limit``, a part of ``text``."""
    letters = letters_of(short)
    reach = 2 * len(letters) + 4
    words = [(match.group().lower(), Span(*match.span())) for match in _WORD.finditer(text, limit.start, limit.end)]
    words = words[-reach:] if ending else words[:reach]
    best: LongForm | None = None
    for count in range(1, len(words) + 1):
        run = words[-count:] if ending else words[:count]
        fit = fit_letters(letters, [word for word, _ in run])
        if ending and count > 1 and run[0][0] in _ARTICLES and run[0][0] in STOP_WORDS:
            fit -= 0.1
        if fit > 0.0 and (best is None or fit > best.fit + 1e-9):
            best = LongForm(Span(run[0][1].start, limit.end if ending else run[-1][1].end), fit)
    return best


_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]\.?")


def dictionary_form(term: str, name: str) -> tuple[str, str] | None:
    """Return term and name in the singular, without full stops in the abbreviation; None if the name adds nothing.

    A name adds nothing if it equals the term, is not longer than the letters of the term, or is itself a code.
    """
    name = " ".join(name.split())
    if fold(name) == fold(term) or len(name) <= len(letters_of(term)) or "_" in name:
        return None
    single = without_plural(term)
    # People type "L.O.C.K." as "LOCK".
    short = single.replace(".", "") if _DOTTED.fullmatch(single) else single
    return short, _singular_name(name) if single != term else name


def _singular_name(name: str) -> str:
    """Return a name in the singular: "media encryption keys (MEKs)" defines "media encryption key"."""
    if name.endswith("ies") and len(name) > 5:
        return name[:-3] + "y"
    if re.search(r"(?:[sxz]|[cs]h)es$", name):
        # For words such as "boxes" and "caches", the more frequent singular is chosen.
        last = name.split()[-1].casefold()
        return name[:-2] if rarity(last[:-2]) < rarity(last[:-1]) else name[:-1]
    return name[:-1] if name.endswith("s") and not name.endswith(("ss", "us", "is")) else name
