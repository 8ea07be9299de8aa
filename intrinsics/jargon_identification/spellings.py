"""The dictionary's spellings, laid out for finding them in a question."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from rapidfuzz.distance import OSA

from intrinsics.jargon_identification.distance import (
    allowed_cost,
    allowed_edits,
    first_letter_cost,
    least_change,
    typing_cost,
    typing_errors,
)
from intrinsics.jargon_identification.tokens import Glued, Token, read_tokens
from tools.language import fold
from tools.language.letters import LetterIndex

_JOINT = re.compile(r"[\s\-\u2010-\u2015_]+")
_PIECE = re.compile(r"[ /&+.:]+")
_LONGEST_TERM = 12
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


def _tokens_of(spelling: str) -> tuple[Token, ...]:
    """Cut a spelling into tokens; what is glued together in it is a code."""
    return read_tokens(spelling, whole=_always)[:_LONGEST_TERM]


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


class SpellingIndex:
    """Finds spellings by key, the longest first, and spellings near to a typed word.

    Memory is about one dictionary entry a spelling; a hundred thousand of them take less than 100 MB.
    """

    def __init__(self, terms: Mapping[str, tuple[str, ...]]) -> None:
        self._terms = terms
        self._by_key: dict[str, tuple[str, ...]] = {}
        self._squashed: dict[str, str] = {}
        self._longest: dict[str, int] = {}
        single: dict[str, None] = {}
        for spelling in terms:
            self._add(spelling, single)
        self._set_words(tuple(single))

    def updated(self, terms: Mapping[str, tuple[str, ...]]) -> "SpellingIndex":
        """Return an index of ``terms``, in a fraction of the time where few changed; this one stays as it is."""
        added = [spelling for spelling in terms if spelling not in self._terms]
        gone = [spelling for spelling in self._terms if spelling not in terms]
        if len(added) + len(gone) > _FEW_CHANGES:
            return SpellingIndex(terms)
        index = SpellingIndex({})
        index._terms = terms
        index._squashed, index._longest = dict(self._squashed), dict(self._longest)
        index._by_key = dict(self._by_key)
        for spelling in gone:
            index._remove(spelling)
        single: dict[str, None] = {}
        for spelling in added:
            index._add(spelling, single)
        known = set(self._words)
        index._set_words((*self._words, *(word for word in single if word not in known)))
        return index

    def _set_words(self, words: tuple[str, ...]) -> None:
        self._words = words
        self._letters = LetterIndex(words)
        self._of_length = np.bincount(self._letters.lengths, minlength=1)

    def _remove(self, spelling: str) -> None:
        """Forget ``spelling``'s keys; its words stay, and lead to nothing."""
        tokens = _tokens_of(spelling)
        key = key_of(tokens, spelling) if tokens else ""
        for each in (key, singular(key, capitals=False)):
            if each and spelling in self._by_key.get(each, ()):
                left = tuple(other for other in self._by_key[each] if other != spelling)
                if left:
                    self._by_key[each] = left
                else:
                    del self._by_key[each]

    def _add(self, spelling: str, single: dict[str, None]) -> None:
        tokens = _tokens_of(spelling)
        if not tokens:
            return
        key = key_of(tokens, spelling)
        plural = singular(key, capitals=tokens[-1].capitals) if " " in key else None
        for each in (key, plural):
            if each and spelling not in self._by_key.get(each, ()):
                self._by_key[each] = (*self._by_key.get(each, ()), spelling)
        pieces = _PIECE.split(key)
        self._longest[pieces[0]] = max(self._longest.get(pieces[0], 0), len(pieces))
        if len(pieces) == 1:
            single[key] = None
        elif len(key) > 5:
            self._squashed.setdefault(key.replace(" ", ""), key)
            if all(piece.isalpha() for piece in pieces):
                single.update((piece, None) for piece in pieces if len(piece) > 5)

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
            if OSA.distance(word, spelling, score_cutoff=limit) > limit:
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
