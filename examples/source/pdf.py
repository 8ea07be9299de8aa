"""Draw pages of blocks as a born-digital PDF with ruled tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from reportlab.lib import colors
from reportlab.lib.enums import TA_LEFT
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, ListFlowable, ListItem, PageBreak, SimpleDocTemplate, Spacer
from reportlab.platypus import Paragraph as Text
from reportlab.platypus import Table as Grid

from examples.source.blocks import Block, Bullets, Heading, Page, Table

_MARGIN_PT = 22 * mm
_WIDTH_PT = A4[0] - 2 * _MARGIN_PT
_RULES: list[Any] = [
    ("GRID", (0, 0), (-1, -1), 0.7, colors.black),
    ("BACKGROUND", (0, 0), (-1, 0), colors.HexColor("#e4e4e4")),
    ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
    ("TOPPADDING", (0, 0), (-1, -1), 3),
    ("BOTTOMPADDING", (0, 0), (-1, -1), 4),
]


def _style(name: str, size_pt: float, *, bold: bool = False, before_pt: float = 0.0, after_pt: float = 5.0) -> Any:
    return ParagraphStyle(
        name,
        fontName="Helvetica-Bold" if bold else "Helvetica",
        fontSize=size_pt,
        leading=size_pt * 1.35,
        alignment=TA_LEFT,
        spaceBefore=before_pt,
        spaceAfter=after_pt,
    )


class _Pen:
    """Turns blocks into flowables at one text size."""

    def __init__(self, body_pt: float) -> None:
        self._body = _style("body", body_pt, after_pt=body_pt * 0.6)
        self._cell = _style("cell", body_pt - 1, after_pt=0)
        self._head = _style("head", body_pt - 1, bold=True, after_pt=0)
        self._caption = _style("caption", body_pt - 1, bold=True, before_pt=4, after_pt=3)
        self._headings = {
            1: _style("h1", body_pt + 6, bold=True, after_pt=8),
            2: _style("h2", body_pt + 2, bold=True, before_pt=6, after_pt=4),
        }

    def draw(self, block: Block) -> list[Flowable]:
        """Return the flowables of one block."""
        if isinstance(block, Heading):
            return [Text(_escape(block.text), self._headings[block.level])]
        if isinstance(block, Bullets):
            items: list[Any] = [ListItem(Text(_escape(item), self._body)) for item in block.items]
            return [ListFlowable(items, bulletType="bullet", start="bulletchar", leftIndent=14), Spacer(1, 4)]
        return self._table(block) if isinstance(block, Table) else [Text(_escape(block.text), self._body)]

    def _table(self, table: Table) -> list[Flowable]:
        cells = [
            [Text(_escape(cell), self._cell if row else self._head) for cell in texts]
            for row, texts in enumerate(table.rows)
        ]
        widths = [share / sum(table.widths) * _WIDTH_PT for share in table.widths]
        grid = Grid(cells, colWidths=widths, repeatRows=1, style=_RULES, hAlign="LEFT")
        caption: list[Flowable] = [Text(_escape(table.caption), self._caption)] if table.caption else []
        return [*caption, grid, Spacer(1, 8)]


def _escape(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def write_pdf(path: Path, title: str, pages: Sequence[Page], *, body_pt: float = 10.5) -> None:
    """Write the pages to a PDF, the same bytes every time; one `Page` must fit one sheet of A4.

    Raises:
        ValueError: a page overflowed, so the page numbers would no longer be those of the data.
    """
    pen = _Pen(body_pt)
    story: list[Flowable] = []
    for number, page in enumerate(pages):
        story += [PageBreak()] if number else []
        for block in page:
            story += pen.draw(block)

    def footer(canvas: Canvas, document: Any) -> None:
        canvas.setFont("Helvetica", 8.5)
        canvas.drawString(_MARGIN_PT, 11 * mm, f"{title} - page {document.page} of {len(pages)}")

    document = SimpleDocTemplate(
        str(path),
        pagesize=A4,
        leftMargin=_MARGIN_PT,
        rightMargin=_MARGIN_PT,
        topMargin=18 * mm,
        bottomMargin=20 * mm,
        title=title,
        author="Halden Memory (fictional)",
        invariant=1,
    )
    document.build(story, onFirstPage=footer, onLaterPages=footer)
    if document.page != len(pages):
        raise ValueError(f"{path.name}: {len(pages)} pages of text took {document.page} sheets")
