"""Prepares page images for OCR (greyscale, skew, table rules), and tightens the boxes of words.

OCR engines mistake the straight lines in tables and forms for pictures, and lose the words between them.
"""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from tools.ocr.base import OcrWord

# Tesseract puts some boxes around a whole line or cell; at most this share is cut off at the top and at the bottom.
_MOST_TRIM = 0.45
_LEAST_CONTRAST = 30
# A rule is at least this long (as a fraction of the image, and in pixels) and at most this thick. Stems of letters are
# less than ten times as long as they are thick, so a stem of this length would be thicker.
_LEAST_LENGTH = 0.05
_LEAST_LENGTH_PX = 100
_MOST_THICKNESS_PX = 9
_FRINGE_PX = 2
_HALO_PX = 8
# Pages in scanner feeds or placed by hand are rarely rotated by more than ten degrees; with larger angles, the
# projection profile would find diagonals in pictures.
_MAX_DEGREES = 12.0
_COARSE_STEP = 0.5
_FINE_STEP = 0.1
_PROFILE_WIDTH_PX = 1_000
_MAX_POINTS = 60_000
_LEAST_INK = 200
# The profile at the best angle must be sharper than the profile of the unrotated page by this factor.
_LEAST_GAIN = 1.03


def flatten(image: Image.Image) -> Image.Image:
    """Return ``image`` in 8-bit greyscale; transparent parts become white, and deeper tones are scaled."""
    if image.mode in ("RGBA", "LA", "PA") or "transparency" in image.info:
        layered = image.convert("RGBA")
        paper = Image.new("RGBA", layered.size, (255, 255, 255, 255))
        image = Image.alpha_composite(paper, layered)
    if image.mode.startswith("I") or image.mode == "F":
        low, high = (float(each) for each in image.convert("F").getextrema())  # type: ignore[arg-type]
        image = image.convert("F").point(lambda value: (value - low) * (255 / max(high - low, 1.0)))
    return image.convert("L")


def tightened(word: OcrWord, pixels: NDArray[np.uint8]) -> OcrWord:
    """Remove the white space above and below the ink from a word's box, because its height is used as the type size."""
    left, right = max(0, word.left), min(pixels.shape[1], max(word.right, word.left + 1))
    top, bottom = max(0, word.top), min(pixels.shape[0], max(word.bottom, word.top + 1))
    part = pixels[top:bottom, left:right]
    if not part.size:
        return word
    paper, darkest = float(np.percentile(part, 95)), float(part.min())
    rows = np.flatnonzero((part < (paper + darkest) / 2).any(axis=1))
    if paper - darkest >= _LEAST_CONTRAST and len(rows):
        most = int(_MOST_TRIM * (bottom - top))
        first, last = min(int(rows[0]), most), max(int(rows[-1]) + 1, bottom - top - most)
        top, bottom = top + first, top + last
    return replace(word, left=left, top=top, right=right, bottom=bottom)


def without_rules(image: Image.Image) -> Image.Image:
    """Return a greyscale image with its horizontal and vertical rules painted in the colour of the paper."""
    pixels = np.asarray(image)
    paper, darkest = float(np.percentile(pixels[::4, ::4], 90)), float(pixels.min())
    if paper - darkest < 60 or min(image.size) <= _MOST_THICKNESS_PX:
        return image
    dark = pixels < (paper + darkest) / 2
    length = max(_LEAST_LENGTH_PX, round(_LEAST_LENGTH * max(image.size)))
    rules = _runs(dark, length) | _runs(dark.T, length).T
    if rules.any():
        # Areas into which a square wider than a rule fits, such as bars and large letters, are not rules.
        side = _MOST_THICKNESS_PX + 1
        rules &= ~_spread(_spread(_full(_full(dark, side).T, side), side).T, side)
    if not rules.any():
        return image
    cleaned = pixels.copy()
    cleaned[_grown(rules, _FRINGE_PX)] = round(paper)
    # The grey pixels that compression leaves next to a line would be mistaken for parts of letters.
    cleaned[_grown(rules, _HALO_PX) & ~dark] = round(paper)
    return Image.fromarray(cleaned)


