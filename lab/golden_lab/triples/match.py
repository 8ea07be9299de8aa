"""Matches extracted triples with triples that people labelled."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from golden_lab.triple_extraction.normalisation import SIGNS, comparator_of, normalise_triple
from golden_lab.triples.triple import Triple
from tools.language import content_stems, find_quantities

# Two triples are the same claim if they share at least this proportion of their words (F1 of stems), their subjects
# share a word, and their numbers, comparators and negation are equal.
_ALIKE = 0.7
_NEGATIVE = frozenset("not no never cannot without".split())  # noqa: SIM905
_OF_MODALITY = frozenset("shall should may can must will".split())  # noqa: SIM905


@dataclass(frozen=True, slots=True, kw_only=True)
class Matching:
    """Pairs of indexes (predicted, gold); each index is in at most one pair."""

    pairs: tuple[tuple[int, int], ...]
    predicted: int
    gold: int

    @property
    def hits(self) -> int:
        """The number of pairs."""
        return len(self.pairs)


def match_triples(predicted: Sequence[Triple], gold: Sequence[Triple]) -> Matching:
    """Pair predicted with gold triples one to one, as many and as similar as possible.

    Both are put in normal form first. Two match if the F1 of their words (stems of subject, predicate and object, as
    multisets) is at least 0.7, their subjects share a word or are both the system, and they have the same numbers with
    units, comparator, modal verb and negation.
    """
    alike = np.array([[likeness(one, other) for other in gold] for one in predicted], dtype=np.float64)
    return _assigned(alike, len(predicted), len(gold), _ALIKE)


def match_loosely(predicted: Sequence[Triple], gold: Sequence[Triple], *, least: float = 0.5) -> Matching:
    """Pair triples whose words agree with an F1 of at least ``least``, whichever parts of the triples they are in.

    For labels that follow different rules from ours, such as a different subject for the same fact, or no modality.
    """
    alike = np.array([[_word_f1(_words(one), _words(other)) for other in gold] for one in predicted])
    return _assigned(alike, len(predicted), len(gold), least)


def likeness(predicted: Triple, gold: Triple) -> float:
    """Return the share of words that two triples have in common, in [0, 1]; 0 if they cannot be the same claim."""
    one, other = normalise_triple(predicted) or predicted, normalise_triple(gold) or gold
    if _numbers(one) != _numbers(other) or comparator_of(one.predicate) != comparator_of(other.predicate):
        return 0.0
    if _marks(one, _NEGATIVE) != _marks(other, _NEGATIVE) or _modal(one) != _modal(other):
        return 0.0
    subjects = set(content_stems(one.subject)), set(content_stems(other.subject))
    if one.subject.casefold() != other.subject.casefold() and not subjects[0] & subjects[1]:
        return 0.0
    return _word_f1(_words(one), _words(other))


def _assigned(alike: NDArray[np.float64], predicted: int, gold: int, least: float) -> Matching:
    if not predicted or not gold:
        return Matching(pairs=(), predicted=predicted, gold=gold)
    from scipy.optimize import linear_sum_assignment

    # Any match outweighs all non-matches: this first maximises the number of matches, then their similarity.
    worth = np.where(alike >= least, 1.0 + alike, 0.0)
    rows, columns = linear_sum_assignment(-worth)
    pairs = [(int(row), int(column)) for row, column in zip(rows, columns, strict=True) if worth[row, column] > 0]
    return Matching(pairs=tuple(sorted(pairs)), predicted=predicted, gold=gold)


def _numbers(triple: Triple) -> frozenset[tuple[str, str]]:
    return frozenset((each.number, each.unit) for each in find_quantities(f"{triple.predicate} {triple.object}"))


def _marks(triple: Triple, words: frozenset[str]) -> bool:
    return bool(words & set(f"{triple.predicate} {triple.object}".casefold().split()))


def _modal(triple: Triple) -> str:
    first = triple.predicate.casefold().partition(" ")[0]
    return first if first in _OF_MODALITY else ""


def _words(triple: Triple) -> dict[str, int]:
    """Count the stems of a triple, except for linking words (is, of, the) and comparators."""
    found: dict[str, int] = {}
    plain = triple.text
    for sign in SIGNS:
        plain = plain.replace(sign, " ")
    for stem in content_stems(plain):
        found[stem] = found.get(stem, 0) + 1
    return found


def _word_f1(one: dict[str, int], other: dict[str, int]) -> float:
    common = sum(min(count, other.get(stem, 0)) for stem, count in one.items())
    total = sum(one.values()) + sum(other.values())
    return 2 * common / total if total else 0.0
