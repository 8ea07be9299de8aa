"""Finds known spellings that are similar to an unknown term."""

from collections.abc import Iterable

from rapidfuzz import fuzz, process

from tools.language import fold

# The minimum similarity in per cent: "tRC" is suggested for "tRCC", but nothing is suggested for "XQZV".
_LEAST_LIKENESS = 55.0
_JOINERS = str.maketrans("", "", "-_ ")


def nearest_spellings(term: str, spellings: Iterable[str], limit: int) -> tuple[str, ...]:
    """Return at most ``limit`` of ``spellings`` similar to ``term``, most similar first, without the term itself.

    The normalised InDel similarity must be at least 55 of 100; equally similar spellings keep their order. Of spellings
    that differ only in letter case, hyphens, underscores and spaces ("tRC", "t_RC"), only the most similar is returned.
    """
    asked, known = fold(term), tuple(spellings)
    if not asked or limit < 1:
        return ()
    folded = tuple(map(fold, known))
    near = process.extract(asked, folded, scorer=fuzz.ratio, limit=None, score_cutoff=_LEAST_LIKENESS)
    found: dict[str, str] = {}
    for word, _, at in near:
        if word != asked:
            found.setdefault(word.translate(_JOINERS), known[at])
        if len(found) == limit:
            break
    return tuple(found.values())
