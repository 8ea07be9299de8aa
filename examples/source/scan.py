"""Turn a born-digital PDF into what an office scanner would have made of its print-out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2
from PIL import Image

_SCAN_DPI = 200
_JPEG_QUALITY = 45
_NOISE_LEVELS = 7.0
_TILTS_DEG = (0.8, -1.1, 0.6, -0.7, 1.3)
_PAPER_GREY = 246


def write_scan(source: Path, path: Path, *, seed: int = 7) -> None:
    """Write each page of `source` as one tilted, noisy, grey JPEG image, with no text layer."""
    noise = np.random.default_rng(seed)
    document: Any = pypdfium2.PdfDocument(str(source))
    try:
        pages = [_scan(page, _TILTS_DEG[number % len(_TILTS_DEG)], noise) for number, page in enumerate(document)]
    finally:
        document.close()
    epoch = time.gmtime(0)
    pages[0].save(
        path,
        "PDF",
        save_all=True,
        append_images=pages[1:],
        resolution=_SCAN_DPI,
        quality=_JPEG_QUALITY,
        title="Test and packaging (scan)",
        creationDate=epoch,
        modDate=epoch,
    )


def _scan(page: Any, tilt_deg: float, noise: np.random.Generator) -> Image.Image:
    sheet: Image.Image = page.render(scale=_SCAN_DPI / 72, grayscale=True).to_pil().convert("L")
    tilted = sheet.rotate(tilt_deg, resample=Image.Resampling.BICUBIC, fillcolor=255)
    levels = np.asarray(tilted, dtype=np.float32) * (_PAPER_GREY / 255)
    grain = noise.normal(0.0, _NOISE_LEVELS, size=levels.shape)
    return Image.fromarray(np.clip(levels + grain, 0, 255).astype(np.uint8))
