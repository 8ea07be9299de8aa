"""Reading words off pictures that the test draws: straight, slanted, turned, blank, with rules between them."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from PIL import Image, ImageChops, ImageDraw, ImageFont

from contracts.errors import Unavailable
from tools.ocr import OcrResult
from tools.ocr.images import estimate_skew, without_rules
from tools.ocr.tesseract import TesseractOcr

pytestmark = [
    pytest.mark.ocr,
    pytest.mark.skipif(shutil.which("tesseract") is None, reason="the program tesseract is not installed"),
]

LINES = (
    "The guarantee covers pumps and motors for two years.",
    "Bearings are greased every six hundred hours of work.",
    "Send worn seals to the workshop in Lower Street.",
    "Valves are opened slowly, first the small one.",
    "Call the engineer on duty before the tank is drained.",
    "Readings are written down at noon and at midnight.",
)


@pytest.fixture(scope="module")
def page() -> Image.Image:
    image = Image.new("L", (1000, 700), 255)
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(size=30)
    for number, line in enumerate(LINES):
        pen.text((90, 80 + 90 * number), line, fill=0, font=font)
    return image


def words(result: OcrResult) -> list[str]:
    return [word.text.strip(".,") for word in result.words]


EXPECTED = [word.strip(".,") for line in LINES for word in line.split()]


def share_found(result: OcrResult) -> float:
    found = words(result)
    return sum(word in found for word in EXPECTED) / len(EXPECTED)


@pytest.mark.parametrize(("turn", "degrees"), [(0, -9.5), (90, 0.0), (180, -3.0), (270, 5.0)])
def test_rotated_or_slanted_page_is_read_with_correct_word_boxes(page: Image.Image, turn: int, degrees: float) -> None:
    only = Image.new("L", page.size, 255)
    ImageDraw.Draw(only).text((90, 80 + 90 * 2), "Send", fill=0, font=ImageFont.load_default(size=30))

    def lay(flat: Image.Image) -> Image.Image:
        slanted = flat.rotate(degrees, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=255)
        return slanted.rotate(turn, expand=True)

    result = TesseractOcr().read(lay(page))
    assert (result.rotation, result.skew) == (turn, pytest.approx(-degrees, abs=0.35))
    assert estimate_skew(page) == 0.0
    assert share_found(result) > 0.9
    (word,) = (each for each in result.words if each.text == "Send")
    # getbbox finds pixels that are not black, so the word is inverted to white on black.
    ink = lay(only).point(lambda value: 255 if value < 128 else 0).getbbox()
    left, top, right, bottom = result.place(word)
    assert left <= ink[0] + 6
    assert top <= ink[1] + 6
    assert right >= ink[2] - 6
    assert bottom >= ink[3] - 6
    assert (right - left) * (bottom - top) < 2.5 * (ink[2] - ink[0]) * (ink[3] - ink[1])


def test_reads_small_print_and_transparent_pictures(page: Image.Image) -> None:
    small = page.resize((page.width * 2 // 5, page.height * 2 // 5), Image.Resampling.LANCZOS)
    clear = Image.new("RGBA", small.size, (0, 0, 0, 0))
    clear.paste((0, 0, 0, 255), mask=small.point(lambda value: 255 - value))
    result = TesseractOcr().read(clear)
    assert share_found(result) > 0.85
    assert max(word.right for word in result.words) <= clear.width


def test_reads_words_line_by_line_with_boxes_and_confidences(page: Image.Image) -> None:
    result = TesseractOcr().read(page)
    assert words(result) == EXPECTED
    assert all(0.5 < word.confidence <= 1 for word in result.words)
    lines = [(word.block, word.paragraph, word.line) for word in result.words]
    assert len(set(lines)) == len(LINES)
    assert lines == sorted(lines)
    assert (result.width, result.height, result.rotation, result.skew, result.blank) == (1000, 700, 0, 0.0, False)


def test_finds_nothing_on_a_blank_page_and_no_words_in_a_picture_without_any() -> None:
    for shade in (255, 128, 0):
        result = TesseractOcr().read(Image.new("L", (400, 300), shade))
        assert (result.words, result.confidence) == ((), 0.0), shade
    image = Image.new("L", (300, 200), 255)
    ImageDraw.Draw(image).rectangle((80, 60, 220, 140), fill=0)
    result = TesseractOcr().read(image)
    assert not result.blank
    assert not any(len(word.text) > 2 and word.confidence > 0.6 for word in result.words)


def test_a_program_that_hangs_costs_the_time_of_one_page_at_most(
    page: Image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "tesseract"
    program.write_text("#!/bin/sh\nexec sleep 60\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    with pytest.raises(Unavailable, match=r"did not finish an image within 0\.3 s"):
        TesseractOcr(timeout_s=0.3).read(page)


def test_leaves_no_files_and_does_not_change_the_thread_limit(
    page: Image.Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder where nothing can be written: what is not written does not survive a kill."""
    before = os.environ.get("OMP_THREAD_LIMIT")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "absent"))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "absent"))
    assert share_found(TesseractOcr().read(page)) > 0.9
    assert os.environ.get("OMP_THREAD_LIMIT") == before


def test_line_removal_keeps_letters_and_bars() -> None:
    bare = Image.new("L", (900, 600), 250)
    pen = ImageDraw.Draw(bare)
    pen.text((130, 120), "Hall", fill=10, font=ImageFont.load_default(size=90))
    pen.text((430, 150), "little letters in a cell", fill=10, font=ImageFont.load_default(size=26))
    pen.rectangle((100, 450, 700, 480), fill=10)
    ruled = bare.copy()
    pen = ImageDraw.Draw(ruled)
    for y in (90, 250, 400):
        pen.line((100, y, 820, y), fill=20, width=4)
    for x in (100, 400, 820):
        pen.line((x, 90, x, 400), fill=20, width=3)
    difference = ImageChops.difference(without_rules(ruled), bare)
    assert max(difference.getdata()) < 40
    assert without_rules(bare).tobytes() == bare.tobytes()
    # A letter that touches a line stays.
    image = Image.new("L", (900, 300), 255)
    pen = ImageDraw.Draw(image)
    pen.rectangle((200, 100, 206, 160), fill=0)
    pen.line((100, 160, 800, 160), fill=0, width=3)
    cleaned = without_rules(image)
    assert cleaned.getpixel((203, 130)) == 0
    assert cleaned.getpixel((500, 160)) == 255
