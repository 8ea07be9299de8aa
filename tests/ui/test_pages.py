import hashlib
import io
from dataclasses import dataclass
from pathlib import Path

import pytest
from PIL import Image, ImageDraw
from reportlab.pdfgen.canvas import Canvas

from contracts.text import Document
from ingestion.limits import IngestionLimits
from ingestion.readers import image as image_reader
from tools.ocr import OcrResult
from ui.pages import PageImages


@dataclass
class Shelf:
    """The library's answer to one question: which document is this?"""

    documents: dict[str, Document]

    def document(self, document_id: str) -> Document | None:
        return self.documents.get(document_id)


def shelf_of(path: Path, media_type: str) -> Shelf:
    content = path.read_bytes()
    document = Document(
        id="d1",
        name=path.name,
        path=str(path),
        media_type=media_type,
        content_hash=hashlib.sha256(content).hexdigest(),
        title="",
        pages=1,
        size_bytes=len(content),
    )
    return Shelf({"d1": document})


@pytest.fixture
def pdf(tmp_path: Path) -> Path:
    path = tmp_path / "two.pdf"
    canvas = Canvas(str(path), pagesize=(600, 800))
    canvas.rect(60, 640, 120, 80, fill=1)
    canvas.showPage()
    canvas.setPageSize((14_400, 100))
    canvas.drawString(10, 10, "wide")
    canvas.save()
    return path


def test_a_pdf_page_is_drawn_with_its_size_in_points(pdf: Path) -> None:
    picture = PageImages(shelf_of(pdf, "application/pdf"))("d1", 1)
    assert picture is not None
    assert (picture.width_pt, picture.height_pt) == (600, 800)
    drawn = Image.open(io.BytesIO(picture.content))
    assert drawn.size == (picture.width_px, picture.height_px)
    scale = drawn.width / 600
    # The rectangle stands 80 to 160 points below the top, as boxes are measured.
    assert drawn.convert("L").getpixel((int(120 * scale), int(120 * scale))) < 60
    assert drawn.convert("L").getpixel((int(120 * scale), int(200 * scale))) > 200


def test_a_giant_page_is_drawn_small(pdf: Path) -> None:
    picture = PageImages(shelf_of(pdf, "application/pdf"))("d1", 2)
    assert picture is not None
    assert max(picture.width_px, picture.height_px) <= 1_601


def test_what_cannot_be_drawn_gives_no_picture(pdf: Path, tmp_path: Path) -> None:
    pages = PageImages(shelf_of(pdf, "application/pdf"))
    assert pages("d1", 3) is None
    assert pages("d1", 0) is None
    assert pages("other", 1) is None
    assert PageImages(shelf_of(pdf, "text/markdown"))("d1", 1) is None
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 nothing")
    assert PageImages(shelf_of(broken, "application/pdf"))("d1", 1) is None
    assert PageImages(shelf_of(broken, "image/png"))("d1", 1) is None


def test_a_file_that_changed_since_gives_no_picture(pdf: Path) -> None:
    shelf = shelf_of(pdf, "application/pdf")
    content = pdf.read_bytes()
    pdf.write_bytes(content.replace(b"600", b"601"))
    assert PageImages(shelf)("d1", 1) is None
    pdf.unlink()
    assert PageImages(shelf)("d1", 1) is None


def test_only_the_pictures_used_last_are_kept(pdf: Path) -> None:
    pages = PageImages(shelf_of(pdf, "application/pdf"), most=1)
    first = pages("d1", 1)
    assert pages("d1", 1) is first
    pages("d1", 2)
    assert pages("d1", 1) is not first


class BlankOcr:
    """Reads every page as empty, at the size that it has."""

    name = "blank"

    def read(self, image: Image.Image) -> OcrResult:
        return OcrResult(words=(), width=image.width, height=image.height, rotation=0)


@pytest.mark.parametrize(("dpi", "orientation"), [(300, 1), (72, 1), (None, 6)])
def test_an_image_has_the_size_that_its_reader_measured_boxes_in(
    tmp_path: Path, dpi: int | None, orientation: int
) -> None:
    path = tmp_path / "scan.jpg"
    image = Image.new("RGB", (900, 600), "white")
    ImageDraw.Draw(image).rectangle((10, 10, 60, 40), fill="black")
    exif = Image.Exif()
    exif[0x0112] = orientation
    image.save(path, exif=exif, **({"dpi": (dpi, dpi)} if dpi else {}))
    page = next(iter(image_reader.read(path, IngestionLimits(), BlankOcr())))
    picture = PageImages(shelf_of(path, "image/jpeg"))("d1", 1)
    assert picture is not None
    assert (picture.width_pt, picture.height_pt) == pytest.approx((page.width_pt, page.height_pt), abs=0.1)
