"""Made documents for measuring ingestion: born-digital PDFs with headings, prose, lists, tables and code; scans."""

import io
import textwrap
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from PIL import Image

from contracts.errors import InvalidInput
from golden_lab.speed.ingest_prose import Element, ProseMaker
from ingestion.pictures import render_page

SCAN_DPI = 200

_WIDTH_PT, _HEIGHT_PT, _MARGIN_PT = 595, 842, 56
_BODY_PT, _LEADING_PT, _HEADING_PT, _FURNITURE_PT = 10, 13, 14, 8
# Helvetica's letters are half as wide as they are high, in the mean; Courier's are all 0.6 of it.
_LINE_CHARACTERS = 92
_CODE_CHARACTERS = 78
_FONTS = {"F1": "Helvetica", "F2": "Helvetica-Bold", "F3": "Courier"}
# The grain of a scanner's sensor, of 255, and how many in a million pixels are specks of dust.
_GRAIN = 10.0
_SPECKS = 15
_JPEG_QUALITY = 80


@dataclass(slots=True)
class _Sheet:
    """The content of a page as it grows: ``y`` is where the next line stands, from below."""

    y: float
    operators: list[str] = field(default_factory=list)

    def text(self, text: str, x: float, y: float, font: str = "F1", size: float = _BODY_PT) -> None:
        escaped = text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        self.operators.append(f"BT /{font} {size:g} Tf {x:.1f} {y:.1f} Td ({escaped}) Tj ET")

    def rule(self, x0: float, y0: float, x1: float, y1: float) -> None:
        self.operators.append(f"{x0:.1f} {y0:.1f} m {x1:.1f} {y1:.1f} l S")


def make_document(path: Path, *, pages: int, seed: int) -> None:
    """Write a born-digital PDF of ``pages`` pages to ``path``; equal seeds make equal files.

    Raises:
        InvalidInput: ``pages`` is below 1.
    """
    if pages < 1:
        raise InvalidInput(f"a document of {pages} pages cannot be made: ask for one at least", field="pages")
    maker = ProseMaker(seed)
    title = maker.title()
    sheets: list[_Sheet] = []
    while len(sheets) <= pages:
        for element in maker.next_elements():
            _set(element, sheets)
    for number, sheet in enumerate(sheets[:pages], start=1):
        sheet.text(title, _MARGIN_PT, _HEIGHT_PT - 36, size=_FURNITURE_PT)
        sheet.text(f"Page {number} of {pages}", _WIDTH_PT / 2 - 20, 30, size=_FURNITURE_PT)
    path.write_bytes(_pdf([("\n".join(sheet.operators)).encode("latin-1") for sheet in sheets[:pages]], title))


def make_scans(source: Path, pages: Sequence[int], *, seed: int) -> Iterator[Image.Image]:
    """Yield ``pages`` (from 1) of a PDF as a flatbed scanner would: grey, at ``SCAN_DPI``, with grain and specks."""
    noise = np.random.default_rng(seed)
    for page in pages:
        clean = np.asarray(render_page(source, page, dpi=SCAN_DPI, grey=True).image, dtype=np.float32)
        grainy = np.clip(clean * 0.94 + 8.0, 0, 255) + noise.normal(0.0, _GRAIN, clean.shape)
        grainy[noise.random(clean.shape) < _SPECKS / 1e6] = 60.0
        yield Image.fromarray(np.clip(grainy, 0, 255).astype(np.uint8))


def write_scans(path: Path, images: Sequence[Image.Image]) -> list[Image.Image]:
    """Write page images as a PDF without a text layer; return them as its JPEG files hold them."""
    stored = []
    for image in images:
        buffer = io.BytesIO()
        image.save(buffer, format="JPEG", quality=_JPEG_QUALITY)
        stored.append(Image.open(buffer).convert("L"))
    images[0].save(
        path, format="PDF", save_all=True, append_images=images[1:], resolution=SCAN_DPI, quality=_JPEG_QUALITY
    )
    return stored


