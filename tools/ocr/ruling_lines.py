"""Rules: the straight lines of tables and forms, which OCR engines take for pictures, losing the words between them."""

import numpy as np
from numpy.typing import NDArray
from PIL import Image

# A rule is at least this long (as a part of the image, and in pixels) and at most this thick. The stem of a letter is
# not ten times as long as it is thick: one of this length would be thicker.
_LEAST_LENGTH = 0.05
_LEAST_LENGTH_PX = 100
_MOST_THICKNESS_PX = 9
_FRINGE_PX = 2
_HALO_PX = 8


def without_rules(image: Image.Image) -> Image.Image:
    """Return a greyscale image with its level and upright rules painted in the colour of the paper."""
    pixels = np.asarray(image)
    paper, darkest = float(np.percentile(pixels[::4, ::4], 90)), float(pixels.min())
    if paper - darkest < 60:
        return image
    dark = pixels < (paper + darkest) / 2
    length = max(_LEAST_LENGTH_PX, round(_LEAST_LENGTH * max(image.size)))
    rules = _runs(dark, length) | _runs(dark.T, length).T
    if rules.any():
        rules &= ~_thick(dark)
    if not rules.any():
        return image
    cleaned = pixels.copy()
    cleaned[_grown(rules, _FRINGE_PX)] = round(paper)
    # The grey that compression leaves beside a line would be taken for parts of letters.
    cleaned[_grown(rules, _HALO_PX) & ~dark] = round(paper)
    return Image.fromarray(cleaned)


def _thick(dark: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Mark what a square as wide as the thickest rule fits into: bars and large letters, but no crossing of rules."""
    side = _MOST_THICKNESS_PX + 1
    if min(dark.shape) < side:
        return np.zeros_like(dark)
    return _spread(_spread(_full(_full(dark, side).T, side), side).T, side)


def _runs(dark: NDArray[np.bool_], length: int) -> NDArray[np.bool_]:
    """Mark of each row the runs of at least ``length`` dark pixels."""
    marked = np.zeros_like(dark)
    if dark.shape[1] < length:
        return marked
    # A run covers one of the blocks half as long from end to end: of a page of text, hardly a row has one.
    block = length // 2
    blocks = dark.shape[1] // block
    rows = np.any(np.all(dark[:, : blocks * block].reshape(-1, blocks, block), axis=2), axis=1)
    if rows.any():
        marked[rows] = _spread(_full(dark[rows], length), length)
    return marked


def _full(dark: NDArray[np.bool_], length: int) -> NDArray[np.bool_]:
    """Mark where in each row ``length`` dark pixels begin."""
    full, known = dark, 1
    while known < length:
        step = min(known, length - known)
        full = full[:, :-step] & full[:, step:]
        known += step
    return full


def _spread(starts: NDArray[np.bool_], length: int) -> NDArray[np.bool_]:
    """Mark the ``length`` pixels of each row from each start on."""
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
