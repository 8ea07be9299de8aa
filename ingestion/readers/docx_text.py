"""The words of a Word document's paragraphs, tables and list marks, without what was deleted or hidden."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from docx.oxml.ns import qn

from ingestion.readers.formulas import omml_text

FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
FORMULAS = (f"{_MATH}oMath", f"{_MATH}oMathPara")
_SKIPPED = {qn("w:del"), qn("w:moveFrom"), qn("w:txbxContent"), qn("w:instrText"), FALLBACK}
_NOTES = (qn("w:footnoteReference"), qn("w:endnoteReference"))
_MONO = re.compile(r"mono|courier|consol", re.IGNORECASE)
_MAX_REPEATED_CHARACTERS = 60
_MAX_SPAN = 200
_OFF = ("0", "false", "off")

_MAX_LEVEL = 8
_ROMAN = ((10, "x"), (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))


def text_parts(paragraph: Any, hidden: list[str] | None = None) -> list[str]:
    """Return a paragraph's text, parted at page breaks; deleted text and text boxes left out.

    Text that Word hides is left out too and added to ``hidden``. References to notes stand in brackets.
    """
    parts = [""]
    pending = list(reversed(list(paragraph)))
    while pending:
        element = pending.pop()
        tag = element.tag
        if tag in _SKIPPED:
            continue
        if tag in FORMULAS:
            parts[-1] += f" {omml_text(element)} "
        elif tag == qn("w:r") and is_on(element, "w:vanish"):
            if hidden is not None:
                hidden.append("".join(each.text or "" for each in element.iter(qn("w:t"))))
        elif tag == qn("w:t"):
            parts[-1] += element.text or ""
        elif tag in (qn("w:tab"), qn("w:ptab")):
            parts[-1] += " "
        elif tag == qn("w:noBreakHyphen"):
            parts[-1] += "-"
        elif tag in _NOTES:
            parts[-1] += f"[{element.get(qn('w:id'))}]"
        elif tag == qn("w:lastRenderedPageBreak") or (tag == qn("w:br") and element.get(qn("w:type")) == "page"):
            parts.append("")
        elif tag in (qn("w:br"), qn("w:cr")):
            parts[-1] += "\n"
        else:
            pending.extend(reversed(list(element)))
    return parts


def note_references(paragraph: Any) -> Iterator[tuple[str, str]]:
    """Find the notes that a paragraph refers to: ``footnote`` or ``endnote`` and their id."""
    for reference in paragraph.iter(*_NOTES):
        kind = "footnote" if reference.tag == _NOTES[0] else "endnote"
        yield kind, str(reference.get(qn("w:id")))


def is_on(run: Any, name: str) -> bool:
    """Say whether a run has a property such as ``w:b`` and does not switch it off."""
    mark = run.find(f"{qn('w:rPr')}/{qn(name)}")
    return mark is not None and mark.get(qn("w:val")) not in _OFF


def is_bold_line(paragraph: Any) -> bool:
    """Say whether all text of a paragraph is bold."""
    runs = _runs_with_text(paragraph)
    return bool(runs) and all(is_on(run, "w:b") for run in runs)


def is_mono(paragraph: Any) -> bool:
    """Say whether all text of a paragraph is in a font for programs."""
    runs = _runs_with_text(paragraph)
    fonts = [run.find(f"{qn('w:rPr')}/{qn('w:rFonts')}") for run in runs]
    return bool(runs) and all(font is not None and _MONO.search(font.get(qn("w:ascii")) or "") for font in fonts)


def is_formula(paragraph: Any) -> bool:
    """Say whether a paragraph is nothing but a formula."""
    has_formula = any(True for _ in paragraph.iter(*FORMULAS))
    return has_formula and not _runs_with_text(paragraph)


def _runs_with_text(paragraph: Any) -> list[Any]:
    return [run for run in paragraph.iter(qn("w:r")) if any((text.text or "").strip() for text in run.iter(qn("w:t")))]


def table_rows(table: Any, hidden: list[str]) -> tuple[list[list[str]], int]:
    """Return the cells of a table's rows, merged ones filled, and how many rows are marked as its header."""
    rows: list[list[str | None]] = []
    spans: list[list[int]] = []
    marked = 0
    for row in _own(table, qn("w:tr")):
        properties = row.find(qn("w:trPr"))
        if properties is not None and properties.find(qn("w:del")) is not None:
            continue
        if properties is not None and properties.find(qn("w:tblHeader")) is not None and marked == len(rows):
            marked += 1
        cells, widths = _cells_of(row, properties, hidden)
        rows.append(cells)
        spans.append(widths)
    for above, current in pairwise(rows):
        for column, text in enumerate(current):
            if text is None:
                name = above[column] if column < len(above) else None
                # A short name is repeated so that each row reads alone; a long text stays where it begins.
                current[column] = name if len(name or "") <= _MAX_REPEATED_CHARACTERS else ""
    filled = [[text or "" for text in row] for row in rows]
    for index in range(max(marked, 1)):
        if index < len(filled):
            _spread_names(filled[index], spans[index])
    return filled, marked


def _own(table: Any, tag: str) -> Iterator[Any]:
    for each in table.iter(tag):
        if next((above for above in each.iterancestors() if above.tag == qn("w:tbl")), None) is table:
            yield each


def _cells_of(row: Any, row_properties: Any, hidden: list[str]) -> tuple[list[str | None], list[int]]:
    """Return the texts of a row's cells, None for those that go on from the row above, and how wide each is.

    A wide cell is followed by empty ones of width 0.
    """
    before = row_properties.find(qn("w:gridBefore")) if row_properties is not None else None
    skipped = _number(before) if before is not None else 0
    cells: list[str | None] = [""] * skipped
    widths = [1] * skipped
    for cell in row.iterchildren(qn("w:tc"), qn("w:sdt")):
        for inner in [cell] if cell.tag == qn("w:tc") else cell.iter(qn("w:tc")):
            properties = inner.find(qn("w:tcPr"))
            merge = properties.find(qn("w:vMerge")) if properties is not None else None
            span = properties.find(qn("w:gridSpan")) if properties is not None else None
            width = _number(span) if span is not None else 1
            cells.append(None if merge is not None and merge.get(qn("w:val")) != "restart" else _text(inner, hidden))
            cells += [""] * (width - 1)
            widths += [width] + [0] * (width - 1)
    return cells, widths


def _text(cell: Any, hidden: list[str]) -> str:
    paragraphs = (each for each in cell.iter(qn("w:p")) if not _in_box(each, cell))
    return " ".join("".join(text_parts(each, hidden)) for each in paragraphs)


def _in_box(paragraph: Any, cell: Any) -> bool:
    for above in paragraph.iterancestors():
        if above is cell:
            return False
        if above.tag in (FALLBACK, qn("w:txbxContent")):
            return bool(above.tag == FALLBACK)
    return False


def whole_number(element: Any, name: str, default: int) -> int:
    """Return what an attribute counts, or ``default`` where no writer means that: a sign, a thousand digits."""
    written = str(element.get(name) or "")
    return int(written) if written.isdecimal() and len(written) < 7 else default


def _number(element: Any) -> int:
    return min(max(whole_number(element, qn("w:val"), 1), 1), _MAX_SPAN)


def _spread_names(row: list[str], widths: list[int]) -> None:
    """Repeat the name of a header's cell over the columns that it spans, unless it is a title over the whole table."""
    if sum(1 for width in widths if width) < 2:
        return
    for column, width in enumerate(widths):
        if width > 1 and len(row[column]) <= _MAX_REPEATED_CHARACTERS:
            row[column : column + width] = [row[column]] * width


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
