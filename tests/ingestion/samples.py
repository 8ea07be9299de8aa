"""Real files that the tests write: PDFs with and without a text layer, office files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, ListFlowable, PageBreak, Paragraph, SimpleDocTemplate, Table

from contracts.text import Page
from tests.ingestion.readers.reading import read

PUMPS = [["Pump", "Flow", "Pressure"], ["P-10", "20 l/min", "3 bar"], ["P-20", "45 l/min", "6 bar"]]
PROSE = (
    "The cooling circuit carries water from the tank to the mould and back. A filter in front of each pump keeps "
    "particles out of the seals, and a bypass valve opens when the pressure rises above eight bar."
)


STYLES = getSampleStyleSheet()
GRID = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)


def paragraph(text: str, style: str = "BodyText") -> Paragraph:
    return Paragraph(text, STYLES[style])


def build_pdf(path: Path, story: list[Flowable], header: str = "", footer: str = "", **options: Any) -> None:
    """Write ``story`` with a running header, and a footer with the number of the page for "{}"."""

    def header_and_footer(canvas: Canvas, document: SimpleDocTemplate) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(70, 815, header)
        canvas.drawRightString(525, 25, footer.format(document.page))

    document = SimpleDocTemplate(str(path), pagesize=A4, **options)
    document.build(story, onFirstPage=header_and_footer, onLaterPages=header_and_footer)


def write_manual(path: Path, *, password: str = "") -> None:
    """Write a PDF of three pages with headings, a list, a ruled table, running header and page numbers."""
    bullets = [paragraph(text) for text in ("Close the inlet.", "Open the drain.", "Wait.")]
    story = [
        paragraph("Cooling manual", "Title"),
        paragraph("1 Circuit", "Heading1"),
        paragraph(PROSE),
        paragraph("1.1 Draining", "Heading2"),
        paragraph("Drain the circuit in three steps:"),
        ListFlowable(bullets, bulletType="bullet"),
        PageBreak(),
        paragraph("2 Pumps", "Heading1"),
        paragraph("Table 1: pumps"),
        Table(PUMPS, style=[GRID]),
        paragraph("Pumps are exchanged every four years."),
        PageBreak(),
        paragraph("3 Faults", "Heading1"),
        paragraph("A humming pump has lost its prime."),
    ]
    footer = "Page {} of 3"
    build_pdf(path, story, "Works manual, internal", footer, title="Cooling manual", encrypt=password or None)


def draw_page(lines: Sequence[str], *, dpi: int = 150) -> Image.Image:
    """Draw lines of text as the image of a page of A4."""
    image = Image.new("L", (round(A4[0] / 72 * dpi), round(A4[1] / 72 * dpi)), 255)
    font = ImageFont.load_default(size=round(12 * dpi / 72))
    for number, line in enumerate(lines):
        ImageDraw.Draw(image).text((dpi, dpi + round(0.3 * dpi * number)), line, fill=0, font=font)
    return image


class Sheet:
    """A PDF on whose pages lines are written at places counted from the top, in a standard font or Vera."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.canvas = Canvas(str(path), pagesize=A4)
        pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))

    def write(
        self, x: float, top: float, lines: Sequence[str], *, size: float = 10, lead: float = 13, font: str = "Helvetica"
    ) -> float:
        """Write lines below each other; return where the next one would stand."""
        for line in lines:
            self.canvas.setFont(font, size)
            self.canvas.drawString(x, A4[1] - top, line)
            top += lead
        return top

    def show(self, image: Image.Image, x: float = 0, y: float = 0, width: float = A4[0], height: float = A4[1]) -> None:
        """Draw ``image`` with its lower left corner at a place counted from below."""
        self.canvas.drawImage(ImageReader(image), x, y, width, height)

    def read(self) -> list[Page]:
        """Return what is read of the pages; what is written next is a new PDF."""
        self.canvas.save()
        self.canvas = Canvas(str(self.path), pagesize=A4)
        return read(self.path)
