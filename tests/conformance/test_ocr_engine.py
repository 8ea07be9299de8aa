"""What every OCR engine does: words with their places and confidences, upright and straight."""

import importlib.util
import pickle
import shutil
from collections.abc import Callable

import pytest
from PIL import Image, ImageDraw, ImageFont

from tools.ocr import OcrEngine, OcrResult
from tools.ocr.rapid import RapidOcr
from tools.ocr.tesseract import TesseractOcr

pytestmark = [pytest.mark.ocr, pytest.mark.slow]

ENGINES = [
    pytest.param(
        TesseractOcr,
        id="tesseract",
        marks=pytest.mark.skipif(shutil.which("tesseract") is None, reason="the program tesseract is not installed"),
    ),
    pytest.param(
        RapidOcr,
        id="rapidocr",
        marks=pytest.mark.skipif(importlib.util.find_spec("rapidocr") is None, reason="rapidocr is not installed"),
    ),
]
LINES = ("Bearings are greased twice a year.", "The tank holds 350 litres.", "Valves open slowly.")
WORDS = [word.strip(".") for line in LINES for word in line.split()]


def page() -> Image.Image:
    image = Image.new("L", (620, 240), 255)
    font = ImageFont.load_default(size=28)
    for number, line in enumerate(LINES):
        ImageDraw.Draw(image).text((50, 40 + 60 * number), line, fill=0, font=font)
    return image


def word_named(result: OcrResult, text: str) -> tuple[float, float, float, float]:
    (word,) = (each for each in result.words if each.text.strip(".") == text)
    return result.place(word)


@pytest.fixture(params=ENGINES, scope="module")
def engine(request: pytest.FixtureRequest) -> OcrEngine:
    make: Callable[[], OcrEngine] = request.param
    return make()


def test_reads_words_one_by_one_with_their_places(engine: OcrEngine) -> None:
    result = engine.read(page())
    assert [word.text.strip(".") for word in result.words] == WORDS
    assert all(0.5 < word.confidence <= 1 for word in result.words)
    assert result.confidence > 0.8
    lines = [(word.block, word.paragraph, word.line) for word in result.words]
    assert len(set(lines)) == 3
    assert lines == sorted(lines)
    assert (result.width, result.height, result.rotation, result.skew, result.blank) == (620, 240, 0, 0.0, False)
    font = ImageFont.load_default(size=28)
    before = ImageDraw.Draw(page()).textlength("The tank holds ", font=font)
    number = ImageDraw.Draw(page()).textlength("350", font=font)
    left, top, right, bottom = word_named(result, "350")
    assert left == pytest.approx(50 + before, abs=9)
    assert right == pytest.approx(50 + before + number, abs=9)
    # The letters, and not the space around the line, which tells type sizes.
    assert (top, bottom) == pytest.approx((107, 128), abs=4)


def test_turns_a_page_that_stands_on_its_head(engine: OcrEngine) -> None:
    result = engine.read(page().rotate(180))
    assert result.rotation == 180
    assert [word.text.strip(".") for word in result.words] == WORDS
    _, _, right, bottom = word_named(result, "Bearings")
    assert right == pytest.approx(570, abs=9)
    assert bottom == pytest.approx(240 - 47, abs=9)


def test_turns_a_page_that_lies_on_its_side(engine: OcrEngine) -> None:
    result = engine.read(page().rotate(90, expand=True))
    assert result.rotation == 90
    assert {word.text.strip(".") for word in result.words} >= set(WORDS[:6])
    left, top, right, bottom = word_named(result, "Bearings")
    assert bottom - top > 2 * (right - left)


def test_straightens_a_slant_and_finds_the_way_back(engine: OcrEngine) -> None:
    result = engine.read(page().rotate(-4, resample=Image.Resampling.BICUBIC, expand=True, fillcolor=255))
    assert result.skew == pytest.approx(4.0, abs=0.4)
    assert {word.text.strip(".") for word in result.words} >= set(WORDS[:6])
    first, last = word_named(result, "Bearings"), word_named(result, "year")
    assert last[1] - first[1] > 20
    assert 0 <= first[0] < last[2] <= 636


def test_finds_nothing_on_a_blank_page(engine: OcrEngine) -> None:
    result = engine.read(Image.new("L", (300, 200), 255))
    assert result.blank
    assert result.words == ()


def test_finds_no_words_in_a_picture_without_any(engine: OcrEngine) -> None:
    image = Image.new("L", (300, 200), 255)
    ImageDraw.Draw(image).rectangle((80, 60, 220, 140), fill=0)
    result = engine.read(image)
    assert not result.blank
    assert not any(len(word.text) > 2 and word.confidence > 0.6 for word in result.words)


def test_travels_to_another_process(engine: OcrEngine) -> None:
    copy: OcrEngine = pickle.loads(pickle.dumps(engine))
    assert type(copy) is type(engine)
