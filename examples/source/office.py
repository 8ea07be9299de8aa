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

from examples.source.blocks import Block, Bullets, Heading, Notes, Page, Paragraph, Table

_ZIP_EPOCH = (1980, 1, 1, 0, 0, 0)
_STAMP = re.compile(rb"(<dcterms:(created|modified)[^>]*>)[^<]*(</dcterms:)")


def write_slides(path: Path, slides: Sequence[Page]) -> None:
    """Write a slide deck; slide numbers are the positions in `slides`, from 1."""
    deck = Presentation()
    for slide in slides:
        table = next((block for block in slide if isinstance(block, Table)), None)
        page = deck.slides.add_slide(deck.slide_layouts[5 if table else 1])
        for block in slide:
            _place(page, block)
    deck.save(str(path))
    _freeze(path)


def _place(page: Any, block: Block) -> None:
    if isinstance(block, Table):
        rows, columns = len(block.rows), len(block.rows[0])
        frame = page.shapes.add_table(rows, columns, Inches(0.6), Inches(1.7), Inches(8.8), Inches(0.4 * rows))
        for row, texts in enumerate(block.rows):
            for column, text in enumerate(texts):
                frame.table.cell(row, column).text_frame.text = text
    elif isinstance(block, Bullets):
        body = page.placeholders[1].text_frame
        body.text = block.items[0]
        for bullet in block.items[1:]:
            body.add_paragraph().text = bullet
        for paragraph in body.paragraphs:
            paragraph.font.size = Pt(22)
    elif isinstance(block, Notes):
        page.notes_slide.notes_text_frame.text = block.text
    else:
        page.shapes.title.text_frame.text = block.text


def write_workbook(path: Path, sheets: Sequence[Page]) -> None:
    """Write a workbook with one worksheet for each heading with its table, header in bold."""
    book = openpyxl.Workbook()
    book.remove(book.worksheets[0])
    for heading, table in sheets:
        assert isinstance(heading, Heading)
        assert isinstance(table, Table)
        page = book.create_sheet(heading.text)
        for row in table.rows:
            page.append([int(cell) if cell.isdecimal() else cell or None for cell in row])
        for column, header in enumerate(table.rows[0], start=1):
            page.cell(row=1, column=column).font = Font(bold=True)
            page.column_dimensions[chr(64 + column)].width = max(12, len(header) + 4)
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
        elif isinstance(block, Table):
            grid = document.add_table(rows=0, cols=len(block.rows[0]), style="Table Grid")
            for texts in block.rows:
                for cell, text in zip(grid.add_row().cells, texts, strict=True):
                    cell.text = text
    document.save(str(path))
    _freeze(path)


def _freeze(path: Path) -> None:
    """Remove the times from an Office file, so that the same text gives the same bytes."""
    with zipfile.ZipFile(path) as archive:
        parts = [(part.filename, archive.read(part)) for part in archive.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts:
            if name == "docProps/core.xml":
                content = _STAMP.sub(rb"\g<1>2024-01-01T00:00:00Z\g<3>", content)
            entry = zipfile.ZipInfo(name, date_time=_ZIP_EPOCH)
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, content)
