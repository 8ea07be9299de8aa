"""Which pages of a PDF are read from their pictures, and what comes of it; pages are made by the test."""

import random
import re
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A4

from contracts.text import Page, reading_confidence
from tests.ingestion.readers.reading import FixedOcr, needs_tesseract, read
from tests.ingestion.samples import Sheet, draw_page
from tools.ocr.tesseract import TesseractOcr

PROSE = (
    "The cooling circuit carries water from the tank to the mould",
    "and back. A filter in front of each pump keeps particles out",
    "of the seals, and a bypass valve opens when the pressure rises",
    "above eight bar. Nobody opens the kiln before Thursday morning.",
    "Bearings are greased every six hundred hours of work, and worn",
    "seals are sent to the workshop beside the northern window.",
)


def text_of(page: Page) -> str:
    return "\n".join(block.text for block in page.blocks).replace("\n", " ")


def slanted_pdf(path: Path, image: Image.Image, degrees: float) -> Path:
    """Write ``image``, turned by some degrees, as a scan of one page."""
    slanted = image.rotate(degrees, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=255)
    slanted.save(path, "PDF", resolution=150)
    return path


def write_layered(path: Path, shown: tuple[str, ...], hidden: tuple[str, ...]) -> None:
    """Write a scan with the layer of invisible text that scanners add."""
    sheet = Sheet(path)
    sheet.show(draw_page(shown))
    sheet.canvas.setFont("Helvetica", 11)
    for number, line in enumerate(hidden):
        sheet.canvas.drawString(72, A4[1] - 83 - 0.3 * 72 * number, line, mode=3)
    sheet.canvas.save()


def misread(line: str, share: float = 0.3) -> str:
    draw = random.Random(line)
    return "".join(draw.choice("xqzvjk") if each.isalpha() and draw.random() < share else each for each in line)


def write_mapped(path: Path, shift: int) -> None:
    """Write text whose font says that each letter is another one: as broken ToUnicode maps do."""
    sheet = Sheet(path)
    sheet.canvas.setPageCompression(0)
    sheet.write(72, 82, PROSE, size=12, lead=20, font="Vera")
    sheet.canvas.save()
    content = path.read_bytes()

    def moved(match: re.Match[bytes]) -> bytes:
        def other(code: re.Match[bytes]) -> bytes:
            letter = int(code.group(1), 16)
            return b"<%04X>" % (letter + shift if chr(letter).isalpha() else letter)

        return re.sub(rb"<([0-9A-Fa-f]{4})>", other, match.group())

    changed, count = re.subn(rb"\d+ beginbf(?:range|char).*?endbf", moved, content, flags=re.DOTALL)
    assert count
    path.write_bytes(changed)


def test_wrongly_mapped_or_encoded_letters_are_read_by_ocr(tmp_path: Path) -> None:
    path = tmp_path / "mapped.pdf"
    for shift, reason in ((1, "the words of its text layer are not real words"), (0xE000, "glyph codes instead of")):
        write_mapped(path, shift)
        (page,) = read(path, FixedOcr(*PROSE))
        assert text_of(page) == " ".join(PROSE)
        assert reason in page.ocr_reason
        assert page.ocr_confidence == pytest.approx(0.9)
    path = tmp_path / "encoding.pdf"
    sheet = Sheet(path)
    sheet.write(72, 82, ["Größe und Länge prüfen, Gehäuse öffnen".encode().decode("cp1252")] * 6, lead=20)
    sheet.canvas.save()
    (page,) = read(path, FixedOcr("Größe und Länge prüfen, Gehäuse öffnen"))
    assert page.ocr_reason == "its text layer is in a wrong encoding"
    assert text_of(page) == "Größe und Länge prüfen, Gehäuse öffnen"


def test_doubtful_text_layer_that_is_better_than_ocr_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "doubtful.pdf"
    hidden = tuple(misread(line, 0.06) for line in PROSE)
    write_layered(path, PROSE, hidden)
    (page,) = read(path, FixedOcr(*(misread(line, 0.5) for line in PROSE), confidence=0.8))
    assert page.ocr_reason
    assert page.ocr_confidence is None
    assert text_of(page) == " ".join(hidden)
    assert page.warnings == ()
    # Text in another language is not taken for garbage.
    path = tmp_path / "german.pdf"
    write_layered(
        path,
        (),
        (
            "Der Kreislauf führt Wasser vom Behälter zur Form und zurück. Ein Filter vor jeder",
            "Pumpe hält Teilchen von den Dichtungen fern, und ein Ventil öffnet sich, sobald der",
            "Druck über acht Bar steigt. Niemand öffnet den Ofen vor dem Donnerstag. Die Lager",
            "werden alle sechshundert Stunden geschmiert, alte Dichtungen kommen in die Werkstatt.",
        ),
    )
    (page,) = read(path, FixedOcr("nothing"))
    assert page.ocr_reason == ""


