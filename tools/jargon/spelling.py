"""Spelling: which known term an unknown one may stand for."""

from collections.abc import Iterable

from rapidfuzz import fuzz, process

from tools.language import fold

# The minimum similarity in per cent: "tRC" is suggested for "tRCC", and nothing for "XQZV".
_LEAST_LIKENESS = 55.0
_JOINERS = str.maketrans("", "", "-_ ")


def nearest_spellings(term: str, spellings: Iterable[str], limit: int) -> tuple[str, ...]:
    """Return at most ``limit`` of ``spellings`` similar to ``term``, nearest first, without the term itself.

    Nearness is the normalised InDel similarity of the letters, at least 55 of 100; equally near ones keep their order.
    Of those that differ only in letter case, hyphens, underscores and spaces ("tRC", "t_RC"), the nearest is returned.
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
