"""The made documents: what they hold, and that seeds decide it."""

from pathlib import Path

import pdfplumber
import pytest
from PIL import Image

from contracts.errors import InvalidInput
from golden_lab.speed.ingest_documents import SCAN_DPI, make_document, make_scans, write_scans
from golden_lab.speed.ingest_engines import read_pages


def test_equal_seeds_make_equal_files_of_as_many_pages_as_asked(tmp_path: Path) -> None:
    for name, pages, seed in (("a", 5, 1), ("b", 5, 1), ("c", 5, 2)):
        make_document(tmp_path / f"{name}.pdf", pages=pages, seed=seed)
    first, again, other = ((tmp_path / f"{name}.pdf").read_bytes() for name in "abc")
    assert first == again
    assert first != other
    with pdfplumber.open(tmp_path / "a.pdf") as pdf:
        texts = [page.extract_text() for page in pdf.pages]
    assert [f"Page {number} of 5" in text for number, text in enumerate(texts, start=1)] == [True] * 5
    assert min(len(text.split()) for text in texts) > 80
    with pytest.raises(InvalidInput):
        make_document(tmp_path / "none.pdf", pages=0, seed=1)


@pytest.mark.slow
def test_documents_are_read_with_headings_prose_lists_and_tables_and_without_ocr(tmp_path: Path) -> None:
    make_document(tmp_path / "manual.pdf", pages=10, seed=0)
    pages = read_pages(tmp_path / "manual.pdf", None)
    kinds = [block.kind for page in pages for block in page.blocks]
    assert {"heading", "paragraph", "list", "table"} <= set(kinds)
    assert not [page.number for page in pages if page.ocr_reason or page.warnings]
    tables = [block for page in pages for block in page.blocks if block.kind == "table"]
    assert all(block.header_rows == 1 for block in tables)
    # Running headers and page numbers are known for what they are.
    assert not [block for page in pages for block in page.blocks if "Page 3 of 10" in block.text]


def test_scans_are_grey_pictures_without_a_text_layer(tmp_path: Path) -> None:
    make_document(tmp_path / "printed.pdf", pages=2, seed=3)
    scans = list(make_scans(tmp_path / "printed.pdf", [2], seed=3))
    assert [(scan.mode, scan.size) for scan in scans] == [("L", (1653, 2339))]
    held = write_scans(tmp_path / "scan.pdf", scans)
    assert [image.size for image in held] == [(1653, 2339)]
    with pdfplumber.open(tmp_path / "scan.pdf") as pdf:
        (page,) = pdf.pages
        assert not page.chars
        assert float(page.width) == pytest.approx(1653 * 72 / SCAN_DPI, abs=0.5)
    assert isinstance(held[0], Image.Image)
