"""Markdown, plain text, tables of values, web pages, encodings, images, and what has no reader."""

import shutil
from pathlib import Path

import pytest
from PIL import Image

from contracts.errors import UnreadableFile
from ingestion.limits import IngestionLimits
from ingestion.readers import SUPPORTED_SUFFIXES, reader_for
from tests.ingestion.readers.reading import kinds, read
from tools.ocr.tesseract import TesseractOcr

needs_tesseract = pytest.mark.skipif(shutil.which("tesseract") is None, reason="tesseract is not installed")

MARKDOWN = """---
title: "Rack guide"
---
# Racks <!-- draft -->

Each rack has **two** feeds, see [the plan](http://plan.example/a_(b)).
They are labelled `feed_a` and `feed_b`.

## Fans

- replace *every* year
  or when loud
  1. small ones
- clean monthly

| Fan | Speed |
|-----|------:|
| F1  | 900 `rpm` |
| F2  | 1200 |

```sh
# not a heading
fanctl --speed 900
```

Notes
-----
> Quoted words.
"""


def test_reads_markdown(tmp_path: Path) -> None:
    path = tmp_path / "racks.md"
    path.write_text(MARKDOWN)
    (page,) = read(path)
    assert kinds(page) == [
        ("heading", "Racks"),
        ("paragraph", "Each rack has two feeds, see the plan. They are labelled feed_a and feed_b."),
        ("heading", "Fans"),
        ("list", "- replace every year or when loud\n  1. small ones\n- clean monthly"),
        ("table", "Fan | Speed\nF1 | 900 rpm\nF2 | 1200"),
        ("code", "# not a heading\nfanctl --speed 900"),
        ("heading", "Notes"),
        ("paragraph", "Quoted words."),
    ]
    assert page.blocks[4].header_rows == 1
    assert reader_for(path).title(path) == "Rack guide"


def test_reads_plain_text(tmp_path: Path) -> None:
    path = tmp_path / "plain.txt"
    path.write_text(
        "Night duty\n==========\n\nThe guard walks through all of the halls twice in every night and writes down\n"
        "what was found.\n\nPHONES\n\nGate      4100\nBoiler    4200\nOffice    4300\n\n- lamp\n- keys\n"
    )
    (page,) = read(path)
    assert kinds(page) == [
        ("heading", "Night duty"),
        ("paragraph", "The guard walks through all of the halls twice in every night and writes down what was found."),
        ("heading", "PHONES"),
        ("table", "Gate | 4100\nBoiler | 4200\nOffice | 4300"),
        ("list", "- lamp\n- keys"),
    ]
    assert page.blocks[3].header_rows == 0


def test_form_feeds_part_plain_text_into_pages(tmp_path: Path) -> None:
    path = tmp_path / "pages.txt"
    path.write_text("First page here.\fSecond page here.")
    assert [page.number for page in read(path)] == [1, 2]


def test_reads_separated_values(tmp_path: Path) -> None:
    path = tmp_path / "rooms.csv"
    path.write_text('Room;Use\nA1;"tools; parts"\nA2;paint\n')
    (page,) = read(path)
    assert kinds(page) == [("table", "Room | Use\nA1 | tools; parts\nA2 | paint")]
    assert page.blocks[0].header_rows == 1


def test_reads_what_its_mark_or_utf8_says(subtests: pytest.Subtests, tmp_path: Path) -> None:
    for encoding in ["utf-8", "utf-8-sig", "utf-16", "utf-32"]:
        with subtests.test(encoding=encoding):
            path = tmp_path / "accents.txt"
            path.write_bytes("Käse für Łódź kostet 5 €.".encode(encoding))
            (page,) = read(path)
            assert page.blocks[0].text == "Käse für Łódź kostet 5 €."
            assert page.warnings == ()


def test_takes_other_bytes_for_windows_1252_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "old.txt"
    path.write_bytes("Käse kostet 5 €.".encode("cp1252"))
    (page,) = read(path)
    assert page.blocks[0].text == "Käse kostet 5 €."
    assert "Windows-1252" in page.warnings[0]


def test_refuses_missing_and_unknown_files(tmp_path: Path) -> None:
    unknown = tmp_path / "c.xyz"
    unknown.write_text("text")
    with pytest.raises(UnreadableFile, match="cannot be opened"):
        read(tmp_path / "none.txt")
    with pytest.raises(UnreadableFile, match="supported: ") as caught:
        read(unknown)
    assert all(suffix in str(caught.value) for suffix in SUPPORTED_SUFFIXES)


def test_refuses_images_that_are_broken_or_too_large(tmp_path: Path) -> None:
    broken, large = tmp_path / "broken.png", tmp_path / "large.png"
    Image.new("L", (300, 300), 255).save(large)
    broken.write_bytes(large.read_bytes()[:40])
    with pytest.raises(UnreadableFile, match=r"not a readable image|damaged"):
        read(broken, TesseractOcr())
    with pytest.raises(UnreadableFile, match="300 x 300 pixels"):
        read(large, TesseractOcr(), IngestionLimits(image_pixels=10_000))
    with pytest.raises(UnreadableFile, match="no OCR engine"):
        read(large)