def _set(element: Element, sheets: list[_Sheet]) -> None:
    """Set an element on the last sheet, or on a new one where it does not fit."""
    if element.kind == "heading":
        sheet = _with_room(sheets, 3 * _LEADING_PT)
        sheet.y -= _LEADING_PT
        sheet.text(element.lines[0], _MARGIN_PT, sheet.y, "F2", _HEADING_PT)
        sheet.y -= 1.5 * _LEADING_PT
    elif element.kind == "table":
        _set_table([line.split("\t") for line in element.lines], sheets)
    else:
        mono = element.kind == "code"
        for text in element.lines:
            lead = "\u2022 " if element.kind == "list" else ""
            wrapped = textwrap.wrap(text, _CODE_CHARACTERS if mono else _LINE_CHARACTERS)
            for number, line in enumerate(wrapped):
                sheet = _with_room(sheets, _LEADING_PT)
                indent = 12.0 if lead or mono else 0.0
                if lead and number == 0:
                    # The bullet of WinAnsiEncoding.
                    sheet.text("\x95", _MARGIN_PT, sheet.y)
                sheet.text(line, _MARGIN_PT + indent, sheet.y, "F3" if mono else "F1")
                sheet.y -= _LEADING_PT
    sheets[-1].y -= 0.6 * _LEADING_PT


def _set_table(rows: Sequence[Sequence[str]], sheets: list[_Sheet]) -> None:
    height = 1.3 * _LEADING_PT
    sheet = _with_room(sheets, height * (len(rows) + 1))
    width = (_WIDTH_PT - 2 * _MARGIN_PT) / len(rows[0])
    top = sheet.y + _LEADING_PT - 3
    bottom = top - height * len(rows)
    for number, row in enumerate(rows):
        for column, cell in enumerate(row):
            font = "F2" if number == 0 else "F1"
            sheet.text(cell, _MARGIN_PT + column * width + 4, top - number * height - _LEADING_PT + 1, font, 9)
    for number in range(len(rows) + 1):
        sheet.rule(_MARGIN_PT, top - number * height, _WIDTH_PT - _MARGIN_PT, top - number * height)
    for column in range(len(rows[0]) + 1):
        sheet.rule(_MARGIN_PT + column * width, top, _MARGIN_PT + column * width, bottom)
    sheet.y = bottom - _LEADING_PT


def _with_room(sheets: list[_Sheet], height: float) -> _Sheet:
    if not sheets or sheets[-1].y - height < _MARGIN_PT:
        sheets.append(_Sheet(_HEIGHT_PT - _MARGIN_PT - _LEADING_PT))
    return sheets[-1]


def _pdf(contents: Sequence[bytes], title: str) -> bytes:
    """Return a PDF of pages with these content streams, which name the fonts F1 to F3."""
    fonts = len(_FONTS)
    first = 3 + fonts
    kids = " ".join(f"{first + 2 * number} 0 R" for number in range(len(contents)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(contents)} >>".encode(),
    ]
    for name in _FONTS.values():
        font = f"<< /Type /Font /Subtype /Type1 /BaseFont /{name} /Encoding /WinAnsiEncoding >>"
        objects.append(font.encode())
    named = " ".join(f"/{name} {3 + number} 0 R" for number, name in enumerate(_FONTS))
    for number, content in enumerate(contents):
        box = f"/MediaBox [0 0 {_WIDTH_PT} {_HEIGHT_PT}] /Resources << /Font << {named} >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R {box} /Contents {first + 2 * number + 1} 0 R >>".encode())
        packed = zlib.compress(content)
        head = f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n".encode()
        objects.append(head + packed + b"\nendstream")
    objects.append(f"<< /Title ({title}) >>".encode("latin-1"))
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, content in enumerate(objects, start=1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + content + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010d} 00000 n \n".encode() for place in places)
    out += f"trailer << /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>\n".encode()
    out += f"startxref\n{start}\n%%EOF\n".encode()
    return bytes(out)
