"""Which OCR engine is chosen."""

import importlib.util
import shutil
from pathlib import Path

import pytest

from golden_retriever.settings import load_settings
from golden_retriever.wiring import engines
from tools.ocr.rapid import RapidOcr
from tools.ocr.tesseract import TesseractOcr

needs_rapidocr = pytest.mark.skipif(importlib.util.find_spec("rapidocr") is None, reason="rapidocr is not installed")


@pytest.mark.skipif(shutil.which("tesseract") is None, reason="the program tesseract is not installed")
def test_tesseract_by_default() -> None:
    assert isinstance(engines.build_ocr(load_settings()), TesseractOcr)


@needs_rapidocr
def test_the_second_engine_where_tesseract_is_missing_which_is_said_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    engines._say_instead.cache_clear()
    assert isinstance(engines.build_ocr(load_settings()), RapidOcr)
    assert isinstance(engines.build_ocr(load_settings()), RapidOcr)
    output = "".join(capsys.readouterr())
    assert output.count("tesseract is not installed") == 1