@needs_tesseract
def test_words_in_a_picture_are_added_to_the_text(tmp_path: Path) -> None:
    path = tmp_path / "screenshot.pdf"
    sheet = Sheet(path)
    sheet.write(60, 42, PROSE, size=11, lead=14)
    sheet.show(draw_page(("Press START twice.", "Turn the yellow key.")), 100, 20, 470, 620)
    sheet.canvas.save()
    (page,) = read(path, TesseractOcr())
    assert page.ocr_reason == "it is mostly a picture"
    text = text_of(page)
    assert text.startswith(" ".join(PROSE))
    assert "Turn the yellow key." in text
    assert text.count("cooling circuit") == 1
    typed, shown = page.blocks[0], page.blocks[-1]
    assert reading_confidence(typed.boxes) is None
    assert (reading_confidence(shown.boxes) or 0) > 0.7


@needs_tesseract
def test_a_slanted_page_of_two_columns_keeps_them_apart_and_its_boxes_low(tmp_path: Path) -> None:
    left = [f"The north hall makes part {number} of every" for number in range(12)]
    right = [f"The south hall keeps tool {number} for all" for number in range(12)]
    image = Image.new("L", (1240, 1000), 255)
    font = ImageFont.load_default(size=22)
    for x, lines in ((90, left), (660, right)):
        for number, line in enumerate(lines):
            ImageDraw.Draw(image).text((x, 140 + 50 * number), line, fill=0, font=font)
    (page,) = read(slanted_pdf(tmp_path / "slanted.pdf", image, 3.5), TesseractOcr())
    text = text_of(page)
    assert text.rindex("north") < text.index("south")
    assert text.count("north") == text.count("south") == 12
    boxes = [box.box for block in page.blocks for box in block.boxes]
    # A line of 25 words would span half an inch in height if it were in one box.
    assert max(box.bottom - box.top for box in boxes) < 36
    assert all(0 <= box.x0 < box.x1 <= page.width_pt and 0 <= box.top < box.bottom <= page.height_pt for box in boxes)


def test_ocr_resolution_follows_the_picture(tmp_path: Path) -> None:
    widths = {}
    for dpi in (72, 150, 600):
        path = tmp_path / f"{dpi}.pdf"
        draw_page(PROSE, dpi=dpi).save(path, "PDF", resolution=dpi)
        ocr = FixedOcr(*PROSE, confidence=0.5)
        read(path, ocr)
        widths[dpi] = [round(width * 72 / A4[0]) for width, _ in ocr.sizes]
    assert widths[72] == [pytest.approx(108, abs=2)]
    assert widths[150] == [pytest.approx(200, abs=2)]
    # Low confidence at first: the page is read again at 300 dpi, but only once.
    assert widths[600] == [pytest.approx(200, abs=2), pytest.approx(300, abs=2)]


def test_empty_page_causes_no_warning(tmp_path: Path) -> None:
    path = tmp_path / "empty.pdf"
    Image.new("L", (800, 1000), 255).save(path, "PDF", resolution=100)
    (page,) = read(path, FixedOcr(blank=True))
    assert (page.ocr_reason, page.ocr_confidence, page.warnings, page.blocks) == ("", None, (), ())


def test_a_giant_picture_in_a_page_is_read_in_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "giant.pdf"
    giant = Image.new("1", (20_000, 20_000), 1)
    ImageDraw.Draw(giant).rectangle((5_000, 5_000, 9_000, 9_000), fill=0)
    giant.save(path, "PDF", resolution=100)
    ocr = FixedOcr("huge")
    (page,) = read(path, ocr)
    assert page.width_pt == pytest.approx(14_400)
    assert all(width * height <= 35_000_000 for width, height in ocr.sizes)
    assert text_of(page) == "huge"


@needs_tesseract
def test_a_ruled_table_on_a_slanted_scan_is_a_table(tmp_path: Path) -> None:
    rows = [
        ("Hall", "Least", "Keeper"),
        ("North", "2 bar", "Berg"),
        ("South", "1 bar", "Dahl"),
        ("East", "3 bar", "Moe"),
    ]
    image = Image.new("L", (1000, 700), 255)
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(26)
    pen.text((90, 100), "The pumps of the halls were measured in spring.", fill=0, font=font)
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            x, y = 90 + 250 * column, 200 + 60 * number
            pen.rectangle((x, y, x + 250, y + 60), outline=0, width=2)
            pen.text((x + 15, y + 12), cell, fill=0, font=font)
    pen.text((90, 520), "All other pumps have been taken out of service.", fill=0, font=font)
    (page,) = read(slanted_pdf(tmp_path / "table.pdf", image, 2.0), TesseractOcr())
    (table,) = (block for block in page.blocks if block.kind == "table")
    assert table.text.split("\n") == [" | ".join(row) for row in rows]
    assert table.header_rows == 1
    assert all(len(box.confidences) == len(table.text[box.span.start : box.span.end].split()) for box in table.boxes)


def test_words_separated_by_the_ocr_engine_stay_separate(tmp_path: Path) -> None:
    path = tmp_path / "touching.pdf"
    draw_page(PROSE[:2], dpi=72).save(path, "PDF", resolution=72)
    (page,) = read(path, FixedOcr(*PROSE[:2], width=60))
    assert text_of(page) == " ".join(PROSE[:2])
