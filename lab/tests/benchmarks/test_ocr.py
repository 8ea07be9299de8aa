"""Words read from page images, with a scripted OCR engine and, if it is installed, with Tesseract."""

import shutil
from pathlib import Path

import pytest
from PIL import Image, ImageDraw, ImageFont

from contracts.errors import InvalidInput
from golden_lab.benchmarks.ocr import benchmarks, words_read
from golden_lab.engine import Engine
from golden_lab.run import Run
from lab.tests.benchmarks.annotated_sets import measured, value

FILES = [
    "linn.pdf",
    "ccitt.pdf",
    "skew.pdf",
    "rotated_skew.pdf",
    "poster.pdf",
    "docling_ocr_test.pdf",
    "docling_ocr_test_rotated_90.pdf",
    "docling_ocr_test_rotated_180.pdf",
]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    folder = tmp_path / "ocr_samples"
    folder.mkdir()
    page = Image.new("L", (1_000, 400), 255)
    ImageDraw.Draw(page).text((60, 150), "The flash memory", fill=0, font=ImageFont.load_default(80))
    for name in FILES:
        page.save(folder / name, resolution=150)
    (folder / "linn.txt").write_text("The flash memory")
    (folder / "docling_ocr_test.md").write_text("The flash array")
    return Run(data=tmp_path, work=tmp_path)


def test_recognised_words_are_counted_with_repetitions_in_any_order() -> None:
    assert words_read("b a a", "a b a b") == 0.75
    assert words_read("", "a") == 0.0


def test_every_file_has_its_gold_text(run: Run) -> None:
    cases = benchmarks()[0].load(run).cases
    assert [case.id for case in cases] == FILES
    assert {case.page: case.text for case in cases} == {
        "linn.txt": "The flash memory",
        "docling_ocr_test.md": "The flash array",
    }
    (run.data / "ocr_samples" / "linn.txt").unlink()
    with pytest.raises(InvalidInput, match=r"linn\.txt does not exist"):
        benchmarks()[0].load(run)


@pytest.mark.ocr
@pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")
async def test_words_are_read_through_the_reader_of_ingestion(engine: Engine, run: Run) -> None:
    cases = [each for each in benchmarks()[0].load(run).cases if each.id in (FILES[0], FILES[5])]
    outcomes = await measured(benchmarks()[0], engine, run, cases)
    scores = benchmarks()[0].score(outcomes, 7)
    assert value(scores, "word accuracy", subset="linn.pdf") == 1.0
    assert value(scores, "word accuracy", subset="docling_ocr_test.pdf") == pytest.approx(2 / 3)
    assert value(scores, "word accuracy") == pytest.approx(5 / 6)
    assert outcomes[1].trace["read"] == "The flash memory"
