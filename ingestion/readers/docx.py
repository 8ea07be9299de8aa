"""Word documents (DOCX): paragraphs and tables in their order, pages by the breaks that the file remembers."""

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import docx
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml

from contracts.errors import UnreadableFile
from contracts.text import Block, BlockKind, Page
from ingestion.limits import IngestionLimits
from ingestion.readers.containers import check_container
from ingestion.readers.grid import grid_block
from tools.ocr import OcrEngine

_SKIPPED = {qn("w:del"), qn("w:moveFrom"), qn("w:txbxContent"), qn("w:instrText")}
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_MONO = re.compile(r"mono|courier|consol", re.IGNORECASE)
_MAX_FAKE_HEADING_WORDS = 12


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read a Word document; without page breaks it is one page.

    Raises:
        UnreadableFile: the file is damaged, encrypted, or unpacks to too much.
    """
    document = _open(path, limits)
    yield from _Walk(document).pages()


def title(path: Path) -> str:
    """Return the title in the file's properties, or ""."""
    return str(docx.Document(str(path)).core_properties.title or "").strip()


def _open(path: Path, limits: IngestionLimits) -> Any:
    check_container(path, limits, "word/document.xml")
    try:
        return docx.Document(str(path))
    except (PackageNotFoundError, KeyError, ValueError, SyntaxError, OSError) as error:
        raise UnreadableFile(str(path), f"it is not a readable Word document ({error})") from error


class _Walk:
    """One walk through the body of a document."""

    def __init__(self, document: Any) -> None:
        self._document = document
        self._styles = {style.style_id: style for style in document.styles}
        self._pages: list[list[Block]] = [[]]
        self._counters: dict[tuple[str, str], int] = {}

    def pages(self) -> Iterator[Page]:
        """Read everything and yield the pages."""
        self._visit(self._document.element.body)
        for block in self._footnotes():
            self._pages[-1].append(block)
        for number, blocks in enumerate(self._pages, start=1):
            yield Page(number=number, blocks=tuple(blocks))

    def _visit(self, parent: Any) -> None:
        for element in parent.iterchildren():
            if element.tag == qn("w:p"):
                self._paragraph(element)
            elif element.tag == qn("w:tbl"):
                self._table(element)
            elif element.tag == qn("w:sdt"):
                content = element.find(qn("w:sdtContent"))
                if content is not None:
                    self._visit(content)
            elif element.tag in (qn("w:ins"), qn("w:customXml"), qn("w:smartTag")):
                self._visit(element)

    def _paragraph(self, paragraph: Any) -> None:
        style = self._style_name(paragraph)
        if style.startswith("toc ") or style in ("table of figures", "toc heading"):
            return
        if paragraph.find(f"{qn('w:pPr')}/{qn('w:pageBreakBefore')}") is not None and self._pages[-1]:
            self._pages.append([])
        # A paragraph that runs over a page's end is parted there, so that each part is cited from its page.
        parts = _text_parts(paragraph)
        for index, part in enumerate(parts):
            if index:
                self._pages.append([])
            self._add_text(paragraph, style, part, first=index == 0)
        for box in paragraph.iter(qn("w:txbxContent")):
            if not any(ancestor.tag == _FALLBACK for ancestor in box.iterancestors()):
                self._visit(box)

    def _add_text(self, paragraph: Any, style: str, text: str, *, first: bool) -> None:
        text = text.strip("\n") if style_is_code(style) else " ".join(text.split(" ")).strip()
        if not text.strip():
            return
        kind, level = self._kind(paragraph, style, text)
        blocks = self._pages[-1]
        if kind == "list":
            text = self._marker(paragraph, style) + text if first else text
        if kind in ("list", "code") and blocks and blocks[-1].kind == kind:
            blocks[-1] = Block(kind=kind, text=f"{blocks[-1].text}\n{text}", page=len(self._pages))
        else:
            blocks.append(Block(kind=kind, text=text, page=len(self._pages), level=level))

    def _kind(self, paragraph: Any, style: str, text: str) -> tuple[BlockKind, int]:
        outline = self._outline_level(paragraph)
        if style == "title":
            return "heading", 1
        if outline is not None and len(text) <= 250:
            return "heading", outline + 1
        if style == "caption":
            return "caption", 0
        if style_is_code(style) or _is_mono(paragraph):
            return "code", 0
        if style.startswith("list") or self._numbering(paragraph) is not None:
            return "list", 0
        if _is_bold_line(paragraph) and len(text.split()) <= _MAX_FAKE_HEADING_WORDS and text[-1] not in ".,;:":
            return "heading", 7
        return "paragraph", 0

    def _style_name(self, paragraph: Any) -> str:
        found = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
        style = self._styles.get(found.get(qn("w:val"))) if found is not None else None
        return str(style.name or "").lower() if style is not None else ""

    def _outline_level(self, paragraph: Any) -> int | None:
        own = paragraph.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
        found = paragraph.find(f"{qn('w:pPr')}/{qn('w:pStyle')}")
        style = self._styles.get(found.get(qn("w:val"))) if found is not None else None
        seen = 0
        while own is None and style is not None and seen < 20:
            name = re.match(r"heading (\d)", str(style.name or "").lower())
            if name:
                return int(name.group(1)) - 1
            own = style.element.find(f"{qn('w:pPr')}/{qn('w:outlineLvl')}")
            style, seen = style.base_style, seen + 1
        level = int(own.get(qn("w:val"), "9")) if own is not None else 9
        return level if level < 9 else None

    def _numbering(self, paragraph: Any) -> tuple[str, int] | None:
        found = paragraph.find(f"{qn('w:pPr')}/{qn('w:numPr')}")
        number = found.find(qn("w:numId")) if found is not None else None
        if found is None or number is None or number.get(qn("w:val")) == "0":
            return None
        level = found.find(qn("w:ilvl"))
        return str(number.get(qn("w:val"))), int(level.get(qn("w:val"), "0")) if level is not None else 0

    def _marker(self, paragraph: Any, style: str) -> str:
        level = (self._numbering(paragraph) or ("", 0))[1]
        return "  " * level + "- "

    def _table(self, table: Any) -> None:
        rows: list[list[str | None]] = []
        repeated = 0
        for row in table.iter(qn("w:tr")):
            if next((each for each in row.iterancestors() if each.tag == qn("w:tbl")), None) is not table:
                continue
            if row.find(f"{qn('w:trPr')}/{qn('w:tblHeader')}") is not None and repeated == len(rows):
                repeated += 1
            rows.append(_cells_of(row))
        _fill_merged(rows)
        texts = [[text or "" for text in row] for row in rows]
        block = grid_block(texts, len(self._pages), header_rows=repeated or None)
        if block is not None:
            self._pages[-1].append(block)
        for _ in range(sum(1 for _ in table.iter(qn("w:lastRenderedPageBreak")))):
            self._pages.append([])

    def _footnotes(self) -> Iterator[Block]:
        for relation in self._document.part.rels.values():
            if relation.is_external or not relation.reltype.endswith(("/footnotes", "/endnotes")):
                continue
            root = parse_xml(relation.target_part.blob)
            for note in root:
                text = " ".join("".join(_text_parts(each)) for each in note.iter(qn("w:p"))).strip()
                if text and note.get(qn("w:type")) not in ("separator", "continuationSeparator"):
                    yield Block(kind="notes", text=text, page=len(self._pages))


