"""Abbreviations: a claim may spell out what its passages abbreviate."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from tools.evidence.reading import Evidence
from tools.language import find_words, fold

_SPELT_OUT = 0.9
_LONGEST = 6


def spell_out(claim: str, evidence: Evidence) -> Evidence:
    """Let "Row Address Strobe" in ``claim`` be said by RAS in a unit of the passages."""
    shorts = [_shorts(unit.text) for unit in evidence.units]
    words = [fold(word.text) for word in find_words(claim)]
    runs = _runs(words, frozenset().union(*shorts))
    if not runs:
        return evidence
    literal = evidence.literal.copy()
    terms = [fold(term.text) for term in evidence.profile.terms]
    for at, short in enumerate(shorts):
        said = set().union(*(runs[each] for each in short & runs.keys()))
        for row in [row for row, term in enumerate(terms) if term in said] if said else ():
            literal[row, at] = max(literal[row, at], _SPELT_OUT)
    return replace(evidence, literal=np.asarray(literal))


def _runs(words: Sequence[str], shorts: frozenset[str]) -> dict[str, set[str]]:
    """Return for each of ``shorts`` the words of those runs of ``words`` of which it has the initials."""
    initials = "".join(word[0] for word in words)
    runs: dict[str, set[str]] = {}
    for start in range(len(words)):
        for end in range(start + 2, min(start + _LONGEST, len(words)) + 1):
            if initials[start:end] in shorts:
                runs.setdefault(initials[start:end], set()).update(words[start:end])
    return runs


@lru_cache(maxsize=4_096)
def _shorts(text: str) -> frozenset[str]:
    """Return the words of ``text`` that may abbreviate something."""
    return frozenset(fold(w.text) for w in find_words(text) if w.text.isupper() and 2 <= len(w.text) <= _LONGEST)
