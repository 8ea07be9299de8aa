"""Figures: the labels in drawings, which are no sentences and stand in no order."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingestion.layout.unruled import find_unruled
from ingestion.layout.words import LayoutWord, Rectangle, Segment, group_rows, is_inside, join_words, split_row

_CELL_PT = 6.0
_LEAST_STROKES = 4
_LEAST_SIDE_PT = 40.0
# Lines longer than this many words are text in a frame; labels have one to three.
_MOST_LABEL_WORDS = 7
_MEAN_LABEL_WORDS = 3.5
_MOST_LARGER = 1.25
_MOST_PAGE_SHARE = 0.85


@dataclass(frozen=True, slots=True)
class DraftFigure:
    """A drawing's labels, each the words of a short line. ``box`` is in the layout's coordinates."""

    labels: tuple[tuple[LayoutWord, ...], ...]
    box: Rectangle


def find_figures(
    strokes: Sequence[Rectangle], words: Sequence[LayoutWord], width: float, height: float
) -> tuple[list[DraftFigure], list[LayoutWord]]:
    """Find the drawings of a page among the boxes of its ``strokes``; return them and the words that are in none.

    A drawing is a patch of strokes that touch or nearly do, with labels in it. Frames around text, shaded code and
    tables are none.
    """
    figures = []
    rest = list(words)
    for box in _patches(strokes, width, height):
        inside = [word for word in rest if is_inside(word, box)]
        labels = _labels_of(inside)
        if labels:
            figures.append(DraftFigure(labels, box))
            taken = {id(word) for label in labels for word in label}
            rest = [word for word in rest if id(word) not in taken]
    return figures, rest


def figure_text(figure: DraftFigure) -> str:
    """Write the labels of a figure on one line."""
    return "; ".join(join_words(label) for label in figure.labels)


def _labels_of(words: Sequence[LayoutWord]) -> tuple[tuple[LayoutWord, ...], ...]:
    if len(words) < 2:
        return ()
    sizes = sorted(word.size for word in words)
    # What is set larger heads the drawing and stays a line.
    words = [word for word in words if word.size <= _MOST_LARGER * sizes[len(sizes) // 2]]
    rows: list[list[Segment]] = [split_row(row) for row in group_rows(words)]
    labels = [segment for row in rows for segment in row]
    if len(labels) < 2 or max(map(len, labels)) > _MOST_LABEL_WORDS or len(words) > _MEAN_LABEL_WORDS * len(labels):
        return ()
    if sum(word.mono for word in words) > 0.5 * len(words):
        return ()
    tables, _ = find_unruled(rows)
    in_tables = sum(len(cell) for table in tables for row in table.rows for cell in row)
    return () if in_tables > 0.6 * len(words) else tuple(tuple(label) for label in labels)


def _patches(strokes: Iterable[Rectangle], width: float, height: float) -> list[Rectangle]:
    """Return the rectangles around strokes that hang together, on a grid of the page."""
    across, down = int(width / _CELL_PT) + 2, int(height / _CELL_PT) + 2
    marked: dict[tuple[int, int], int] = {}
    for x0, top, x1, bottom in strokes:
        if (x1 - x0) * (bottom - top) > _MOST_PAGE_SHARE * width * height:
            continue
        cells = _edge_cells(max(x0, 0.0), max(top, 0.0), min(x1, width), min(bottom, height))
        for number, cell in enumerate(cells):
            marked[cell] = marked.get(cell, 0) + (number == 0)
    patches = []
    while marked:
        start = next(iter(marked))
        patch, count, open_cells = [start], marked.pop(start), [start]
        while open_cells:
            x, y = open_cells.pop()
            for near in ((x + a, y + b) for a in (-1, 0, 1) for b in (-1, 0, 1)):
                if near in marked and 0 <= near[0] < across and 0 <= near[1] < down:
                    count += marked.pop(near)
                    patch.append(near)
                    open_cells.append(near)
        xs, ys = [x for x, _ in patch], [y for _, y in patch]
        box = (min(xs) * _CELL_PT, min(ys) * _CELL_PT, (max(xs) + 1) * _CELL_PT, (max(ys) + 1) * _CELL_PT)
        if count >= _LEAST_STROKES and min(box[2] - box[0], box[3] - box[1]) >= _LEAST_SIDE_PT:
            patches.append(box)
    return patches


def _edge_cells(x0: float, top: float, x1: float, bottom: float) -> list[tuple[int, int]]:
    """Return the cells along the edges of a box."""
    left, right, high, low = (int(each / _CELL_PT) for each in (x0, x1, top, bottom))
    cells = [(x, y) for x in range(left, right + 1) for y in {high, low}]
    cells += [(x, y) for y in range(high, low + 1) for x in {left, right}]
    return cells
