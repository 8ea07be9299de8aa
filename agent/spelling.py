"""Spelling: what an unknown term may have been meant to be."""

from collections.abc import Iterable, Sequence

from rapidfuzz import fuzz, process

from tools.language import fold

# Half of the letters alike: "tRCC" suggests "tRC", "XQZV" suggests nothing.
_LEAST_LIKENESS = 55.0


def nearest_spellings(term: str, spellings: Iterable[str], more: Sequence[str], limit: int) -> tuple[str, ...]:
    """Name the spellings of the dictionary (``spellings``) and the documents (``more``) nearest to ``term``, in order.

    Near in letters by the normalised InDel similarity; of two spellings that differ in letter case the dictionary's
    stays, and the term itself is none of them.
    """
    by_fold: dict[str, str] = {}
    for spelling in (*spellings, *more):
        by_fold.setdefault(fold(spelling), spelling)
    by_fold.pop(fold(term), None)
    found = process.extract(fold(term), list(by_fold), scorer=fuzz.ratio, limit=limit, score_cutoff=_LEAST_LIKENESS)
    return tuple(by_fold[folded] for folded, _, _ in found)
