"""Pictures of pages: those of PDFs and of image files, drawn at a resolution, with the page's size in points."""

import io
import math
import threading
import warnings
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from contracts.errors import NotFound, UnreadableFile

if TYPE_CHECKING:
    from PIL.Image import Image

_POINTS_PER_INCH = 72
# Screenshots and photographs claim 72 or 96 dpi, or nothing at all: a screen's habit, not a scanner's.
_LEAST_DPI, _MOST_DPI, _USUAL_DPI = 120.0, 2_400.0, 150.0
_MOST_PIXELS = 100_000_000
_HEADER_BYTES = 1_100

# PDFium keeps its state in one place for the whole process: whoever calls it holds this.
PDFIUM_LOCK = threading.Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRendering:
    """A page as an image, and the page's size in points, in which boxes are measured."""

    image: "Image"
    width_pt: float
    height_pt: float


class _Bounds(NamedTuple):
    """How large a picture may become."""

    dpi: float
    side_px: float
    width_px: float
    pixels: int


def render_page(
    source: Path | bytes,
    page: int,
    *,
    dpi: float,
    most_side_px: float = math.inf,
    most_width_px: float | None = None,
    most_pixels: int = _MOST_PIXELS,
    grey: bool = False,
) -> PageRendering:
    """Draw ``page`` (from 1) of a PDF or an image file, upright as a viewer shows it. Blocking, thread-safe.

    ``source`` is the file, or its content. The picture has ``dpi`` dots per inch, or fewer where it would have more
    than ``most_pixels``, a side longer than ``most_side_px`` or be wider than ``most_width_px``; image files are made
    smaller, never larger.

    Raises:
        NotFound: there is no such page.
        UnreadableFile: the file cannot be read, or is an image of more than ``most_pixels``.
    """
    name = str(source) if isinstance(source, Path) else "the file"
    try:
        head = _head(source)
    except OSError as error:
        raise UnreadableFile(name, f"it cannot be opened ({error.strerror or error})") from error
    if page < 1:
        raise NotFound(f"pages count from 1, and there is no page {page}")
    render = _render_pdf if b"%PDF-" in head else _render_image
    return render(source, name, page, _Bounds(dpi, most_side_px, most_width_px or math.inf, most_pixels), grey=grey)


def pixel_limit_is_ours() -> AbstractContextManager[object]:
    """Silence Pillow's warning of large pictures: whoever opens one here checks its pixels."""
    from PIL.Image import DecompressionBombWarning

    return warnings.catch_warnings(action="ignore", category=DecompressionBombWarning)


def resolution_of(frame: "Image") -> float:
    """Return the resolution in dots per inch under which a frame's size in points, and that of its boxes, is measured.

    It is the one in the image's header where that is a scanner's (120 to 2 400 dpi), else 150.
    """
    named = frame.info.get("dpi")
    dpi = float(named[0]) if isinstance(named, tuple) and named else 0.0
    return dpi if _LEAST_DPI <= dpi <= _MOST_DPI else _USUAL_DPI


def write_picture(source: Path, page: int, target: Path, *, dpi: float = 60.0) -> None:
    """Write a picture of ``page`` of the file ``source`` to ``target``, as PNG.

    Raises:
        NotFound, UnreadableFile: as for ``render_page``.
    """
    render_page(source, page, dpi=dpi).image.save(target, format="PNG", optimize=True)


def _head(source: Path | bytes) -> bytes:
    if isinstance(source, bytes):
        return source[:_HEADER_BYTES]
    with source.open("rb") as file:
        return file.read(_HEADER_BYTES)


def _render_pdf(source: Path | bytes, name: str, page: int, most: _Bounds, *, grey: bool) -> PageRendering:
    import pypdfium2

    with PDFIUM_LOCK:
        try:
            with pypdfium2.PdfDocument(source) as pdf:
                if page > len(pdf):
                    raise NotFound(f"{name} has {len(pdf)} pages, and no page {page}")
                sheet = pdf[page - 1]
                width, height = (float(each) for each in sheet.get_size())
                scale = min(
                    most.dpi / _POINTS_PER_INCH,
                    (most.pixels / max(width * height, 1.0)) ** 0.5,
                    most.side_px / max(width, height, 1.0),
                    most.width_px / max(width, 1.0),
                )
                # copied: the bitmap's memory goes with the document
                image = sheet.render(scale=scale, grayscale=grey).to_pil().copy()
                sheet.close()
        except pypdfium2.PdfiumError as error:
            raise UnreadableFile(name, f"it is not a readable PDF ({error})", page=page) from error
    return PageRendering(image=image, width_pt=width, height_pt=height)


def _render_image(source: Path | bytes, name: str, page: int, most: _Bounds, *, grey: bool) -> PageRendering:
    from PIL import Image, ImageOps

    try:
        with pixel_limit_is_ours():
            image = Image.open(io.BytesIO(source) if isinstance(source, bytes) else source)
        with image:
            if page > getattr(image, "n_frames", 1):
                raise NotFound(f"{name} has {getattr(image, 'n_frames', 1)} pages, and no page {page}")
            image.seek(page - 1)
            if image.width * image.height > most.pixels:
                size = f"{image.width} x {image.height} pixels"
                raise UnreadableFile(name, f"it has {size}, more than the {most.pixels:,} allowed", page=page)
            # Boxes were measured under the reader's resolution.
            resolution = resolution_of(image)
            upright = (ImageOps.exif_transpose(image) or image).convert("L" if grey else "RGB")
    except (Image.DecompressionBombError, OSError, EOFError, ValueError, SyntaxError) as error:
        raise UnreadableFile(name, f"it is not a readable image ({error})", page=page) from error
    scale = _POINTS_PER_INCH / resolution
    width, height = upright.width * scale, upright.height * scale
    longest = max(upright.size)
    side = max(1, min(most.side_px, longest, round(longest * min(1.0, most.dpi / resolution))))
    upright.thumbnail((min(side, most.width_px), side))
    return PageRendering(image=upright, width_pt=width, height_pt=height)
