import hashlib
from dataclasses import replace
from pathlib import Path
from unittest.mock import Mock

import pytest
from PIL import Image, ImageDraw
from reportlab.pdfgen.canvas import Canvas

import ingestion.pictures
from contracts.errors import NotFound
from contracts.text import Document
from ingestion.limits import IngestionLimits
from ingestion.readers import reader_for
from serving.documents.originals import NoPicture, draw_page
from tests.library import samples
from tools.ocr import OcrResult


def document_of(path: Path, media_type: str, pages: int = 2) -> Document:
    content = path.read_bytes()
    read = {"content_hash": hashlib.sha256(content).hexdigest(), "pages": pages, "size_bytes": len(content)}
    return replace(samples.document_of(path.name), id="d1", path=str(path), media_type=media_type, **read)


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


def test_picture_has_the_requested_width_within_bounds(pdf: Path) -> None:
    document = document_of(pdf, "application/pdf")
    giant = draw_page(document, 2)
    assert max(giant.width_px, giant.height_px) <= 1_601
    small = draw_page(document, 1, 160)
    assert (small.width_px, small.width_pt) == (160, 600)
    assert draw_page(document, 1, 160) is small
    for page in (3, 0, -1, 10**30):
        with pytest.raises(NotFound, match=rf"'two.pdf' has 2 pages: there is no page {page}\."):
            draw_page(document, page)


def test_a_page_that_cannot_be_drawn_gives_no_picture(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.7 nothing")
    for kind in ("application/pdf", "image/png"):
        with pytest.raises(NoPicture, match=r"Page 1 of 'broken.pdf' cannot be drawn"):
            draw_page(document_of(broken, kind), 1)


def test_a_file_that_changed_gives_no_picture(pdf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def draw(path: Path, *_: object, **__: object) -> object:
        monkeypatch.undo()
        path.write_bytes(path.read_bytes().replace(b"600", b"601"))
        return ingestion.pictures.render_page(path, 1, dpi=72)

    document = document_of(pdf, "application/pdf")
    monkeypatch.setattr(ingestion.pictures, "render_page", draw)
    for _ in ("while it is drawn", "since it was read"):
        with pytest.raises(NoPicture, match="has changed since it was read"):
            draw_page(document, 1)
    pdf.unlink()
    with pytest.raises(NoPicture, match="is no longer where it was read from"):
        draw_page(document, 1)


@pytest.mark.parametrize(("dpi", "orientation"), [(300, 1), (72, 1), (None, 6)])
def test_image_has_the_size_used_for_its_boxes(tmp_path: Path, dpi: int | None, orientation: int) -> None:
    path = tmp_path / "scan.jpg"
    image = Image.new("RGB", (900, 600), "white")
    ImageDraw.Draw(image).rectangle((10, 10, 60, 40), fill="black")
    exif = Image.Exif()
    exif[0x0112] = orientation
    image.save(path, exif=exif, **({"dpi": (dpi, dpi)} if dpi else {}))

    def read_nothing(image: Image.Image) -> OcrResult:
        return OcrResult(words=(), width=image.width, height=image.height, rotation=0)

    page = next(iter(reader_for(path).read(path, IngestionLimits(), Mock(read=read_nothing))))
    picture = draw_page(document_of(path, "image/jpeg", 1), 1)
    assert (picture.width_pt, picture.height_pt) == pytest.approx((page.width_pt, page.height_pt), abs=0.1)