def style_is_code(style: str) -> bool:
    """Say whether a style's name is that of program text."""
    return any(word in style for word in ("code", "preformatted", "macro", "source"))


def _text_parts(paragraph: Any) -> list[str]:
    """Return a paragraph's text, parted at page breaks; deleted text and text boxes left out."""
    parts = [""]
    pending = list(reversed(list(paragraph)))
    while pending:
        element = pending.pop()
        if element.tag in _SKIPPED or element.tag == _FALLBACK:
            continue
        if element.tag == qn("w:t"):
            parts[-1] += element.text or ""
        elif element.tag in (qn("w:tab"), qn("w:ptab")):
            parts[-1] += " "
        elif element.tag in (qn("w:noBreakHyphen"),):
            parts[-1] += "-"
        elif element.tag == qn("w:lastRenderedPageBreak") or (
            element.tag == qn("w:br") and element.get(qn("w:type")) == "page"
        ):
            parts.append("")
        elif element.tag in (qn("w:br"), qn("w:cr")):
            parts[-1] += "\n"
        else:
            pending.extend(reversed(list(element)))
    return parts


def _cells_of(row: Any) -> list[str | None]:
    """Return the texts of a row's cells; None stands for a cell that goes on from the row above."""
    cells: list[str | None] = []
    for cell in row.iterchildren(qn("w:tc"), qn("w:sdt")):
        for inner in [cell] if cell.tag == qn("w:tc") else cell.iter(qn("w:tc")):
            properties = inner.find(qn("w:tcPr"))
            merge = properties.find(qn("w:vMerge")) if properties is not None else None
            span = properties.find(qn("w:gridSpan")) if properties is not None else None
            text = " ".join("".join(_text_parts(each)) for each in inner.iter(qn("w:p")))
            cells.append(None if merge is not None and merge.get(qn("w:val")) != "restart" else text)
            cells += [""] * (int(span.get(qn("w:val"), "1")) - 1 if span is not None else 0)
    return cells


def _fill_merged(rows: list[list[str | None]]) -> None:
    for above, row in pairwise(rows):
        for column, text in enumerate(row):
            if text is None and column < len(above):
                # A short name is repeated so that each row reads alone; a long text stays where it begins.
                row[column] = above[column] if len(above[column] or "") <= 60 else ""


def _is_bold_line(paragraph: Any) -> bool:
    runs = [run for run in paragraph.iter(qn("w:r")) if any((text.text or "").strip() for text in run.iter(qn("w:t")))]
    bold = [run.find(f"{qn('w:rPr')}/{qn('w:b')}") for run in runs]
    return bool(runs) and all(mark is not None and mark.get(qn("w:val")) not in ("0", "false") for mark in bold)


def _is_mono(paragraph: Any) -> bool:
    runs = [run for run in paragraph.iter(qn("w:r")) if any((text.text or "").strip() for text in run.iter(qn("w:t")))]
    fonts = [run.find(f"{qn('w:rPr')}/{qn('w:rFonts')}") for run in runs]
    return bool(runs) and all(font is not None and _MONO.search(font.get(qn("w:ascii")) or "") for font in fonts)
