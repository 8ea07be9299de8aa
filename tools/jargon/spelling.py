"""Spelling: which known term an unknown one may have been meant to be."""

import asyncio
from collections.abc import Collection, Iterable
from copy import copy

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz, process

from tools.jargon.base import Vocabulary
from tools.language import fold
from tools.language.letters import LetterIndex

# Half of the letters alike: "tRCC" suggests "tRC", "XQZV" suggests nothing.
_LEAST_LIKENESS = 55.0
_ROUNDING = 1e-6
_FIRST_LOOK = 128
_JOINERS = str.maketrans("", "", "-_ ")


class NearSpellings:
    """Names the spellings nearest to a term, without comparing it with each of them."""

    def __init__(self, spellings: Iterable[str]) -> None:
        """Take ``spellings``; of two that differ in letter case only, the first counts.

        Of those that differ in hyphens, underscores and spaces only ("tRC", "t_RC"), the nearest to a term is named.
        """
        self._spellings = tuple(spellings)
        self._folded = tuple(map(fold, self._spellings))
        self._letters = LetterIndex(self._folded)
        self._there: NDArray[np.bool_] = np.ones(len(self._spellings), dtype=np.bool_)

    def updated(self, spellings: Collection[str], changed: Iterable[str]) -> "NearSpellings":
        """Return the same for ``spellings``, of which only ``changed`` may have come or gone; this stays as it is."""
        result = copy(self)
        result._there = self._there.copy()
        fresh = []
        for spelling in changed:
            place = self._place_of(spelling)
            if place is not None:
                result._there[place] = spelling in spellings
            elif spelling in spellings:
                fresh.append(spelling)
        if fresh:
            folded = tuple(map(fold, fresh))
            result._spellings, result._folded = (*self._spellings, *fresh), (*self._folded, *folded)
            result._letters = self._letters.extended(folded)
            result._there = np.concatenate((result._there, np.ones(len(fresh), dtype=np.bool_)))
        return result

    def _place_of(self, spelling: str) -> int | None:
        places = self._letters.within(fold(spelling), 0)
        return next((int(place) for place in places if self._spellings[place] == spelling), None)

    def nearest(self, term: str, limit: int) -> tuple[str, ...]:
        """Name at most ``limit`` spellings near to ``term``, nearest first, the term itself not among them.

        Near in letters by the normalised InDel similarity, at least 55 of 100; equally near ones in their order. That
        similarity is at most the share of letters that the two can have in common: who shares too few is not compared.
        """
        asked = fold(term)
        if not asked or not self._folded or limit < 1:
            return ()
        shared = self._letters.shared(asked).astype(np.float64)
        bounds = 200.0 * shared / (self._letters.lengths + len(asked)) + _ROUNDING
        places = np.flatnonzero((bounds >= _LEAST_LIKENESS) & self._there)
        if len(places) > _FIRST_LOOK:
            # As good as the last of the best few must be whoever is to come before it.
            first = places[np.argpartition(-bounds[places], _FIRST_LOOK)[:_FIRST_LOOK]]
            found = self._compare(asked, np.sort(first), limit)
            if len(found) == limit:
                places = places[bounds[places] >= found[-1][1]]
        return tuple(self._spellings[place] for place, _ in self._compare(asked, places, limit))

    def _compare(self, asked: str, places: NDArray[np.intp], limit: int) -> list[tuple[int, float]]:
        first_of: dict[str, int] = {}
        for place in map(int, places):
            first_of.setdefault(self._folded[place], place)
        first_of.pop(asked, None)
        words, own = list(first_of), list(first_of.values())
        best = process.extract(asked, words, scorer=fuzz.ratio, limit=None, score_cutoff=_LEAST_LIKENESS)
        nearest: dict[str, tuple[int, float]] = {}
        for word, score, at in best:
            nearest.setdefault(word.translate(_JOINERS), (own[at], score))
        return list(nearest.values())[:limit]


class KeptSpellings:
    """The near spellings of a vocabulary; when its version changes, what changed is laid out anew."""

    def __init__(self) -> None:
        self._version: str | None = None
        self._near = NearSpellings(())
        self._refreshing = asyncio.Lock()

    async def nearest(self, vocabulary: Vocabulary, term: str, limit: int) -> tuple[str, ...]:
        """Name at most ``limit`` spellings of ``vocabulary`` near to ``term``, nearest first."""
        async with self._refreshing:
            if vocabulary.version != self._version:
                changed = vocabulary.changed_since(self._version)
                if changed is None:
                    self._near = await asyncio.to_thread(NearSpellings, vocabulary.terms)
                else:
                    self._near = await asyncio.to_thread(self._near.updated, vocabulary.terms, changed.spellings)
                self._version = vocabulary.version
            near = self._near
        return near.nearest(term, limit)
