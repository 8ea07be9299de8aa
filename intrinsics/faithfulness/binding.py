"""Binding: a number is a statement about the thing it stands beside."""

from collections.abc import Sequence

from intrinsics.faithfulness.numbers import Figure, source_figures, unsupported_figures
from tools.evidence.reading import Evidence

# A code named this many sentences before a number may still be what the number is said of ("It needs …").
_REACH = 2


def unbound_figures(evidence: Evidence, claimed: Sequence[Figure]) -> tuple[tuple[Figure, str], ...]:
    """Pair each number with the first code of the claim that stands beside it nowhere."""
    codes = [
        row
        for row, term in enumerate(evidence.profile.terms)
        if term.literal and any(each.isalpha() for each in term.text)
    ]
    pairs = []
    for figure in claimed:
        holders = [
            at
            for at, unit in enumerate(evidence.units)
            if not unsupported_figures([figure], source_figures(unit.reading))
        ]
        for row in codes if holders else ():
            if not any(_beside(evidence, row, at) for at in holders):
                pairs.append((figure, evidence.profile.terms[row].text))
                break
    return tuple(pairs)


def _beside(evidence: Evidence, row: int, at: int) -> bool:
    """Say whether term ``row`` stands in unit ``at``, its headings or, in prose, one of the two sentences before it."""
    passage = int(evidence.owner[at])
    first = at
    while not evidence.units[at].is_row and at - first < _REACH and first > 0 and evidence.owner[first - 1] == passage:
        first -= 1
    return bool(evidence.literal[row, first : at + 1].max() > 0 or evidence.headed[row, passage] > 0)
