"""Skew: by how many degrees the lines of a page image climb or fall."""

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image

# Scanner feeds and hand-laid pages rarely exceed ten; beyond, the projection profile finds diagonals in pictures.
_MAX_DEGREES = 12.0
_COARSE_STEP = 0.5
_FINE_STEP = 0.1
_PROFILE_WIDTH_PX = 1_000
_MAX_POINTS = 60_000
_LEAST_INK = 200
# The best angle's profile must be this much sharper than that of the page as it lies.
_LEAST_GAIN = 1.03


def ink_share(image: Image.Image) -> float:
    """Return the share of dark pixels of a greyscale image (0 for an empty page)."""
    return float(_ink(_small(image)).mean())


def estimate_skew(image: Image.Image) -> float:
    """Estimate how far the text lines of a greyscale image are turned clockwise, in degrees; 0 where nothing is gained.

    The rows of ink are summed along lines of each angle; at the right one text lines and gaps alternate most sharply.
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
