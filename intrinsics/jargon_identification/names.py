"""Extended names in a question: "final test" means FT as much as FT does."""

import re
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from contracts.text import Span
from intrinsics.jargon_identification.words import is_ordinary
from tools.language import STOP_WORDS, find_words, fold, stem

# Words that blanks alone part, as most names are: cut faster so.
_PLAIN = re.compile(r"[A-Za-z ]*")
_BRACKETED = re.compile(r"\([^()]*\)")
_JOINT = re.compile(r"[\s\-\u2010-\u2015/]{1,3}")
_LONGEST_NAME = 12
_FEW_CHANGES = 500
# The next number is one, too.
_LARGEST_KEY = (1 << 62) - 1
_SHORTEST_WORD = 6


@dataclass(frozen=True, slots=True)
class Named:
    """An extended name at ``span`` of a question, with the terms that are short for it."""

    span: Span
    terms: tuple[str, ...]


class NameIndex:
    """Finds extended names in a question by the stems of their words.

    A name of one word counts where that word is no ordinary one; one of several where two of them say something.
    Memory is 20 bytes a name.
    """

    def __init__(self, names: Mapping[str, tuple[str, ...]]) -> None:
        self._terms = names
        self._names: tuple[str, ...] = tuple(names)
        self._longest: dict[str, int] = {}
        keys = np.fromiter(map(self._add, self._names), dtype=np.int64, count=len(self._names))
        self._order: NDArray[np.int32] = np.argsort(keys, kind="stable").astype(np.int32)
        self._keys: NDArray[np.int64] = keys[self._order]

    def updated(self, names: Mapping[str, tuple[str, ...]], changed: Collection[str] | None = None) -> "NameIndex":
        """Return an index of ``names``, in a fraction of the time where few changed; this one stays as it is.

        ``changed`` are all names that may have come or gone; None: they are sought. A name that went keeps its place,
        and stands for nothing.
        """
        texts = names if changed is None else changed
        added = [name for name in texts if name in names and name not in self._terms]
        if len(added) > _FEW_CHANGES:
            return NameIndex(names)
        index = copy(self)
        index._terms = names
        index._longest = dict(self._longest)
        fresh = sorted((key, name) for name in added if (key := index._add(name)) and not self._has(key, name))
        if fresh:
            keys = np.array([key for key, _ in fresh], dtype=np.int64)
            places = np.searchsorted(self._keys, keys)
            index._order = np.insert(
                self._order, places, np.arange(len(self._names), len(self._names) + len(fresh), dtype=np.int32)
            )
            index._keys = np.insert(self._keys, places, keys)
            index._names = (*self._names, *(name for _, name in fresh))
        return index

    def _has(self, key: int, name: str) -> bool:
        return any(self._names[place] == name for place in self._places(key))

    def _places(self, key: int) -> NDArray[np.int32]:
        """Return the places of the names of ``key``."""
        first, end = np.searchsorted(self._keys, (key, key + 1))
        return self._order[first:end]

    def _add(self, name: str) -> int:
        """Return the key of ``name``, 0 for one that says too little to be found."""
        words, stems = _words_and_stems(name)
        if not _telling(words, stems):
            return 0
        if len(stems) > self._longest.get(stems[0], 0):
            self._longest[stems[0]] = len(stems)
        return _key_of(stems)

    def find(self, question: str) -> list[Named]:
        """Find the names in ``question``, the longest first, in order and not overlapping."""
        words = find_words(question)
        stems = [stem(word.text) for word in words]
        found: list[Named] = []
        start = 0
        while start < len(words):
            reach = min(self._longest.get(stems[start], 0), len(words) - start)
            joined = 1
            while joined < reach and _JOINT.fullmatch(
                question[words[start + joined - 1].span.end : words[start + joined].span.start]
            ):
                joined += 1
            for length in range(min(joined, reach), 0, -1):
                if terms := self._terms_of(tuple(stems[start : start + length])):
                    span = Span(words[start].span.start, words[start + length - 1].span.end)
                    found.append(Named(span, terms))
                    start += length - 1
                    break
            start += 1
        return found

    def _terms_of(self, stems: tuple[str, ...]) -> tuple[str, ...]:
        terms: dict[str, None] = {}
        for place in self._places(_key_of(stems)):
            name = self._names[place]
            # Two names of one key need not be the same.
            if _words_and_stems(name)[1] == stems:
                terms.update(dict.fromkeys(self._terms.get(name, ())))
        return tuple(terms)


def _key_of(stems: tuple[str, ...]) -> int:
    """Return a positive number for ``stems``, the same for the same."""
    return (hash(stems) & _LARGEST_KEY) or 1


def _words_and_stems(name: str) -> tuple[list[str], tuple[str, ...]]:
    """Return the words of ``name`` and their stems, what stands in brackets left out."""
    text = _BRACKETED.sub(" ", name) if "(" in name else name
    words = text.split() if _PLAIN.fullmatch(text) else [word.text for word in find_words(text)]
    return words, tuple(map(stem, words))


def _telling(words: Sequence[str], stems: Sequence[str]) -> bool:
    """Say whether a name can be meant wherever its words stand: no single everyday word, no word of grammar alone."""
    if len(stems) == 1:
        return len(stems[0]) >= _SHORTEST_WORD and not is_ordinary(words[0])
    return 2 <= len(stems) <= _LONGEST_NAME and sum(map(_says, words)) > 1


@lru_cache(maxsize=65_536)
def _says(word: str) -> bool:
    return len(word) > 1 and fold(word) not in STOP_WORDS
