"""Slides (PPTX): a slide is a page; its title the heading, then text, tables, charts and the speaker's notes."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pptx
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER
from pptx.exc import PackageNotFoundError

from contracts.errors import UnreadableFile
from contracts.text import Block, Page, PageBox, Span, TextBox
from ingestion.limits import IngestionLimits
from ingestion.readers.containers import check_container
from ingestion.readers.grid import grid_block
from tools.ocr import OcrEngine

_EMU_PER_PT = 12_700
_TITLES = {PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE, PP_PLACEHOLDER.VERTICAL_TITLE}
_FURNITURE = {PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.DATE}


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read the slides of a presentation; a slide that cannot be read comes out empty, with a warning.

    Raises:
        UnreadableFile: the file is damaged, encrypted, unpacks to too much or has too many slides.
    """
    check_container(path, limits, "ppt/presentation.xml")
    try:
        deck = pptx.Presentation(str(path))
        slides = list(deck.slides)
    except (PackageNotFoundError, KeyError, ValueError, SyntaxError, OSError, AttributeError) as error:
        raise UnreadableFile(str(path), f"it is not a readable presentation ({error})") from error
    if len(slides) > limits.pages:
        raise UnreadableFile(str(path), f"it has {len(slides)} slides, more than the {limits.pages} allowed; split it")
    width, height = (deck.slide_width or 0) / _EMU_PER_PT, (deck.slide_height or 0) / _EMU_PER_PT
    for number, slide in enumerate(slides, start=1):
        try:
            blocks = tuple(_read_slide(slide, number))
            yield Page(number=number, blocks=blocks, width_pt=width, height_pt=height)
        except (KeyError, ValueError, AttributeError, TypeError) as error:
            warning = f"slide {number} could not be read ({type(error).__name__}: {error})"
            yield Page(number=number, blocks=(), width_pt=width, height_pt=height, warnings=(warning,))


def title(path: Path) -> str:
    """Return the title in the file's properties, or ""; the untouched template's name is no title."""
    found = str(pptx.Presentation(str(path)).core_properties.title or "").strip()
    return "" if found.casefold() == "powerpoint presentation" else found


def _read_slide(slide: Any, number: int) -> Iterator[Block]:
    shapes = sorted(_flatten(slide.shapes), key=lambda shape: (not _is_title(shape), _top(shape), _left(shape)))
    has_title = False
    for shape in shapes:
        if shape.is_placeholder and shape.placeholder_format.type in _FURNITURE:
            continue
        if _is_title(shape) and shape.has_text_frame and shape.text_frame.text.strip():
            has_title = True
            yield _placed(Block(kind="heading", text=_one_line(shape.text_frame.text), page=number, level=1), shape)
            continue
        # A slide without a title placeholder often has one that is a plain text box at the top.
        if not has_title and _looks_like_title(shape, shapes):
            has_title = True
            yield _placed(Block(kind="heading", text=_one_line(shape.text_frame.text), page=number, level=1), shape)
            continue
        for block in _read_shape(shape, number):
            yield _placed(block, shape)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = slide.notes_slide.notes_text_frame.text.replace("\x0b", "\n").strip()
        if notes:
            yield Block(kind="notes", text=notes, page=number)


def _flatten(shapes: Any) -> Iterator[Any]:
    for shape in shapes:
        if shape.shape_type == MSO_SHAPE_TYPE.GROUP:
            yield from _flatten(shape.shapes)
        else:
            yield shape


def _is_title(shape: Any) -> bool:
    return bool(shape.is_placeholder and shape.placeholder_format.type in _TITLES)


def _looks_like_title(shape: Any, shapes: list[Any]) -> bool:
    if any(_is_title(each) and each.text_frame.text.strip() for each in shapes) or not shape.has_text_frame:
        return False
    text = shape.text_frame.text.strip()
    texts = [each for each in shapes if each.has_text_frame and each.text_frame.text.strip()]
    return bool(texts) and texts[0] is shape and len(texts) > 1 and "\n" not in text and len(text) <= 100


def _read_shape(shape: Any, number: int) -> Iterator[Block]:
    if shape.has_text_frame:
        yield from _read_text(shape.text_frame, number)
    if getattr(shape, "has_table", False):
        rows = [[_cell_text(cell) for cell in row.cells] for row in shape.table.rows]
        block = grid_block(rows, number, header_rows=1 if shape.table.first_row else None)
        if block is not None:
            yield block
    if getattr(shape, "has_chart", False):
        block = _read_chart(shape.chart, number)
        if block is not None:
            yield block


def _cell_text(cell: Any) -> str:
    return "" if cell.is_spanned else str(cell.text).replace("\x0b", " ")


def _read_text(frame: Any, number: int) -> Iterator[Block]:
    lines = []
    for paragraph in frame.paragraphs:
        text = _one_line(paragraph.text)
        if text:
            lines.append("  " * paragraph.level + text)
    if len(lines) > 1:
        yield Block(kind="list", text="\n".join(lines), page=number)
    elif lines:
        yield Block(kind="paragraph", text=lines[0].strip(), page=number)


def _read_chart(chart: Any, number: int) -> Block | None:
    plot = next(iter(chart.plots), None)
    if plot is None:
        return None
    series = list(plot.series)
    rows = [["", *(str(each.name) for each in series)]]
    for index, category in enumerate(plot.categories):
        values = [each.values[index] if index < len(each.values) else None for each in series]
        rows.append([str(category), *("" if value is None else f"{value:g}" for value in values)])
    if chart.has_title and chart.chart_title.has_text_frame:
        rows[0][0] = _one_line(chart.chart_title.text_frame.text)
    return grid_block(rows, number, header_rows=1)


def _one_line(text: str) -> str:
    return " ".join(text.replace("\x0b", " ").split())


def _placed(block: Block, shape: Any) -> Block:
    if None in (shape.left, shape.top, shape.width, shape.height):
        return block
    box = PageBox(
        page=block.page,
        x0=round(shape.left / _EMU_PER_PT, 1),
        top=round(shape.top / _EMU_PER_PT, 1),
        x1=round((shape.left + shape.width) / _EMU_PER_PT, 1),
        bottom=round((shape.top + shape.height) / _EMU_PER_PT, 1),
    )
    return Block(
        kind=block.kind,
        text=block.text,
        page=block.page,
        level=block.level,
        header_rows=block.header_rows,
        boxes=(TextBox(span=Span(0, len(block.text)), box=box),),
    )


def _top(shape: Any) -> int:
    # Shapes that stand in one row, roughly, are read from left to right.
    return int((shape.top or 0) // (_EMU_PER_PT * 18))


def _left(shape: Any) -> int:
    return int(shape.left or 0)
