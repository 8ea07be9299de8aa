"""Write the slides, the workbook and the word-processor document."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import docx
import openpyxl
from openpyxl.styles import Font
from pptx import Presentation
from pptx.util import Inches, Pt

from examples.source.blocks import Bullets, Heading, Page, Paragraph, Sheet, Slide

_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
_STAMP = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*(</dcterms:)")


def write_slides(path: Path, slides: Sequence[Slide]) -> None:
    """Write a slide deck; slide numbers are the positions in `slides`, from 1."""
    deck = Presentation()
    layouts = deck.slide_layouts
    for slide in slides:
        page = deck.slides.add_slide(layouts[5] if slide.table else layouts[1])
        title = page.shapes.title
        if title is not None:
            title.text_frame.text = slide.title
        if slide.table:
            rows, columns = len(slide.table), len(slide.table[0])
            frame = page.shapes.add_table(rows, columns, Inches(0.6), Inches(1.7), Inches(8.8), Inches(0.4 * rows))
            for row, texts in enumerate(slide.table):
                for column, text in enumerate(texts):
                    frame.table.cell(row, column).text_frame.text = text
        else:
            placeholder: Any = page.placeholders[1]
            body = placeholder.text_frame
            body.text = slide.bullets[0]
            for bullet in slide.bullets[1:]:
                body.add_paragraph().text = bullet
            for paragraph in body.paragraphs:
                paragraph.font.size = Pt(22)
        notes = page.notes_slide.notes_text_frame
        if notes is not None:
            notes.text = slide.notes
    deck.save(str(path))
    _freeze(path)


def write_workbook(path: Path, sheets: Sequence[Sheet]) -> None:
    """Write a workbook with one worksheet for each `Sheet`, header in bold."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for sheet in sheets:
        page = book.create_sheet(sheet.title)
        for row in sheet.rows:
            page.append(list(row))
        for column, header in enumerate(sheet.rows[0], start=1):
            page.cell(row=1, column=column).font = Font(bold=True)
            page.column_dimensions[chr(64 + column)].width = max(12, len(str(header)) + 4)
    book.save(path)
    _freeze(path)


def write_document(path: Path, title: str, blocks: Page) -> None:
    """Write a word-processor document with real heading styles and ruled tables."""
    document = docx.Document()
    document.add_heading(title, level=0)
    for block in blocks:
        if isinstance(block, Heading):
            document.add_heading(block.text, level=block.level)
        elif isinstance(block, Paragraph):
            document.add_paragraph(block.text)
        elif isinstance(block, Bullets):
            for item in block.items:
                document.add_paragraph(item, style="List Bullet")
        else:
            grid = document.add_table(rows=0, cols=len(block.rows[0]), style="Table Grid")
            for texts in block.rows:
                for cell, text in zip(grid.add_row().cells, texts, strict=True):
                    cell.text = text
    document.save(str(path))
    _freeze(path)


def _freeze(path: Path) -> None:
    """Take the clock out of an Office file, so that the same text gives the same bytes."""
    with zipfile.ZipFile(path) as archive:
        parts = [(part.filename, archive.read(part)) for part in archive.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts:
            if name == "docProps/core.xml":
                content = _STAMP.sub(rb"\g<1>2024-01-01T00:00:00Z\g<3>", content)
            entry = zipfile.ZipInfo(name, date_time=_ZIP_EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
