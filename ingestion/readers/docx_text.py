"""The text of a Word document's paragraphs, tables and list marks, without deleted or hidden text."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from docx.oxml.ns import nsmap, qn

from ingestion.readers.formulas import formula_text
from ingestion.readers.grid import SpanningCell, one_line, spread_cells

FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
NOTES = (qn("w:footnoteReference"), qn("w:endnoteReference"))
_FORMULAS = tuple(
    f"{{http://schemas.openxmlformats.org/officeDocument/2006/math}}{name}" for name in ("oMath", "oMathPara")
)
_SKIPPED = {qn("w:del"), qn("w:moveFrom"), qn("w:txbxContent"), qn("w:instrText"), FALLBACK}
_MONO = re.compile(r"mono|courier|consol", re.IGNORECASE)
_MAX_SPAN = 200
_MAX_LEVEL = 8
# A row of values seldom has cells with this many paragraphs.
_FEWEST_PARAGRAPHS = 3


def find(element: Any, path: str) -> Any:
    """Return the first element at a path such as ``w:pPr/w:numPr``, None if there is none."""
    return element.find(path, nsmap)


def whole_number(element: Any, default: int, name: str = "w:val") -> int:
    """Return an attribute's whole number, or ``default`` for values nobody would write: a sign, a thousand digits."""
    written = str(element.get(qn(name)) or "") if element is not None else ""
    return int(written) if written.isdecimal() and len(written) < 7 else default


def text_parts(paragraph: Any, hidden: list[str] | None = None) -> list[str]:
    """Return a paragraph's text, split at page breaks, without deleted text or text boxes.

    Text that Word hides is left out too and added to ``hidden``. References to notes are in brackets.
    """
    parts = [""]
    pending = list(reversed(list(paragraph)))
    while pending:
        element = pending.pop()
        tag = element.tag
        if tag in _SKIPPED:
            continue
        if tag in _FORMULAS:
            parts[-1] += f" {formula_text(element)} "
        elif tag == qn("w:r") and _is_on(find(element, "w:rPr/w:vanish")):
            if hidden is not None:
                hidden.append("".join(each.text or "" for each in element.iter(qn("w:t"))))
        elif tag == qn("w:t"):
            parts[-1] += element.text or ""
        elif tag in (qn("w:tab"), qn("w:ptab")):
            parts[-1] += " "
        elif tag == qn("w:noBreakHyphen"):
            parts[-1] += "-"
        elif tag in NOTES:
            parts[-1] += f"[{element.get(qn('w:id'))}]"
        elif tag == qn("w:lastRenderedPageBreak") or (tag == qn("w:br") and element.get(qn("w:type")) == "page"):
            parts.append("")
        elif tag in (qn("w:br"), qn("w:cr")):
            parts[-1] += "\n"
        else:
            pending.extend(reversed(list(element)))
    return parts


def bold_size(paragraph: Any, styles_of: Callable[[Any], Iterable[Any]]) -> int:
    """Return the size in half points of a paragraph in bold, 1 if no style states the size; 0 for other paragraphs."""
    above = [style.element for style in styles_of(paragraph)]
    runs = [[run, *(style.element for style in styles_of(run)), *above] for run in _runs_with_text(paragraph)]
    if not runs or not all(_is_on(_mark(run, "w:b")) for run in runs):
        return 0
    return max(1, *(whole_number(_mark(run, "w:sz"), 1) for run in runs))


def _mark(holders: Sequence[Any], name: str) -> Any:
    """Return the formatting element ``name`` of the first of ``holders`` (a run and its styles) that has one."""
    return next((mark for each in holders if (mark := find(each, f"w:rPr/{name}")) is not None), None)


def is_mono(paragraph: Any) -> bool:
    """Return whether all text of a paragraph is in a fixed-width font."""
    fonts = [find(run, "w:rPr/w:rFonts") for run in _runs_with_text(paragraph)]
    return bool(fonts) and all(font is not None and _MONO.search(font.get(qn("w:ascii")) or "") for font in fonts)


def is_formula(paragraph: Any) -> bool:
    """Return whether a paragraph consists only of a formula."""
    return any(True for _ in paragraph.iter(*_FORMULAS)) and not _runs_with_text(paragraph)


def _is_on(mark: Any) -> bool:
    return mark is not None and mark.get(qn("w:val")) not in ("0", "false", "off")


def _runs_with_text(paragraph: Any) -> list[Any]:
    return [run for run in paragraph.iter(qn("w:r")) if any((text.text or "").strip() for text in run.iter(qn("w:t")))]