def _runs(dark: NDArray[np.bool_], length: int) -> NDArray[np.bool_]:
    """Mark the runs of at least ``length`` dark pixels in each row."""
    marked = np.zeros_like(dark)
    if dark.shape[1] < length:
        return marked
    # A run completely covers at least one block of half its length. In a page of text, hardly any row has such a block.
    block = length // 2
    blocks = dark.shape[1] // block
    rows = np.any(np.all(dark[:, : blocks * block].reshape(-1, blocks, block), axis=2), axis=1)
    if rows.any():
        marked[rows] = _spread(_full(dark[rows], length), length)
    return marked


def _full(dark: NDArray[np.bool_], length: int) -> NDArray[np.bool_]:
    """Mark, in each row, the starts of ``length`` dark pixels."""
    full, known = dark, 1
    while known < length:
        step = min(known, length - known)
        full = full[:, :-step] & full[:, step:]
        known += step
    return full


def _spread(starts: NDArray[np.bool_], length: int) -> NDArray[np.bool_]:
    """Mark, in each row, the ``length`` pixels from each start on."""
    marked = np.pad(starts, ((0, 0), (length - 1, length - 1)))
    known = 1
    while known < length:
        step = min(known, length - known)
        marked = marked[:, :-step] | marked[:, step:]
        known += step
    return marked


def _grown(marks: NDArray[np.bool_], by_px: int) -> NDArray[np.bool_]:
    grown = marks.copy()
    for step in range(1, by_px + 1):
        grown[:, step:] |= marks[:, :-step]
        grown[:, :-step] |= marks[:, step:]
    wide = grown.copy()
    for step in range(1, by_px + 1):
        grown[step:] |= wide[:-step]
        grown[:-step] |= wide[step:]
    return grown


def ink_share(image: Image.Image) -> float:
    """Return the share of dark pixels in a greyscale image (0 for an empty page)."""
    return float(_ink(_small(image)).mean())


def estimate_skew(image: Image.Image) -> float:
    """Estimate the clockwise rotation of the text lines in a greyscale image, in degrees; 0 if a correction would not
    help.

    Ink is summed along lines at each angle; at the correct angle, text lines and gaps alternate most sharply.
    Source: projection profiles, W. Postl, "Detection of linear oblique structures", ICPR 1986.
    """
    rows, columns = np.nonzero(_ink(_small(image)))
    if len(rows) < _LEAST_INK:
        return 0.0
    if len(rows) > _MAX_POINTS:
        keep = np.random.default_rng(0).choice(len(rows), _MAX_POINTS, replace=False)
        rows, columns = rows[keep], columns[keep]
    coarse = np.arange(-_MAX_DEGREES, _MAX_DEGREES + _COARSE_STEP / 2, _COARSE_STEP)
    best = _sharpest(rows, columns, coarse)
    fine = np.arange(best - _COARSE_STEP, best + _COARSE_STEP + _FINE_STEP / 2, _FINE_STEP)
    best = _sharpest(rows, columns, fine)
    if abs(best) >= _MAX_DEGREES or _sharpness(rows, columns, best) < _LEAST_GAIN * _sharpness(rows, columns, 0.0):
        return 0.0
    return round(best, 2)


def _small(image: Image.Image) -> Image.Image:
    scale = min(1.0, _PROFILE_WIDTH_PX / max(image.size))
    size = (max(1, round(image.width * scale)), max(1, round(image.height * scale)))
    return image.resize(size, Image.Resampling.BOX) if scale < 1.0 else image


def _ink(image: Image.Image) -> NDArray[np.bool_]:
    pixels = np.asarray(image, dtype=np.float32)
    paper = float(np.percentile(pixels, 90))
    darkest = float(pixels.min())
    if paper - darkest < 30:
        return np.zeros(pixels.shape, dtype=np.bool_)
    return pixels < (paper + darkest) / 2


def _sharpest(rows: NDArray[np.intp], columns: NDArray[np.intp], angles: NDArray[np.float64]) -> float:
    return float(max(angles, key=lambda angle: (_sharpness(rows, columns, float(angle)), -abs(angle))))


def _sharpness(rows: NDArray[np.intp], columns: NDArray[np.intp], degrees: float) -> float:
    heights = rows - columns * math.tan(math.radians(degrees))
    profile = np.bincount(np.round(heights - heights.min()).astype(np.intp)).astype(np.float64)
    return float(np.square(np.diff(profile)).sum())
