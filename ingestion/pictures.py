"""Pictures of pages: pages of PDFs and image files, rendered at a given resolution, with the page's size in points."""

import math
import threading
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from contracts.errors import NotFound, UnreadableFile

if TYPE_CHECKING:
    from PIL.Image import Image

_POINTS_PER_INCH = 72
# Screenshots and photographs claim 72 or 96 dpi, or nothing at all, which is not the resolution of a scan.
_LEAST_DPI, _MOST_DPI, _USUAL_DPI = 120.0, 2_400.0, 150.0
_MOST_PIXELS = 100_000_000
_HEADER_BYTES = 1_100

# Pixels per point, for a page of this width and height in points.
_ScaleOf = Callable[[float, float], float]

# PDFium has global state: every caller must hold this lock.
PDFIUM_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRendering:
    """A page as an image, and the page's size in points, in which boxes are measured."""

    image: "Image"
    width_pt: float
    height_pt: float


def render_page(
    source: Path,
    page: int,
    *,
    dpi: float,
    most_side_px: float = math.inf,
    most_width_px: float | None = None,
    most_pixels: int = _MOST_PIXELS,
    grey: bool = False,
) -> PageRendering:
    """Render ``page`` (counted from 1) of a PDF or an image file, upright as a viewer shows it. Blocking, thread-safe.

    The picture has ``dpi`` dots per inch, or fewer if it would otherwise exceed ``most_pixels``, be wider than
    ``most_width_px`` or have a side longer than ``most_side_px``; image files are made smaller, never larger.

    Raises:
        NotFound: there is no such page.
        UnreadableFile: the file cannot be read, or is an image of more than ``most_pixels``.
    """
    try:
        with source.open("rb") as file:
            head = file.read(_HEADER_BYTES)
    except OSError as error:
        raise UnreadableFile(str(source), f"it cannot be opened ({error.strerror or error})") from error
    if page < 1:
        raise NotFound(f"pages are numbered from 1: there is no page {page}")

    def scale_of(width_pt: float, height_pt: float) -> float:
        sides = most_side_px / max(width_pt, height_pt, 1.0), (most_width_px or math.inf) / max(width_pt, 1.0)
        return min(dpi / _POINTS_PER_INCH, *sides)

    if b"%PDF-" in head:
        return _render_pdf(source, page, scale_of, most_pixels, grey=grey)
    return _render_image(source, page, scale_of, most_pixels, grey=grey)


def pixel_limit_is_ours() -> AbstractContextManager[object]:
    """Silence Pillow's warning about large pictures: the code here checks the number of pixels."""
    from PIL.Image import DecompressionBombWarning

    return warnings.catch_warnings(action="ignore", category=DecompressionBombWarning)


def resolution_of(frame: "Image") -> float:
    """Return the resolution in dots per inch that converts the pixels of a frame and its boxes to points.

    It is the one in the image's header if that is plausible for a scanner (120 to 2,400 dpi), otherwise 150.
    """
    named = frame.info.get("dpi")
    dpi = float(named[0]) if isinstance(named, tuple) and named else 0.0
    return dpi if _LEAST_DPI <= dpi <= _MOST_DPI else _USUAL_DPI


def _render_pdf(source: Path, page: int, scale_of: _ScaleOf, most_pixels: int, *, grey: bool) -> PageRendering:
    import pypdfium2

    with PDFIUM_LOCK:
        try:
            with pypdfium2.PdfDocument(source) as pdf:
                if page > len(pdf):
                    raise NotFound(f"{source} has {len(pdf)} pages: there is no page {page}")
                sheet = pdf[page - 1]
                width, height = (float(each) for each in sheet.get_size())
                scale = min(scale_of(width, height), (most_pixels / max(width * height, 1.0)) ** 0.5)
                # copy: closing the document frees the bitmap's memory
                image = sheet.render(scale=scale, grayscale=grey).to_pil().copy()
                sheet.close()
        except pypdfium2.PdfiumError as error:
            raise UnreadableFile(str(source), f"it is not a readable PDF ({error})", page=page) from error
    return PageRendering(image=image, width_pt=width, height_pt=height)


def _render_image(source: Path, page: int, scale_of: _ScaleOf, most_pixels: int, *, grey: bool) -> PageRendering:
    from PIL import Image, ImageOps

    try:
        with pixel_limit_is_ours():
            image = Image.open(source)
        with image:
            if page > (count := getattr(image, "n_frames", 1)):
                raise NotFound(f"{source} has {count} pages: there is no page {page}")
            image.seek(page - 1)
            if image.width * image.height > most_pixels:
                size = f"{image.width} x {image.height} pixels"
                raise UnreadableFile(str(source), f"it has {size}, more than the {most_pixels:,} allowed", page=page)
            # Boxes were measured at the reader's resolution.
            points_per_pixel = _POINTS_PER_INCH / resolution_of(image)
            upright = (ImageOps.exif_transpose(image) or image).convert("L" if grey else "RGB")
    except (Image.DecompressionBombError, OSError, EOFError, ValueError, SyntaxError) as error:
        raise UnreadableFile(str(source), f"it is not a readable image ({error})", page=page) from error
    width, height = upright.width * points_per_pixel, upright.height * points_per_pixel
    scale = scale_of(width, height)
    upright.thumbnail((max(1, round(width * scale)), max(1, round(height * scale))))
    return PageRendering(image=upright, width_pt=width, height_pt=height)
