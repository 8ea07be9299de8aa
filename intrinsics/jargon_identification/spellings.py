"""The dictionary's spellings, laid out for finding them in a question."""

import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import OSA

from contracts.text import Span
from intrinsics.jargon_identification.distance import (
    allowed_cost,
    allowed_edits,
    first_letter_cost,
    least_change,
    typing_cost,
    typing_errors,
)
from intrinsics.jargon_identification.letters import LetterIndex
from intrinsics.jargon_identification.tokens import Glued, Token, read_tokens
from tools.language import fold

_JOINT = re.compile(r"[\s\-\u2010-\u2015_]+")
_PIECE = re.compile(r"[ /&+.:]+")
_LONGEST_TERM = 12
# One token, or several with single joints, of letters that compare as they are written.
_PLAIN = re.compile(r"[A-Za-z0-9]+(?:[ _-][A-Za-z0-9]+){0,11}")
_FEW_CHANGES = 500
# A near spelling is believed where fewer than this many would lie as near by chance: odds of three to one.
_MOST_BY_CHANCE = 0.33


@dataclass(frozen=True, slots=True)
class Near:
    """A spelling near to a typed word, with the cost of the errors between them."""

    spelling: str
    cost: float


def _gap(text: str) -> str:
    """Return what joins two tokens: a space for white space and hyphens, else the signs themselves."""
    return _JOINT.sub("", text) or " "


def key_of(tokens: Sequence[Token], text: str) -> str:
    """Return the form in which a run of tokens of ``text`` compares with spellings: folded, hyphens as spaces."""
    parts = [_JOINT.sub(" ", fold(tokens[0].bare))]
    for before, token in pairwise(tokens):
        parts += [_gap(text[before.span.end : token.span.start]), _JOINT.sub(" ", fold(token.bare))]
    return "".join(parts)


def _always(glued: Glued) -> bool:
    return True


def singular(key: str, *, capitals: bool) -> str | None:
    """Return ``key`` without the plural ending of its last word, or None where it has none.

    With ``capitals`` (the plural's letters as typed are capitals, "DQS") an s is no plural mark.
    """
    if capitals or not key.endswith("s") or len(key) < 3 or key.endswith(("ss", "us", "is")):
        return None
    if key.endswith("ies") and len(key) > 5:
        return key[:-3] + "y"
    if key.endswith(("sses", "xes", "ches", "shes", "zes")):
        return key[:-2]
    return key[:-1]


def _key_of_spelling(spelling: str) -> tuple[str, bool]:
    """Return the key of ``spelling`` ("" where it holds no token), and whether its last token is in capitals."""
    if _PLAIN.fullmatch(spelling):
        # Most of a dictionary: cut as below, in a tenth of the time.
        key = _JOINT.sub(" ", spelling.lower())
        return key, " " in key and _in_capitals(re.split("[ -]", spelling)[-1])
    tokens = read_tokens(spelling, whole=_always)[:_LONGEST_TERM]
    return (key_of(tokens, spelling), tokens[-1].capitals) if tokens else ("", False)


def _in_capitals(text: str) -> bool:
    return Token(text, Span(0, len(text)), text).capitals


def _keys(key: str, capitals: bool) -> list[str]:
    """Return ``key`` and, of several words, its singular."""
    plural = singular(key, capitals=capitals) if " " in key else None
    return [each for each in (key, plural) if each]


def _words_of(key: str) -> Iterable[str]:
    """Return the words of ``key`` that are compared with misspelt ones: itself, or the long ones of several."""
    pieces = _PIECE.split(key) if _PIECE.search(key) else [key]
    if len(pieces) == 1:
        return pieces
    return [piece for piece in pieces if len(piece) > 5] if all(piece.isalpha() for piece in pieces) else ()


