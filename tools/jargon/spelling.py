"""Spelling: which known term an unknown one may have been meant to be."""

import asyncio
from collections.abc import Iterable

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


class NearSpellings:
    """Names the spellings nearest to a term, without comparing it with each of them."""

    def __init__(self, spellings: Iterable[str]) -> None:
        """Take ``spellings``; of two that differ in letter case only, the first counts."""
        by_fold: dict[str, str] = {}
        for spelling in spellings:
            by_fold.setdefault(fold(spelling), spelling)
        self._folded = list(by_fold)
        self._spellings = list(by_fold.values())
        self._letters = LetterIndex(self._folded)

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
        places = np.flatnonzero(bounds >= _LEAST_LIKENESS)
        if len(places) > _FIRST_LOOK:
            # As good as the last of the best few must be whoever is to come before it.
            first = places[np.argpartition(-bounds[places], _FIRST_LOOK)[:_FIRST_LOOK]]
            found = self._compare(asked, np.sort(first), limit)
            if len(found) == limit:
                places = places[bounds[places] >= found[-1][1]]
        return tuple(self._spellings[place] for place, _ in self._compare(asked, places, limit))

    def _compare(self, asked: str, places: NDArray[np.intp], limit: int) -> list[tuple[int, float]]:
        own = [place for place in map(int, places) if self._folded[place] != asked]
        words = [self._folded[place] for place in own]
        best = process.extract(asked, words, scorer=fuzz.ratio, limit=limit, score_cutoff=_LEAST_LIKENESS)
        return [(own[at], score) for _, score, at in best]


class KeptSpellings:
    """The near spellings of a vocabulary, laid out anew only when its version changes."""

    def __init__(self) -> None:
        self._version: str | None = None
        self._near = NearSpellings(())
        self._refreshing = asyncio.Lock()

    async def nearest(self, vocabulary: Vocabulary, term: str, limit: int) -> tuple[str, ...]:
        """Name at most ``limit`` spellings of ``vocabulary`` near to ``term``, nearest first."""
        async with self._refreshing:
            if vocabulary.version != self._version:
                self._near = await asyncio.to_thread(NearSpellings, vocabulary.terms)
                self._version = vocabulary.version
            near = self._near
        return near.nearest(term, limit)
