"""Word documents (DOCX): paragraphs and tables in order, pages by the breaks that the file records."""

import re
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import docx
from docx.oxml.ns import qn
from docx.oxml.parser import parse_xml

from contracts.errors import UnreadableFile
from contracts.text import Block, BlockKind, Page
from ingestion.limits import IngestionLimits
from ingestion.readers.containers import check_container, office_title
from ingestion.readers.docx_text import (
    FALLBACK,
    NOTES,
    ListMarks,
    bold_size,
    find,
    framed_cells,
    is_formula,
    is_mono,
    table_rows,
    text_parts,
    whole_number,
)
from ingestion.readers.grid import grid_block
from ingestion.readers.pictures import PictureReader
from ingestion.readers.text_headings import with_questions_as_headings
from tools.ocr import OcrEngine

_MAX_FAKE_HEADING_WORDS = 12
_NUMBERED = re.compile(r"\d{1,2}(?P<further>(?:\.\d{1,2})*)[.)]?\s")
# Font sizes, in half points, of headings that are recognised by their font alone: 14 and 18 points.
_LARGE, _VERY_LARGE = 28, 36
_PICTURE = "{http://schemas.openxmlformats.org/drawingml/2006/main}blip"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read a Word document; without page breaks it is one page.

    Headers, footers, comments, and deleted or hidden text are left out; notes come at the end of the page that refers
    to them, text in pictures after the paragraph with the picture.

    Raises:
        UnreadableFile: the file is damaged, encrypted, or too large when unpacked.
    """
    check_container(path, limits, "word/document.xml")
    try:
        walk = _Walk(docx.Document(str(path)), PictureReader(limits, ocr))
    except Exception as error:
        # The library may raise any exception for unexpected parts.
        reason = f"it is not a readable Word document ({type(error).__name__}: {error})"
        raise UnreadableFile(str(path), reason) from error
    yield from walk.pages()


title = office_title


class _Walk:
    """Collects the pages of a document while going through its body."""

    def __init__(self, document: Any, pictures: PictureReader) -> None:
        self._document = document
        self._pictures = pictures
        self._styles = {style.style_id: style for style in document.styles}
        self._marks = ListMarks(document)
        paragraphs = document.element.body.iter(qn("w:p"))
        self._has_headings = any(self._outline_level(each) is not None for each in paragraphs)
        self._notes = _notes_of(document)
        self._after_term = False
        self._hidden: list[str] = []
        self._blocks: list[Block] = []
        self._page_notes: list[Block] = []
        self._done: list[Page] = []

    def pages(self) -> Iterator[Page]:
        self._visit(self._document.element.body)
        self._turn_page()
        yield from self._done

    @property
    def _number(self) -> int:
        return len(self._done) + 1

    def _turn_page(self) -> None:
        hidden = "".join(self._hidden).strip()
        noted = (f"hidden text was left out, such as “{hidden[:60]}”",) if hidden else ()
        blocks = (*with_questions_as_headings(self._blocks), *self._page_notes)
        self._done.append(self._pictures.page(Page(number=self._number, blocks=blocks, warnings=noted)))
        self._blocks, self._page_notes, self._hidden = [], [], []

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
        own_style = self._style(paragraph)
        style = str(own_style.name or "").lower() if own_style is not None else ""
        if style.startswith("toc ") or style in ("table of figures", "toc heading"):
            return
        if find(paragraph, "w:pPr/w:pageBreakBefore") is not None and self._blocks:
            self._turn_page()
        # A paragraph that crosses a page break is split there, so that each part is cited from its page.
        parts = text_parts(paragraph, self._hidden)
        for index, part in enumerate(parts):
            if index:
                self._turn_page()
            self._add_text(paragraph, style, part, first=index == 0)
        self._add_notes(paragraph)
        self._add_pictures(paragraph)
        for box in paragraph.iter(qn("w:txbxContent")):
            if next(box.iterancestors(FALLBACK), None) is None:
                self._visit(box)

    def _add_notes(self, element: Any) -> None:
        for reference in element.iter(*NOTES):
            name = str(reference.get(qn("w:id")))
            text = self._notes.pop((reference.tag == NOTES[0], name), "")
            if text:
                self._page_notes.append(Block(kind="notes", text=f"[{name}] {text}", page=self._number))

    def _add_pictures(self, element: Any) -> None:
        for picture in element.iter(_PICTURE):
            part = self._document.part.related_parts.get(picture.get(_RELATION))
            if part is not None and next(picture.iterancestors(FALLBACK), None) is None:
                self._blocks += self._pictures.read(part.blob, self._number)

    def _add_text(self, paragraph: Any, style: str, text: str, *, first: bool) -> None:
        text = text.strip("\n") if style_is_code(style) else re.sub(r" {2,}", " ", text).strip()
        if not text.strip():
            return
        kind, level = self._kind(paragraph, style, text)
        blocks = self._blocks
        after_term, self._after_term = self._after_term, style == "definition term"
        if self._after_term:
            text = f"{text.removesuffix(':')}:".replace("\n", ", ")
        elif after_term and style == "definition" and blocks:
            blocks[-1] = Block(kind="list", text=f"{blocks[-1].text} {' '.join(text.split())}", page=self._number)
            return
        if kind == "list":
            mark = self._mark(paragraph, style) if first else ""
            if first and not mark.strip() and not (blocks and blocks[-1].kind in ("list", "code")):
                kind, mark = "paragraph", ""
            inset = "  " + " " * (len(mark) - len(mark.lstrip())) if mark.strip() else mark
            text = mark + text.replace("\n", f"\n{inset}")
        elif kind == "code" and blocks and blocks[-1].kind in ("list", "code") and self._is_set_in(paragraph):
            text = textwrap.indent(text, "  ")
        if kind in ("list", "code") and blocks and blocks[-1].kind == kind and not is_formula(paragraph):
            blocks[-1] = Block(kind=kind, text=f"{blocks[-1].text}\n{text}", page=self._number)
        else:
            blocks.append(Block(kind=kind, text=text, page=self._number, level=level))

    def _kind(self, paragraph: Any, style: str, text: str) -> tuple[BlockKind, int]:
        outline = self._outline_level(paragraph)
        if style == "title":
            return "heading", 1
        if outline is not None and len(text) <= 250:
            return "heading", outline + 1
        if style == "caption":
            return "caption", 0
        # A formula stays whole, like code.
        if style_is_code(style) or is_formula(paragraph) or is_mono(paragraph):
            return "code", 0
        if style.startswith(("list", "definition")) or self._numbering(paragraph) is not None:
            return "list", 0
        size = bold_size(paragraph, self._style_chain)
        ended = text[-1] in ".,;" or (text[-1] == ":" and not _NUMBERED.match(text))
        if size and len(text.split()) <= _MAX_FAKE_HEADING_WORDS and not ended:
            return "heading", self._fake_level(text, size)
        return "paragraph", 0

    def _fake_level(self, text: str, size: int) -> int:
        """Return the level of a bold line: by its number or size, below the document's real headings if it has any."""
        if self._has_headings:
            return 7
        if number := _NUMBERED.match(text):
            if len(self._blocks) == 1 and not self._done and self._blocks[0].level == 7:
                # The bold line at the top is the title.
                self._blocks[0] = replace(self._blocks[0], level=1)
            return 2 + number["further"].count(".")
        return 1 if size >= _VERY_LARGE else 2 if size >= _LARGE else 7

    def _style(self, element: Any) -> Any:
        found = find(element, "w:rPr/w:rStyle" if element.tag == qn("w:r") else "w:pPr/w:pStyle")
        return self._styles.get(found.get(qn("w:val"))) if found is not None else None

    def _style_chain(self, element: Any) -> Iterator[Any]:
        """Yield the style of a paragraph or run, the one that it is based on, and so on."""
        style, seen = self._style(element), 0
        while style is not None and seen < 20:
            yield style
            style, seen = style.base_style, seen + 1

    def _outline_level(self, paragraph: Any) -> int | None:
        own = find(paragraph, "w:pPr/w:outlineLvl")
        for style in self._style_chain(paragraph):
            name = re.match(r"heading (\d)", str(style.name or "").lower())
            if own is not None:
                break
            if name:
                return int(name.group(1)) - 1
            own = find(style.element, "w:pPr/w:outlineLvl")
        level = whole_number(own, 9)
        return level if level < 9 else None

    def _numbering(self, paragraph: Any) -> tuple[str, int] | None:
        """Return the list that a paragraph belongs to and its level there, set in the paragraph or in its style."""
        found, style = find(paragraph, "w:pPr/w:numPr"), self._style(paragraph)
        if found is None and style is not None:
            found = find(style.element, "w:pPr/w:numPr")
        number = find(found, "w:numId") if found is not None else None
        if number is None or number.get(qn("w:val")) == "0":
            return None
        return str(number.get(qn("w:val"))), whole_number(find(found, "w:ilvl"), 0)

    def _mark(self, paragraph: Any, style: str) -> str:
        """Return the item's mark; List Bullet 2 and List Number 3 name their level, List Continue has no mark."""
        number, level = self._numbering(paragraph) or ("", 0)
        if style.startswith("list continue") or style == "definition":
            return "  " * (level + 1)
        named = re.search(r"[2-9]$", style)
        mark = self._marks.mark(number, level)
        return "  " * (int(named.group()) - 1) + mark if named and level == 0 else mark

    def _is_set_in(self, paragraph: Any) -> bool:
        indent = find(paragraph, "w:pPr/w:ind")
        return self._numbering(paragraph) is not None or whole_number(indent, 0, "w:left") > 0

    def _table(self, table: Any) -> None:
        if framed := framed_cells(table):
            for cell in framed:
                self._visit(cell)
            return
        rows, marked = table_rows(table, self._hidden)
        block = grid_block(rows, self._number, header_rows=marked or None)
        if block is not None:
            self._blocks.append(block)
        self._add_notes(table)
        self._add_pictures(table)
        for _ in range(sum(1 for _ in table.iter(qn("w:lastRenderedPageBreak")))):
            self._turn_page()


def _notes_of(document: Any) -> dict[tuple[bool, str], str]:
    """Return the texts of notes; a key is whether the note is a footnote (not an endnote), and the note's id."""
    notes: dict[tuple[bool, str], str] = {}
    for relation in document.part.rels.values():
        if relation.is_external or not relation.reltype.endswith(("/footnotes", "/endnotes")):
            continue
        for note in parse_xml(relation.target_part.blob):
            text = " ".join("".join(text_parts(each)) for each in note.iter(qn("w:p"))).strip()
            if text and note.get(qn("w:type")) not in ("separator", "continuationSeparator"):
                notes[relation.reltype.endswith("/footnotes"), str(note.get(qn("w:id")))] = text
    return notes


def style_is_code(style: str) -> bool:
    """Return whether a style is meant for code, judging by its name."""
    return any(word in style for word in ("code", "preformatted", "macro", "source"))
