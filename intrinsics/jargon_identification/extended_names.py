"""Finds extended names in a question, because "final test" means the same as "FT"."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from contracts.text import Span
from intrinsics.jargon_identification.tokens import is_ordinary
from tools.language import STOP_WORDS, find_words, fold, stem

# Words separated only by spaces, as in most names, which can be split by a faster method.
_PLAIN = re.compile(r"[A-Za-z ]*")
_BRACKETED = re.compile(r"\([^()]*\)")
_JOINT = re.compile(r"[\s\-\u2010-\u2015/]{1,3}")
_LONGEST_NAME = 12
_SHORTEST_WORD = 6


@dataclass(frozen=True, slots=True)
class Named:
    """An extended name at ``span`` in a question, with the terms that abbreviate it."""

    span: Span
    terms: tuple[str, ...]


class NameIndex:
    """Finds extended names in a question by the stems of their words.

    A name of one word counts if the word is not ordinary; a longer name counts if two of its words are not.
    """

    def __init__(self, names: Mapping[str, tuple[str, ...]]) -> None:
        self._terms = names
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._longest: dict[str, int] = {}
        # Sorted, so that the result does not depend on the order of the names.
        for name in sorted(names):
            words, stems = _words_and_stems(name)
            if _telling(words, stems):
                self._names[stems] = (*self._names.get(stems, ()), name)
                self._longest[stems[0]] = max(len(stems), self._longest.get(stems[0], 0))

    def find(self, question: str) -> list[Named]:
        """Find the names in ``question``, in order and without overlaps; longer names are preferred."""
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
                names = self._names.get(tuple(stems[start : start + length]), ())
                if terms := tuple(dict.fromkeys(term for name in names for term in self._terms.get(name, ()))):
                    span = Span(words[start].span.start, words[start + length - 1].span.end)
                    found.append(Named(span, terms))
                    start += length - 1
                    break
            start += 1
        return found


def _words_and_stems(name: str) -> tuple[list[str], tuple[str, ...]]:
    """Return the words of ``name`` and their stems, leaving out what is in brackets."""
    text = _BRACKETED.sub(" ", name) if "(" in name else name
    words = text.split() if _PLAIN.fullmatch(text) else [word.text for word in find_words(text)]
    return words, tuple(map(stem, words))


def _telling(words: Sequence[str], stems: Sequence[str]) -> bool:
    """Return whether a name is so distinctive that its words always refer to it: it is not a single everyday word and
    does not consist of function words.
    """
    if len(stems) == 1:
        return len(stems[0]) >= _SHORTEST_WORD and not is_ordinary(words[0])
    return 2 <= len(stems) <= _LONGEST_NAME and sum(map(_says, words)) > 1


@lru_cache(maxsize=65_536)
def _says(word: str) -> bool:
    return len(word) > 1 and fold(word) not in STOP_WORDS
