"""What is taken as a whole: the blocks of tables and drawings, and the boxes of written words."""

from collections.abc import Iterable

from contracts.text import Block, PageBox, Span, TextBox
from ingestion.layout.figures import DraftFigure, figure_text
from ingestion.layout.lines import LinePart, place_words
from ingestion.layout.tables import DraftTable, cell_text, words_in_order
from ingestion.layout.words import Rectangle, join_words, union


def text_boxes(parts: Iterable[LinePart], page: int, start: int) -> list[TextBox]:
    """Make the boxes of a line whose text begins at ``start`` of its block's text."""
    return [
        TextBox(
            span=Span(start + part.start, start + part.end),
            box=page_box(page, part.box),
            confidences=tuple(round(each, 2) for each in part.confidences),
        )
        for part in parts
    ]


def page_box(page: int, box: Rectangle) -> PageBox:
    """Make a box of the contract, rounded to a tenth of a point."""
    x0, top, x1, bottom = (round(each, 1) for each in box)
    return PageBox(page=page, x0=x0, top=top, x1=x1, bottom=bottom)


def table_block(table: DraftTable, page: int) -> Block:
    """Write a table as text: a line a row, cells separated by `` | ``, a box a row."""
    text = ""
    boxes: list[TextBox] = []
    for index, row in enumerate(table.rows):
        line = " | ".join(cell_text(cell) for cell in row)
        start = len(text) + 1 if text else 0
        text = f"{text}\n{line}" if text else line
        if index >= table.borrowed_rows:
            boxes += text_boxes(place_words(line, words_in_order(row)), page, start)
    return Block(kind="table", text=text, page=page, header_rows=table.header_rows, boxes=tuple(boxes))


def figure_block(figure: DraftFigure, page: int) -> Block:
    """Write the labels of a drawing as one block, like a caption: they are found, and stand in no sentence."""
    text = figure_text(figure)
    boxes: list[TextBox] = []
    start = 0
    for label in figure.labels:
        end = start + len(join_words(label))
        boxes += text_boxes((LinePart(start, end, union(word.box for word in label)),), page, 0)
        start = end + 2
    return Block(kind="caption", text=text, page=page, boxes=tuple(boxes))