def framed_cells(table: Any) -> list[Any]:
    """Return the cells of a table that only frames or places text: one column, or one row with several paragraphs."""
    own = [cell for cell in table.iter(qn("w:tc")) if next(cell.iterancestors(qn("w:tbl"))) is table]
    rows = {next(cell.iterancestors(qn("w:tr"))) for cell in own}
    placed = len(rows) == 1 and any(len(cell.findall(qn("w:p"))) >= _FEWEST_PARAGRAPHS for cell in own)
    return own if placed or len(own) == len(rows) else []


def table_rows(table: Any, hidden: list[str]) -> tuple[list[list[str]], int]:
    """Return the cells of a table's rows, merged ones filled, and how many rows are marked as its header."""
    rows: list[list[SpanningCell]] = []
    marked = 0
    # By column: the row and index of a cell that may continue in the next row.
    began: dict[int, tuple[int, int]] = {}
    for row in table.iter(qn("w:tr")):
        if next(row.iterancestors(qn("w:tbl"))) is not table or find(row, "w:trPr/w:del") is not None:
            continue
        if find(row, "w:trPr/w:tblHeader") is not None and marked == len(rows):
            marked += 1
        column = _span(find(row, "w:trPr/w:gridBefore"), least=0)
        cells = [SpanningCell("")] * column
        for cell in (each for part in row.iterchildren(qn("w:tc"), qn("w:sdt")) for each in part.iter(qn("w:tc"))):
            if next(cell.iterancestors(qn("w:tr"))) is not row:
                continue
            merge = find(cell, "w:tcPr/w:vMerge")
            across = _span(find(cell, "w:tcPr/w:gridSpan"))
            if merge is not None and merge.get(qn("w:val")) != "restart" and column in began:
                number, place = began[column]
                above = rows[number][place]
                rows[number][place] = replace(above, down=len(rows) - number + 1)
            else:
                began[column] = len(rows), len(cells)
                cells.append(SpanningCell(one_line(_text(cell, hidden)), across))
            column += across
        rows.append(cells)
    for number in range(min(max(marked, 1), len(rows))):
        # A title across the whole table belongs to no column.
        if len(rows[number]) > 1:
            rows[number] = [replace(cell, names_all=True) for cell in rows[number]]
    return spread_cells(rows), marked


def _text(cell: Any, hidden: list[str]) -> str:
    # A drawing with a second version for older programs counts once.
    paragraphs = (each for each in cell.iter(qn("w:p")) if next(each.iterancestors(FALLBACK), None) is None)
    return " ".join("".join(text_parts(each, hidden)) for each in paragraphs)


def _span(element: Any, least: int = 1) -> int:
    return min(max(whole_number(element, least), least), _MAX_SPAN)


class ListMarks:
    """Counts the items of a document's lists, in document order."""

    def __init__(self, document: Any) -> None:
        self._kinds = dict(_kinds_of(document))
        self._counted: dict[str, list[int]] = {}

    def mark(self, number_id: str, level: int) -> str:
        """Return the mark of the next item of a list, indented by its level: ``3. ``, ``b) ``, ``- ``.

        A paragraph of a level without marks continues the item above; it is indented.
        """
        level = min(max(level, 0), _MAX_LEVEL)
        kind, start = self._kinds.get((number_id, level), ("bullet", 1))
        if kind == "none":
            return "  " * (level + 1)
        counted = self._counted.setdefault(number_id, [])
        del counted[level + 1 :]
        counted += [0] * (level + 1 - len(counted))
        counted[level] += 1
        number = counted[level] + start - 1
        if kind == "bullet":
            mark = "- "
        elif kind in ("lowerLetter", "upperLetter") and 1 <= number <= 26:
            mark = f"{chr(ord('a' if kind == 'lowerLetter' else 'A') + number - 1)}) "
        else:
            mark = f"{number}. "
        return "  " * level + mark


def _kinds_of(document: Any) -> Iterator[tuple[tuple[str, int], tuple[str, int]]]:
    """Yield each level of each list with its kind of number and the first number."""
    try:
        root = document.part.numbering_part.element
    except (KeyError, NotImplementedError, AttributeError):
        return
    abstract = {str(each.get(qn("w:abstractNumId"))): each for each in root.iter(qn("w:abstractNum"))}
    for number in root.iter(qn("w:num")):
        reference = find(number, "w:abstractNumId")
        levels = abstract.get(str(reference.get(qn("w:val")))) if reference is not None else None
        for level in levels.iter(qn("w:lvl")) if levels is not None else ():
            kind = find(level, "w:numFmt")
            written = str(kind.get(qn("w:val"))) if kind is not None else "bullet"
            shown = find(level, "w:lvlText")
            if shown is not None and not str(shown.get(qn("w:val")) or "").strip():
                written = "none"
            place = str(number.get(qn("w:numId"))), whole_number(level, 0, "w:ilvl")
            yield place, (written, whole_number(find(level, "w:start"), 1))
