"""Extended names in a question: "final test" means FT as much as FT does."""

import re
from array import array
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from contracts.text import Span
from intrinsics.jargon_identification.words import is_ordinary
from tools.language import STOP_WORDS, find_words, fold, stem

_BRACKETED = re.compile(r"\([^()]*\)")
_JOINT = re.compile(r"[\s\-\u2010-\u2015/]{1,3}")
_LONGEST_NAME = 12
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

    def __init__(self, names: Mapping[str, tuple[str, ...]], before: "NameIndex | None" = None) -> None:
        """Lay ``names`` out; what ``before`` knew of them is taken from it."""
        known = dict(zip(before._names, before._unsorted, strict=True)) if before else {}
        self._terms = names
        self._names: tuple[str, ...] = tuple(names)
        self._longest: dict[str, int] = dict(before._longest) if before else {}
        self._unsorted: array[int] = array(
            "q", (known[name] if name in known else self._add(name) for name in self._names)
        )
        keys = np.frombuffer(self._unsorted, dtype=np.int64) if self._names else np.zeros(0, dtype=np.int64)
        self._order: NDArray[np.int32] = np.argsort(keys, kind="stable").astype(np.int32)
        self._keys: array[int] = array("q", keys[self._order].tobytes())

    def _add(self, name: str) -> int:
        """Return the key of ``name``, 0 for one that says too little to be found."""
        words, stems = _words_and_stems(name)
        if not _telling(words, stems):
            return 0
        self._longest[stems[0]] = max(self._longest.get(stems[0], 0), len(stems))
        return hash(stems)

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
        key = hash(stems)
        terms: dict[str, None] = {}
        for place in range(bisect_left(self._keys, key), len(self._keys)):
            if self._keys[place] != key:
                break
            name = self._names[self._order[place]]
            # Two names of one key need not be the same.
            if _words_and_stems(name)[1] == stems and key:
                terms.update(dict.fromkeys(self._terms[name]))
        return tuple(terms)


def _words_and_stems(name: str) -> tuple[list[str], tuple[str, ...]]:
    """Return the words of ``name`` and their stems, what stands in brackets left out."""
    words = [word.text for word in find_words(_BRACKETED.sub(" ", name) if "(" in name else name)]
    return words, tuple(stem(word) for word in words)


def _telling(words: Sequence[str], stems: Sequence[str]) -> bool:
    """Say whether a name can be meant wherever its words stand: no single everyday word, no word of grammar alone."""
    if len(stems) == 1:
        return len(stems[0]) >= _SHORTEST_WORD and not is_ordinary(words[0])
    return (
        2 <= len(stems) <= _LONGEST_NAME and sum(len(word) > 1 and fold(word) not in STOP_WORDS for word in words) > 1
    )
