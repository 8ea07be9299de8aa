"""Evidence units: the sentences of a passage, or table rows together with their header row."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from contracts.text import Passage, Span
from tools.language import split_sentences

_CELL = re.compile(r"\s*\|\s*")
_RULE = re.compile(r"^[\s|:+=-]+$")


@dataclass(frozen=True, slots=True)
class EvidenceUnit:
    """A sentence or table row of passage ``passage`` (from 0).

    ``text`` is the original text; ``reading`` is its meaning: a table row with the header's words at its cells.
    """

    passage: int
    text: str
    reading: str
    is_row: bool = False


def evidence_units(passages: Sequence[Passage]) -> tuple[EvidenceUnit, ...]:
    """Split ``passages`` into units, in order; a passage of only white space has none."""
    units: list[EvidenceUnit] = []
    for index, passage in enumerate(passages):
        units.extend(units_of_text(index, passage.text, passage.sentences))
    return tuple(units)


# The same passages are read for several judgements of one question, and for the following questions; about 6 KB each.
@lru_cache(maxsize=2_048)
def units_of_text(passage: int, text: str, spans: tuple[Span, ...]) -> tuple[EvidenceUnit, ...]:
    """Split ``text`` of passage number ``passage`` into units, by its sentences ``spans`` (none: detected)."""
    units: list[EvidenceUnit] = []
    header: list[str] = []
    for span in spans or split_sentences(text):
        piece = text[span.start : span.end].strip()
        cells = [cell.strip() for cell in _CELL.split(piece.strip("|"))] if "|" in piece else []
        if len(cells) < 2:
            header = []
            if piece:
                units.append(EvidenceUnit(passage, piece, piece))
            continue
        if _RULE.match(piece):
            continue
        if len(header) != len(cells):
            header = cells
            units.append(EvidenceUnit(passage, piece, " ".join(cells), is_row=True))
            continue
        named = [
            f"{name}: {cell}" if name and name != cell else cell
            for name, cell in zip(header, cells, strict=True)
            if cell
        ]
        units.append(EvidenceUnit(passage, piece, "; ".join(named), is_row=True))
    return tuple(units)
