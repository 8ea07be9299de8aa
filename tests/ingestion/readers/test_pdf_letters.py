"""Letters described quickly are described as pdfplumber does it."""

from pathlib import Path
from typing import Any

import pdfplumber
import pytest
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from ingestion.readers.pdf import QuickPage


def described(path: Path) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Return what stands on each page as ``QuickPage`` and as pdfplumber describes it."""
    with pdfplumber.open(path) as pdf:
        return [(dict(QuickPage.like(page).objects), dict(page.objects)) for page in pdf.pages]


@pytest.mark.parametrize("turned", [0, 90])
def test_colours_tags_turned_letters_and_shifted_pages_are_described_alike(tmp_path: Path, turned: int) -> None:
    path = tmp_path / "odd.pdf"
    canvas = Canvas(str(path), pagesize=A4, pageCompression=0)
    canvas.setPageRotation(turned)
    canvas.setFillColorRGB(0.8, 0.1, 0.1)
    canvas._code.append("/P <</MCID 7>> BDC")
    canvas.drawString(100, 700, "red and marked")
    canvas._code.append("EMC")
    canvas.setFillColorCMYK(0.2, 0.3, 0.4, 0.5)
    canvas.rotate(30)
    canvas.drawString(300, 400, "slanted")
    canvas.circle(300, 100, 20)
    canvas.save()
    content = path.read_bytes()
    box = b"/MediaBox [ 0 0 "
    assert box in content
    path.write_bytes(content.replace(box, b"/MediaBox [ 9 7 "))
    ((ours, theirs),) = described(path)
    assert ours == theirs
    first = ours["char"][0]
    assert (first["text"], first["mcid"], first["non_stroking_color"]) == ("r", 7, (0.8, 0.1, 0.1))
    if not turned:
        assert first["x0"] == pytest.approx(100.0)
