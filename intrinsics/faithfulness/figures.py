"""Numbers in a claim: whether a source contains them, and what they refer to."""

import re
import tomllib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tools.evidence.reading import Evidence
from tools.language import find_quantities
from tools.language.quantities import NUMERALS

_WORDS = NUMERALS | {
    "dozen": "12", "twice": "2", "double": "2", "once": "1", "single": "1", "half": "0.5",
    "first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5",
}  # fmt: skip
_DIMENSIONS = {
    name: re.compile(units)
    for name, units in tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8")).items()
}
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its unit, in comparable form (``value``) and as written (``text``)."""

    value: str
    unit: str
    text: str

    def agrees(self, other: "Figure") -> bool:
        """Return whether both can be the same quantity: equal values, and no units that contradict each other."""
        if self.value != other.value:
            return False
        if not self.unit or not other.unit or self.unit == other.unit:
            return True
        mine, theirs = _dimensions_of(self.unit), _dimensions_of(other.unit)
        # "5 ms" is not "5 µs", although both are times.
        return not mine and not theirs


# There are few different units, but every number in a passage needs this lookup.
@lru_cache(maxsize=1_024)
def _dimensions_of(unit: str) -> frozenset[str]:
    """Return the dimensions that ``unit`` ("ns", "MB/s") can measure; empty if there is no unit."""
    return frozenset(name for name, units in _DIMENSIONS.items() if unit and units.search(unit))


@lru_cache(maxsize=4_096)
def figures(text: str) -> tuple[Figure, ...]:
    """Find the numbers in ``text`` that are separate words; numbers inside codes (3D, x16) belong to the code."""
    found = []
    for quantity in find_quantities(text):
        after = text[quantity.span.end : quantity.span.end + 1]
        if after.isalnum() or after == "_":
            continue
        value = quantity.number.lstrip("+±-").lstrip("0") or "0"
        written = " ".join(text[quantity.span.start : quantity.span.end].split())
        found.append(Figure("0" + value if value.startswith(".") else value, quantity.unit, written))
    return tuple(found)


@lru_cache(maxsize=4_096)
def source_figures(text: str) -> tuple[Figure, ...]:
    """Find the numbers in a source, including numbers in words ("two")."""
    spelt = tuple(Figure(_WORDS[match.group().lower()], "", match.group()) for match in _WORD.finditer(text))
    return figures(text) + spelt


def unsupported_figures(claimed: Iterable[Figure], held: Iterable[Figure]) -> tuple[Figure, ...]:
    """Return the claimed figures that agree with none of the figures in the source."""
    known = tuple(held)
    return tuple(figure for figure in claimed if not any(figure.agrees(other) for other in known))


def rival_figure(figure: Figure, held: Iterable[Figure], claimed: Iterable[Figure]) -> Figure | None:
    """Find the number in a source that contradicts ``figure``: one of the same dimension that is not in the claim."""
    taken = {other.value for other in claimed}
    mine = _dimensions_of(figure.unit)
    for other in held:
        if other.value not in taken and (_dimensions_of(other.unit) & mine if mine else not other.unit):
            return other
    return None


# A number can refer to a code that was named up to this many sentences earlier ("It needs …").
_REACH = 2


def unbound_figures(evidence: Evidence, claimed: Sequence[Figure]) -> tuple[tuple[Figure, str], ...]:
    """Pair each number with the first code in the claim that is not near it in any passage."""
    codes = [
        row for row, term in enumerate(evidence.terms) if term.literal and any(each.isalpha() for each in term.text)
    ]
    pairs = []
    for figure in claimed:
        holders = [
            at for at, unit in enumerate(evidence.units) if not unsupported_figures([figure], source_figures(unit.text))
        ]
        for row in codes if holders else ():
            if not any(_beside(evidence, row, at) for at in holders):
                pairs.append((figure, evidence.terms[row].text))
                break
    return tuple(pairs)


def _beside(evidence: Evidence, row: int, at: int) -> bool:
    """Return whether term ``row`` is in unit ``at``, in its headings or, in prose, in the two sentences before it."""
    passage = int(evidence.owner[at])
    first = at
    while (
        evidence.units[at].kind != "row" and at - first < _REACH and first > 0 and evidence.owner[first - 1] == passage
    ):
        first -= 1
    return bool(evidence.literal[row, first : at + 1].max() > 0 or evidence.headed[row, passage] > 0)