class SpellingIndex:
    """Finds spellings by key, the longest first, and spellings near to a typed word.

    Memory is about one dictionary entry a spelling; a hundred thousand of them take less than 100 MB.
    """

    def __init__(self, terms: Mapping[str, tuple[str, ...]]) -> None:
        self._terms = terms
        self._by_key: dict[str, tuple[str, ...]] = {}
        self._squashed: dict[str, str] = {}
        self._longest: dict[str, int] = {}
        uses: dict[str, int] = {}
        for spelling in terms:
            for word in self._add(spelling):
                uses[word] = uses.get(word, 0) + 1
        self._words = tuple(uses)
        self._uses: NDArray[np.int32] = np.fromiter(uses.values(), dtype=np.int32, count=len(uses))
        self._set_letters(LetterIndex(self._words))

    def updated(self, terms: Mapping[str, tuple[str, ...]], changed: Collection[str] | None = None) -> "SpellingIndex":
        """Return an index of ``terms``, in a fraction of the time where few changed; this one stays as it is.

        ``changed`` are all spellings that may have come or gone; None: they are sought.
        """
        texts = {*terms, *self._terms} if changed is None else changed
        added = [spelling for spelling in texts if spelling in terms and spelling not in self._terms]
        gone = [spelling for spelling in texts if spelling in self._terms and spelling not in terms]
        if len(added) + len(gone) > _FEW_CHANGES:
            return SpellingIndex(terms)
        index = copy(self)
        index._terms = terms
        if added or gone:
            index._by_key = dict(self._by_key)
            index._squashed, index._longest = dict(self._squashed), dict(self._longest)
            uses: Counter[str] = Counter()
            for spelling in gone:
                uses.subtract(index._remove(spelling))
            for spelling in added:
                uses.update(index._add(spelling))
            index._count(uses)
        return index

    def _count(self, uses: Mapping[str, int]) -> None:
        """Add ``uses`` to those of the words. A word without uses keeps its place, and is near to nothing."""
        fresh: dict[str, int] = {}
        self._uses = self._uses.copy()
        for word, count in uses.items():
            places = [place for place in self._letters.within(word, 0) if self._words[place] == word]
            if places:
                self._uses[places[0]] += count
            else:
                fresh[word] = count
        if fresh:
            self._words = (*self._words, *fresh)
            self._uses = np.concatenate((self._uses, np.fromiter(fresh.values(), dtype=np.int32, count=len(fresh))))
            self._set_letters(self._letters.extended(tuple(fresh)))

    def _set_letters(self, letters: LetterIndex) -> None:
        self._letters = letters
        self._of_length = np.bincount(letters.lengths, minlength=1)

    def _remove(self, spelling: str) -> Iterable[str]:
        """Forget the keys of ``spelling``, and return its words."""
        key, capitals = _key_of_spelling(spelling)
        for each in _keys(key, capitals):
            left = tuple(other for other in self._by_key.get(each, ()) if other != spelling)
            if left:
                self._by_key[each] = left
            else:
                self._by_key.pop(each, None)
        return _words_of(key)

    def _add(self, spelling: str) -> Iterable[str]:
        """Take the keys of ``spelling`` in, and return its words: those that a misspelt word may be meant to be."""
        key, capitals = _key_of_spelling(spelling)
        if not key:
            return ()
        for each in _keys(key, capitals):
            if spelling not in self._by_key.get(each, ()):
                self._by_key[each] = (*self._by_key.get(each, ()), spelling)
        pieces = _PIECE.split(key) if _PIECE.search(key) else [key]
        self._longest[pieces[0]] = max(self._longest.get(pieces[0], 0), len(pieces))
        if len(pieces) > 1 and len(key) > 5:
            self._squashed.setdefault(key.replace(" ", ""), key)
        return _words_of(key)

    def term_of(self, spelling: str) -> str:
        """Return the one term that ``spelling`` stands for, or the spelling itself where it stands for several."""
        terms = self._terms.get(spelling, (spelling,))
        return terms[0] if len(terms) == 1 else spelling

    def begins(self, word: str) -> bool:
        """Say whether a spelling begins with folded ``word``, or with its singular."""
        return word in self._longest or singular(word, capitals=False) in self._longest

    def reach(self, token: Token) -> int:
        """Return how many pieces the longest spelling has that begins like ``token``; 0 where none does."""
        first = _PIECE.split(_JOINT.sub(" ", fold(token.bare)))[0]
        known = self._longest.get(first, 0)
        if known:
            return known
        # A plural, a placeholder's letter (CEn), or a term of several words written in one.
        return 1 if first[:-1] in self._longest or first in self._squashed or singular(first, capitals=False) else 0

    def find(self, key: str, *, capitals: bool) -> tuple[str, ...]:
        """Return the spellings of ``key``: as it is, its singular, or written in one word."""
        if found := self._by_key.get(key):
            return found
        bare = singular(key, capitals=capitals)
        if bare and (found := self._by_key.get(bare)):
            return found
        return self._by_key.get(self._squashed.get(key, ""), ())

    def by_chance(self, spelling: str, ways: float) -> bool:
        """Say whether so many spellings are as long as ``spelling`` that any word has one within ``ways`` errors.

        Where the dictionary holds a good share of all words of that length, being near to one is no sign of an error.
        """
        expected = ways * float(self._of_length[len(spelling)])
        return expected > _MOST_BY_CHANCE * self._letters.alphabet ** len(spelling)

    def _no_slip(self, word: str, spelling: str) -> bool:
        """Say whether a letter of ``word`` was changed for a new one where that is too much, or would be by chance."""
        if set(word) == set(spelling):
            return False
        cost, ways = least_change(len(word))
        return cost > allowed_cost(len(word)) or self.by_chance(spelling, ways)

    def near(self, word: str) -> tuple[Near, ...]:
        """Return words of spellings that folded ``word`` may be a misspelling of, nearest first."""
        if len(word) < 4 or not self._words:
            return ()
        limit = allowed_edits(len(word))
        found = []
        for index in self._letters.within(word, limit):
            spelling = self._words[int(index)]
            if not self._uses[index] or OSA.distance(word, spelling, score_cutoff=limit) > limit:
                continue
            if len(word) == len(spelling) and self._no_slip(word, spelling):
                continue
            cost = typing_cost(word, spelling)
            if cost == 0.0:
                continue
            cost += first_letter_cost(word, spelling)
            ways = typing_errors(len(word), len(spelling), cost, self._letters.alphabet)
            if cost <= allowed_cost(max(len(word), len(spelling))) and not self.by_chance(spelling, ways):
                found.append(Near(spelling, cost))
        return tuple(sorted(found, key=lambda near: (near.cost, near.spelling)))
