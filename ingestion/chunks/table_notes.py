"""The notes below a table: what its marks mean, remarks on all of it."""

import re
from collections.abc import Sequence

from contracts.text import Block

_MARK = re.compile(r"(?P<mark>\*{1,3}|[†‡§¹²³⁴-⁹]|\(?[a-z0-9]\)|\[[a-z0-9]{1,2}\])\s*(?=\S)", re.IGNORECASE)
_REMARK = re.compile(
    r"(?:notes?|nota|legend|key|remarks?|nb|source|abbreviations|units?|anmerkung|hinweis|legende|quelle)\s?[:.]\s*\S",
    re.IGNORECASE,
)
_UNITS = re.compile(
    r"[(\[]?(?:all\s+)?(?:values|figures|numbers|amounts|dimensions|measurements|units?|angaben|werte|maße)\b"
    r"(?:\s?:|.{0,40}\b(?:in|are|sind)\b)\s*\S.{0,40}|[(\[]in\s+\S.{0,30}[)\]]",
    re.IGNORECASE,
)
_MAX_NOTE_WORDS = 60
_MAX_NOTES = 12


def with_units_below(blocks: Sequence[Block]) -> tuple[Block, ...]:
    """Return ``blocks`` with a line such as "(all values in mm)" that stands above a table below it, with its notes."""
    found = list(blocks)
    for index in range(1, len(found)):
        above, block = found[index - 1], found[index]
        is_line = above.kind in ("paragraph", "caption") and _UNITS.fullmatch(above.text.strip())
        if block.kind == "table" and is_line:
            found[index - 1 : index + 1] = [block, above]
    return tuple(found)


def notes_below(blocks: Sequence[Block], table: str) -> list[tuple[str, Block]]:
    """Return those first ``blocks`` that are notes to ``table``, the text above them, each with its mark."""
    found: list[tuple[str, Block]] = []
    for block in blocks[:_MAX_NOTES]:
        text = block.text.strip()
        if block.kind not in ("paragraph", "caption", "notes") or len(text.split()) > _MAX_NOTE_WORDS:
            break
        mark = _MARK.match(text)
        if mark and re.search(rf"\w\s?{re.escape(mark['mark'])}", table):
            found.append((mark["mark"], block))
        elif _REMARK.match(text) or _UNITS.fullmatch(text):
            found.append(("", block))
        else:
            break
    return found
