"""The numbers and bullets of a Word document's lists, counted as Word counts them."""

from typing import Any

from docx.oxml.ns import qn

from ingestion.readers.docx_text import whole_number

_MAX_LEVEL = 8
_ROMAN = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


class ListMarks:
    """Counts the items of a document's lists in their order."""

    def __init__(self, document: Any) -> None:
        self._kinds = _kinds_of(document)
        self._counted: dict[str, list[int]] = {}

    def mark(self, number_id: str, level: int) -> str:
        """Return the mark of the next item of a list, indented by its level: ``3. ``, ``b) ``, ``- ``."""
        level = min(max(level, 0), _MAX_LEVEL)
        kind, start = self._kinds.get((number_id, level), ("bullet", 1))
        counted = self._counted.setdefault(number_id, [])
        del counted[level + 1 :]
        counted += [0] * (level + 1 - len(counted))
        counted[level] += 1
        return "  " * level + _written(kind, counted[level] + start - 1)


def _written(kind: str, number: int) -> str:
    if kind == "decimal" or kind == "decimalZero":
        return f"{number}. "
    if kind in ("lowerLetter", "upperLetter") and 1 <= number <= 26:
        letter = chr(ord("a") + number - 1)
        return f"{letter if kind == 'lowerLetter' else letter.upper()}) "
    if kind in ("lowerRoman", "upperRoman") and 1 <= number < 40:
        roman = _roman(number)
        return f"{roman if kind == 'lowerRoman' else roman.upper()}. "
    return "- "


def _roman(number: int) -> str:
    text = ""
    for value, letters in _ROMAN:
        text += letters * (number // value)
        number %= value
    return text


def _kinds_of(document: Any) -> dict[tuple[str, int], tuple[str, int]]:
    """Return the kind of number and the first number of each level of each list."""
    try:
        root = document.part.numbering_part.element
    except (KeyError, NotImplementedError, AttributeError):
        return {}
    abstract: dict[str, dict[int, tuple[str, int]]] = {}
    for each in root.iter(qn("w:abstractNum")):
        levels = {}
        for level in each.iter(qn("w:lvl")):
            levels[whole_number(level, qn("w:ilvl"), 0)] = (_kind(level), _start(level))
        abstract[str(each.get(qn("w:abstractNumId")))] = levels
    kinds: dict[tuple[str, int], tuple[str, int]] = {}
    for each in root.iter(qn("w:num")):
        reference = each.find(qn("w:abstractNumId"))
        if reference is not None:
            for number, found in abstract.get(str(reference.get(qn("w:val"))), {}).items():
                kinds[str(each.get(qn("w:numId"))), number] = found
    return kinds


def _kind(level: Any) -> str:
    found = level.find(qn("w:numFmt"))
    return str(found.get(qn("w:val"))) if found is not None else "bullet"


def _start(level: Any) -> int:
    found = level.find(qn("w:start"))
    return whole_number(found, qn("w:val"), 1) if found is not None else 1
