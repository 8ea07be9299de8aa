"""An index of the dictionary's spellings, for finding them in a question."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract_iter

from contracts.text import Span
from intrinsics.jargon_identification.tokens import Token, read_tokens
from tools.language import fold

_JOINT = re.compile(r"[\s\-\u2010-\u2015_]+")
_PIECE = re.compile(r"[ /&+.:]+")
_LONGEST_TERM = 12
# One token, or several joined by single separators, whose letters only need to be converted to lowercase.
_PLAIN = re.compile(r"[A-Za-z0-9]+(?:[ _-][A-Za-z0-9]+){0,11}")
# In shorter words, changing a letter usually makes a different abbreviation.
_LONG_WORD = 7


def _allowed_edits(length: int) -> int:
    """Return how many characters may be wrong in a word of ``length`` characters."""
    if length < 8:
        return 1
    return 2 if length <= 14 else 3


def _signs(word: str) -> list[str]:
    """Return the digits and signs in ``word``, which must be equal: "DDR3" is not a misspelt "DDR4"."""
    return [character for character in word if not character.isalpha()]


def key_of(tokens: Sequence[Token], text: str) -> str:
    """Return a run of tokens in ``text`` in the form of the index keys: folded, with hyphens replaced by spaces."""
    parts = [_JOINT.sub(" ", fold(tokens[0].bare))]
    for before, token in pairwise(tokens):
        gap = _JOINT.sub("", text[before.span.end : token.span.start])
        parts += [gap or " ", _JOINT.sub(" ", fold(token.bare))]
    return "".join(parts)


def singular(key: str, *, capitals: bool) -> str | None:
    """Return ``key`` without the plural ending of its last word; None if there is no such ending.

    If ``capitals`` is true (the word was typed in capitals, as in "DQS"), its s does not mark a plural.
    """
    if capitals or not key.endswith("s") or len(key) < 3 or key.endswith(("ss", "us", "is")):
        return None
    if key.endswith("ies") and len(key) > 5:
        return key[:-3] + "y"
    if key.endswith(("sses", "xes", "ches", "shes", "zes")):
        return key[:-2]
    return key[:-1]


def _key_of_spelling(spelling: str) -> tuple[str, bool]:
    """Return the key of ``spelling`` ("" if it contains no token), and whether its last token is in capitals."""
    if _PLAIN.fullmatch(spelling):
        # Most spellings take this path, which is ten times as fast.
        key = _JOINT.sub(" ", spelling.lower())
        last = re.split("[ -]", spelling)[-1]
        return key, " " in key and Token(last, Span(0, len(last)), last).capitals
    tokens = read_tokens(spelling, whole=lambda _: True)[:_LONGEST_TERM]
    return (key_of(tokens, spelling), tokens[-1].capitals) if tokens else ("", False)


class SpellingIndex:
    """Finds spellings by key, and spellings that are similar to a typed word."""

    def __init__(self, terms: Mapping[str, tuple[str, ...]]) -> None:
        self._terms = terms
        self._by_key: dict[str, tuple[str, ...]] = {}
        self._squashed: dict[str, str] = {}
        self._longest: dict[str, int] = {}
        # The words that a misspelt word is compared with.
        self._words = list(dict.fromkeys(word for spelling in terms for word in self._add(spelling)))

    def _add(self, spelling: str) -> Iterable[str]:
        """Store the keys of ``spelling``; return its word if it has only one: misspelt words are compared with it."""
        key, capitals = _key_of_spelling(spelling)
        if not key:
            return ()
        plural = singular(key, capitals=capitals) if " " in key else None
        for each in (key, plural) if plural else (key,):
            if spelling not in self._by_key.get(each, ()):
                self._by_key[each] = (*self._by_key.get(each, ()), spelling)
        pieces = _PIECE.split(key)
        self._longest[pieces[0]] = max(self._longest.get(pieces[0], 0), len(pieces))
        if len(pieces) > 1 and len(key) > 5:
            self._squashed.setdefault(key.replace(" ", ""), key)
        return () if len(pieces) > 1 else pieces

    def term_of(self, spelling: str) -> str:
        """Return the term that ``spelling`` stands for, or the spelling itself if it stands for several terms."""
        terms = self._terms.get(spelling, (spelling,))
        return terms[0] if len(terms) == 1 else spelling

    def begins(self, word: str) -> bool:
        """Return whether any spelling begins with ``word`` (folded), or with its singular."""
        return word in self._longest or singular(word, capitals=False) in self._longest

    def reach(self, token: Token) -> int:
        """Return the number of pieces in the longest spelling that begins like ``token``; 0 if there is none."""
        first = _PIECE.split(_JOINT.sub(" ", fold(token.bare)))[0]
        known = self._longest.get(first, 0)
        if known:
            return known
        # A plural, a term with a placeholder letter (CEn), or a term of several words written as one word.
        return 1 if first[:-1] in self._longest or first in self._squashed or singular(first, capitals=False) else 0

    def find(self, key: str, *, capitals: bool) -> tuple[str, ...]:
        """Return the spellings for ``key``, for its singular, or for the term that it writes as one word."""
        if found := self._by_key.get(key):
            return found
        bare = singular(key, capitals=capitals)
        if bare and (found := self._by_key.get(bare)):
            return found
        return self._by_key.get(self._squashed.get(key, ""), ())

    def near(self, word: str) -> str | None:
        """Return the one-word spelling that ``word`` (folded) misspells; None if several are equally similar.

        In short words, the only allowed errors are swapped, doubled or undoubled letters.
        """
        if len(word) < 4:
            return None
        # Scanning 100,000 words takes about ten milliseconds.
        walk = extract_iter(word, self._words, scorer=OSA.distance, score_cutoff=_allowed_edits(len(word)))
        found = [
            (edits, spelling)
            for spelling, edits, _ in walk
            # Errors in the first letter are rare (Yannakoudakis and Fawthrop 1983, "The rules of spelling errors").
            if edits and _signs(word) == _signs(spelling) and word[0] in spelling[:2]
            if len(word) >= _LONG_WORD or set(word) == set(spelling)
        ]
        fewest = min((edits for edits, _ in found), default=0)
        nearest = [spelling for edits, spelling in found if edits == fewest]
        return nearest[0] if len(nearest) == 1 else None
