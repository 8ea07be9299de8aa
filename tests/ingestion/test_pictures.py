"""Pictures of pages, and the pages that a person should look at."""

from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from reportlab.pdfgen.canvas import Canvas

from contracts.errors import NotFound, UnreadableFile
from contracts.text import Block, Page
from ingestion.pictures import render_page
from ingestion.runs.build import find_poor_pages


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    path = tmp_path / "two.pdf"
    canvas = Canvas(str(path), pagesize=(600, 800))
    canvas.rect(60, 640, 120, 80, fill=1)
    canvas.showPage()
    canvas.setPageSize((14_400, 14_400))
    canvas.drawString(10, 10, "vast")
    canvas.save()
    return path


def test_an_image_is_made_smaller_and_never_larger(tmp_path: Path) -> None:
    path = tmp_path / "pages.tif"
    pages = [Image.new("L", (1200, 600), 255) for _ in range(2)]
    ImageDraw.Draw(pages[1]).rectangle((0, 0, 599, 599), fill=0)
    pages[0].save(path, save_all=True, append_images=pages[1:], dpi=(300, 300))
    second = render_page(path, 2, dpi=150)
    assert second.image.size == (600, 300)
    assert (second.width_pt, second.height_pt) == (288, 144)
    assert second.image.convert("L").getpixel((100, 100)) == 0
    assert render_page(path, 1, dpi=900).image.size == (1200, 600)


def test_what_cannot_be_drawn_is_said(pdf: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="2 pages, and no page 3"):
        render_page(pdf, 3, dpi=72)
    with pytest.raises(NotFound):
        render_page(pdf, 0, dpi=72)
    with pytest.raises(UnreadableFile, match="cannot be opened"):
        render_page(tmp_path / "gone.pdf", 1, dpi=72)
    torn = tmp_path / "torn.gif"
    torn.write_bytes(b"GIF87a but nothing more")
    with pytest.raises(UnreadableFile, match="not a readable image"):
        render_page(torn, 1, dpi=72)
    Image.new("1", (2_000, 1_000)).save(tmp_path / "large.png")
    with pytest.raises(UnreadableFile, match="2000 x 1000 pixels"):
        render_page(tmp_path / "large.png", 1, dpi=72, most_pixels=1_000_000)


def test_poor_pages_are_those_that_a_person_should_look_at() -> None:
    words = (Block(kind="paragraph", text="Some words."),)
    pages = [
        Page(number=1, blocks=words),
        Page(number=2, blocks=words, ocr_confidence=0.93, ocr_reason="it has no text layer"),
        Page(number=3, blocks=words, ocr_confidence=0.41, ocr_reason="it has no text layer"),
        Page(number=4, blocks=(), ocr_confidence=0.0, ocr_reason="it has no text layer"),
        Page(number=5, blocks=(), ocr_reason="it has no text layer", warnings=("tesseract is not installed",)),
        Page(number=6, blocks=words, ocr_reason="its words are no words"),
        Page(number=7, blocks=(), warnings=("page 7 has too many characters",)),
    ]
    poor = find_poor_pages(pages)
    assert [(each.page, each.confidence) for each in poor] == [(3, 0.41), (4, 0.0), (5, None)]
    assert [each.reason for each in poor] == [
        "its words were read with a mean confidence of 0.41, below 0.60",
        "no words could be read on its picture",
        "tesseract is not installed",
    ]
