"""Spelling: which known term an unknown one may have been meant to be."""

import asyncio
from collections.abc import Iterable

from rapidfuzz import fuzz, process

from contracts.jargon import Vocabulary
from tools.language import fold

# Half of the letters alike: "tRCC" suggests "tRC", "XQZV" suggests nothing.
_LEAST_LIKENESS = 55.0
_JOINERS = str.maketrans("", "", "-_ ")


class NearSpellings:
    """Names the spellings nearest to a term: of 100 000 spellings in about 5 ms."""

    def __init__(self, spellings: Iterable[str]) -> None:
        """Take ``spellings``; of two that differ in letter case only, the first counts.

        Of those that differ in hyphens, underscores and spaces only ("tRC", "t_RC"), the nearest to a term is named.
        """
        self._spellings = tuple(spellings)
        self._folded = tuple(map(fold, self._spellings))

    def nearest(self, term: str, limit: int) -> tuple[str, ...]:
        """Name at most ``limit`` spellings near to ``term``, nearest first, the term itself not among them.

        Near in letters by the normalised InDel similarity, at least 55 of 100; equally near ones in their order.
        """
        asked = fold(term)
        if not asked or limit < 1:
            return ()
        near = process.extract(asked, self._folded, scorer=fuzz.ratio, limit=None, score_cutoff=_LEAST_LIKENESS)
        found: dict[str, str] = {}
        for word, _, at in near:
            if word != asked:
                found.setdefault(word.translate(_JOINERS), self._spellings[at])
            if len(found) == limit:
                break
        return tuple(found.values())


class KeptSpellings:
    """The near spellings of a vocabulary, as long as its version stays the same."""

    def __init__(self) -> None:
        self._kept: tuple[str, NearSpellings] | None = None

    async def nearest(self, vocabulary: Vocabulary, term: str, limit: int) -> tuple[str, ...]:
        """Name at most ``limit`` spellings of ``vocabulary`` near to ``term``, nearest first."""
        kept = self._kept
        if kept is None or kept[0] != vocabulary.version:
            kept = self._kept = (vocabulary.version, await asyncio.to_thread(NearSpellings, vocabulary.terms))
        return kept[1].nearest(term, limit)
