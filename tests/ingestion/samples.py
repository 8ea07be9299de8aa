"""Real files that the tests write: PDFs with and without a text layer, office files."""

from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import ListFlowable, PageBreak, Paragraph, SimpleDocTemplate, Table

from contracts.text import Page
from tests.ingestion.readers.reading import read

PUMPS = [["Pump", "Flow", "Pressure"], ["P-10", "20 l/min", "3 bar"], ["P-20", "45 l/min", "6 bar"]]
PROSE = (
    "The cooling circuit carries water from the tank to the mould and back. A filter in front of each pump keeps "
    "particles out of the seals, and a bypass valve opens when the pressure rises above eight bar."
)


def write_manual(path: Path, *, password: str = "") -> None:
    """Write a PDF of three pages with headings, a list, a ruled table, running header and page numbers."""
    styles = getSampleStyleSheet()
    bullets = [Paragraph(text, styles["BodyText"]) for text in ("Close the inlet.", "Open the drain.", "Wait.")]
    grid = Table(PUMPS, style=[("GRID", (0, 0), (-1, -1), 0.5, colors.black)])
    story = [
        Paragraph("Cooling manual", styles["Title"]),
        Paragraph("1 Circuit", styles["Heading1"]),
        Paragraph(PROSE, styles["BodyText"]),
        Paragraph("1.1 Draining", styles["Heading2"]),
        Paragraph("Drain the circuit in three steps:", styles["BodyText"]),
        ListFlowable(bullets, bulletType="bullet"),
        PageBreak(),
        Paragraph("2 Pumps", styles["Heading1"]),
        Paragraph("Table 1: pumps", styles["BodyText"]),
        grid,
        Paragraph("Pumps are exchanged every four years.", styles["BodyText"]),
        PageBreak(),
        Paragraph("3 Faults", styles["Heading1"]),
        Paragraph("A humming pump has lost its prime.", styles["BodyText"]),
    ]

    def furniture(canvas: Canvas, document: SimpleDocTemplate) -> None:
        canvas.setFont("Helvetica", 8)
        canvas.drawString(70, 815, "Works manual, internal")
        canvas.drawRightString(525, 25, f"Page {document.page} of 3")

    document = SimpleDocTemplate(str(path), pagesize=A4, title="Cooling manual", encrypt=password or None)
    document.build(story, onFirstPage=furniture, onLaterPages=furniture)


def draw_page(lines: Sequence[str], *, dpi: int = 150) -> Image.Image:
    """Draw lines of text as the image of a page of A4."""
    image = Image.new("L", (round(A4[0] / 72 * dpi), round(A4[1] / 72 * dpi)), 255)
    font = ImageFont.load_default(size=round(12 * dpi / 72))
    for number, line in enumerate(lines):
        ImageDraw.Draw(image).text((dpi, dpi + round(0.3 * dpi * number)), line, fill=0, font=font)
    return image


class Sheet:
    """A PDF on whose pages lines are written at places counted from the top."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.canvas = Canvas(str(path), pagesize=A4)

    def write(
        self, x: float, top: float, lines: Sequence[str], *, size: float = 10, lead: float = 13, font: str = "Helvetica"
    ) -> float:
        """Write lines below each other; return where the next one would stand."""
        for line in lines:
            self.canvas.setFont(font, size)
            self.canvas.drawString(x, A4[1] - top, line)
            top += lead
        return top

    def read(self) -> list[Page]:
        self.canvas.save()
        return read(self.path)
