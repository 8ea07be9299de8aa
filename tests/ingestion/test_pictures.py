"""Pages as pictures, pictures as documents, and the pages that a person should look at."""

from pathlib import Path

import pytest
from PIL import Image, ImageDraw

from contracts.errors import NotFound, UnreadableFile
from contracts.text import Block, Page
from ingestion.limits import IngestionLimits
from ingestion.pictures import render_page
from ingestion.runs.build import find_poor_pages
from tests.ingestion.readers.reading import FixedOcr, read
from tests.ingestion.samples import write_manual


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


def test_page_that_cannot_be_drawn_gives_the_reason(tmp_path: Path) -> None:
    write_manual(tmp_path / "manual.pdf")
    (tmp_path / "torn.gif").write_bytes(b"GIF87a but nothing more")
    Image.new("1", (2_000, 1_000)).save(tmp_path / "large.png")
    for name, page, error, said in (
        ("manual.pdf", 4, NotFound, "3 pages: there is no page 4"),
        ("manual.pdf", 0, NotFound, "there is no page 0"),
        ("gone.pdf", 1, UnreadableFile, "cannot be opened"),
        ("torn.gif", 1, UnreadableFile, "not a readable image"),
        ("large.png", 1, UnreadableFile, "2000 x 1000 pixels"),
    ):
        with pytest.raises(error, match=said):
            render_page(tmp_path / name, page, dpi=72, most_pixels=1_000_000)


def test_poor_pages_are_reported() -> None:
    words, no_layer = (Block(kind="paragraph", text="Some words."),), {"ocr_reason": "it has no text layer"}
    pages = [
        Page(number=1, blocks=words),
        Page(number=2, blocks=words, ocr_confidence=0.93, **no_layer),
        Page(number=3, blocks=words, ocr_confidence=0.41, **no_layer),
        Page(number=4, blocks=(), ocr_confidence=0.0, **no_layer),
        Page(number=5, blocks=(), warnings=("tesseract is not installed",), **no_layer),
        Page(number=6, blocks=words, ocr_reason="its words are no words"),
        Page(number=7, blocks=(), warnings=("page 7 has too many characters",)),
    ]
    assert [(each.page, each.confidence, each.reason) for each in find_poor_pages(pages)] == [
        (3, 0.41, "its words were read with a mean confidence of 0.41, below 0.60"),
        (4, 0.0, "no words could be read in its picture"),
        (5, None, "tesseract is not installed"),
    ]


# A running header, a sentence of the page's own, and a page number.
HALL = ("Works manual", "Hall {} is open.", "{}")


def frames(count: int, size: tuple[int, int] = (600, 800)) -> list[Image.Image]:
    pages = [Image.new("L", size, 255) for _ in range(count)]
    for page in pages:
        ImageDraw.Draw(page).rectangle((50, 50, 200, 80), fill=0)
    return pages


def test_running_headers_of_a_scanned_stack_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "stack.tif"
    first, *others = frames(4)
    first.save(path, save_all=True, append_images=others)
    pages = read(path, FixedOcr(*HALL, lead=370))
    read_as = [[block.text for block in page.blocks] for page in pages]
    assert read_as == [[f"Hall {number} is open."] for number in range(1, 5)]
    assert [page.blocks[0].boxes[0].box.page for page in pages] == [1, 2, 3, 4]
    assert all(page.ocr_reason and page.ocr_confidence == pytest.approx(0.9) for page in pages)


def test_a_fine_scan_is_read_at_three_hundred_dpi_and_measured_in_points(tmp_path: Path) -> None:
    path = tmp_path / "fine.png"
    frames(1, (2400, 3000))[0].save(path, dpi=(600, 600))
    ocr = FixedOcr(*HALL, lead=730)
    (page,) = read(path, ocr)
    assert ocr.sizes == [(1200, 1500)]
    assert (page.width_pt, page.height_pt) == pytest.approx((288, 360), abs=0.1)
    (box,) = (each.box for block in page.blocks if "open" in block.text for each in block.boxes)
    assert box.x0 == pytest.approx(20 * 72 / 300, abs=0.5)
    assert box.top == pytest.approx(750 * 72 / 300, abs=0.5)


def test_one_giant_frame_does_not_lose_the_others(tmp_path: Path) -> None:
    path = tmp_path / "mixed.tif"
    first, second, third = frames(3)
    first.save(path, save_all=True, append_images=[second.resize((1200, 1600)), third])
    pages = read(path, FixedOcr(*HALL, lead=370), IngestionLimits(image_pixels=500_000))
    assert [bool(page.blocks) for page in pages] == [True, False, True]
    assert pages[1].warnings == ("page 2 has 1200 x 1600 pixels, more than the 500,000 allowed",)
    assert [poor.page for poor in find_poor_pages(pages)] == [2]


def test_truncated_broken_or_too_large_pictures(tmp_path: Path) -> None:
    path = tmp_path / "cut.png"
    frames(1)[0].save(path)
    with pytest.raises(UnreadableFile, match="600 x 800 pixels"):
        read(path, FixedOcr(), IngestionLimits(image_pixels=10_000))
    with pytest.raises(UnreadableFile, match="no OCR engine"):
        read(path)
    path.write_bytes(path.read_bytes()[:400])
    (page,) = read(path, FixedOcr())
    assert page.blocks == ()
    assert "could not be read" in page.warnings[0]
    path.write_bytes(path.read_bytes()[:40])
    with pytest.raises(UnreadableFile, match=r"not a readable image|damaged"):
        read(path, FixedOcr())
