"""Slides (PPTX): a slide is a page; its title is the heading, then come text, tables, charts, pictures and notes."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import pptx
from pptx.enum.shapes import MSO_SHAPE_TYPE, PP_PLACEHOLDER

from contracts.errors import UnreadableFile
from contracts.text import Block, Page, PageBox, Span, TextBox
from ingestion.limits import IngestionLimits
from ingestion.readers.containers import check_container, office_title, parse_xml
from ingestion.readers.grid import SpanningCell, grid_block, spread_cells
from ingestion.readers.pictures import PictureReader
from tools.ocr import OcrEngine

_EMU_PER_PT = 12_700
_TITLES = {PP_PLACEHOLDER.TITLE, PP_PLACEHOLDER.CENTER_TITLE, PP_PLACEHOLDER.VERTICAL_TITLE}
_DRAWING = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
_SLIDES = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}embed"
_DAMAGES = (KeyError, ValueError, AttributeError, TypeError, IndexError, SyntaxError)
_BODIES = {PP_PLACEHOLDER.BODY, PP_PLACEHOLDER.OBJECT, PP_PLACEHOLDER.VERTICAL_BODY, PP_PLACEHOLDER.VERTICAL_OBJECT}
_BULLETS = {"buNone", "buChar", "buAutoNum", "buBlip"}
_FURNITURE = {PP_PLACEHOLDER.SLIDE_NUMBER, PP_PLACEHOLDER.FOOTER, PP_PLACEHOLDER.DATE}


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read the slides of a presentation; a hidden one, or one that cannot be read, is returned empty, with a warning.

    Raises:
        UnreadableFile: the file is damaged or encrypted, is too large when unpacked, or has too many slides.
    """
    check_container(path, limits, "ppt/presentation.xml")
    try:
        deck = pptx.Presentation(str(path))
        slides = list(deck.slides)
    except Exception as error:
        # The library may raise any exception for unexpected parts.
        raise UnreadableFile(
            str(path), f"it is not a readable presentation ({type(error).__name__}: {error})"
        ) from error
    if len(slides) > limits.pages:
        raise UnreadableFile(str(path), f"it has {len(slides)} slides, more than the {limits.pages} allowed; split it")
    width, height = (deck.slide_width or 0) / _EMU_PER_PT, (deck.slide_height or 0) / _EMU_PER_PT
    pictures = PictureReader(limits, ocr)
    for number, slide in enumerate(slides, start=1):
        blocks: tuple[Block, ...] = ()
        notes: tuple[str, ...] = ()
        try:
            if slide.element.get("show") in ("0", "false"):
                notes = (f"slide {number} is hidden and was left out",)
            else:
                blocks = tuple(_read_slide(slide, number, pictures))
        except _DAMAGES as error:
            notes = (f"slide {number} could not be read ({type(error).__name__}: {error})",)
        yield pictures.page(Page(number=number, blocks=blocks, width_pt=width, height_pt=height, warnings=notes))


title = office_title


def _read_slide(slide: Any, number: int, pictures: PictureReader) -> Iterator[Block]:
    shapes = sorted(_flatten(slide.shapes), key=_order)
    has_title = False
    for shape in shapes:
        if shape.is_placeholder and shape.placeholder_format.type in _FURNITURE:
            continue
        named = _is_title(shape) and shape.has_text_frame and bool(shape.text_frame.text.strip())
        # On a slide without a title placeholder, a plain text box at the top is often the title.
        if named or (not has_title and _looks_like_title(shape, shapes)):
            has_title = True
            yield _placed(Block(kind="heading", text=_one_line(shape.text_frame.text), page=number, level=1), shape)
            continue
        for block in _read_shape(shape, number, pictures):
            yield _placed(block, shape)
    yield from _read_diagrams(slide, number)
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


def _read_shape(shape: Any, number: int, pictures: PictureReader) -> Iterator[Block]:
    if shape.has_text_frame:
        yield from _read_text(shape, number)
    if getattr(shape, "has_table", False):
        block = grid_block(_cells(shape.table), number, header_rows=1 if shape.table.first_row else None)
        if block is not None:
            yield block
    if getattr(shape, "has_chart", False):
        yield from _read_chart(shape.chart, number)
    # A picture that is only linked has no bytes here.
    for picture in shape.element.iter(f"{_DRAWING}blip"):
        part = _related(shape, picture.get(_RELATION))
        if part is not None:
            yield from pictures.read(part.blob, number)


def _related(shape: Any, relation: str | None) -> Any:
    try:
        return shape.part.related_part(relation) if relation else None
    except _DAMAGES:
        return None


def _cells(table: Any) -> list[list[str]]:
    """Return the cells of a table; short text of a merged cell fills its rows, and in the header its columns."""
    return spread_cells(
        [
            [_spanning(cell, top, table) for cell in row.cells if not cell.is_spanned]
            for top, row in enumerate(table.rows)
        ]
    )


def _spanning(cell: Any, top: int, table: Any) -> SpanningCell:
    text = str(cell.text).replace("\x0b", " ")
    across, down = (cell.span_width, cell.span_height) if cell.is_merge_origin else (1, 1)
    # A title across the whole table belongs to no column.
    return SpanningCell(text, across, down, names_all=top == 0 and across < len(table.columns))


def _read_text(shape: Any, number: int) -> Iterator[Block]:
    """Read the paragraphs of a shape: with bullets or numbers as a list, otherwise one by one, or below their label."""
    filled = [each for each in shape.text_frame.paragraphs if each.text.strip()]
    label = filled[0] if _begins_with_label(filled) else None
    lines = [(each.level, _one_line(each.text) + ":" * (each is label), _bullet(shape, each)) for each in filled]
    for is_list, group in groupby(lines, key=lambda line: line[2] is not None):
        each_line = list(group)
        if is_list and len(each_line) > 1:
            yield Block(kind="list", text="\n".join(_marked(each_line)), page=number)
        elif label is not None and each_line[0] is lines[0] and not is_list:
            yield Block(kind="paragraph", text="\n".join(text for _, text, _ in each_line), page=number)
        else:
            yield from (Block(kind="paragraph", text=text, page=number) for _, text, _ in each_line)


def _begins_with_label(paragraphs: Sequence[Any]) -> bool:
    """Return whether the first paragraph of a shape is short and bold, and the others are not."""
    bold = [all(run.font.bold for run in each.runs if run.text.strip()) for each in paragraphs]
    label = _one_line(paragraphs[0].text) if paragraphs else ""
    return bold[:1] == [True] and not all(bold) and len(label.split()) <= 8 and label[-1] not in ".,;:!?"


def _marked(lines: Sequence[tuple[int, str, str | None]]) -> Iterator[str]:
    """Yield the items of a list, given as level, text and bullet, with their marks."""
    counts: dict[int, int] = {}
    for level, text, bullet in lines:
        counts = {above: count for above, count in counts.items() if above <= level}
        counts[level] = counts.get(level, 0) + 1
        yield "  " * level + (f"{counts[level]}. " if bullet == "buAutoNum" else "- ") + text


def _bullet(shape: Any, paragraph: Any) -> str | None:
    """Return the kind of a paragraph's bullet, such as "buChar" or "buAutoNum"; None if it has none.

    The first of these that specifies it counts: the paragraph, its shape, the placeholders of the layout and the master
    that the shape fills, and the master's style for body text.
    """
    level = f"{_DRAWING}lvl{paragraph.level + 1}pPr"
    for style in (paragraph._p.find(f"{_DRAWING}pPr"), *(each.find(f".//{level}") for each in _styles(shape))):
        for bullet in style if style is not None else ():
            name = str(bullet.tag).removeprefix(_DRAWING)
            if name in _BULLETS:
                return None if name == "buNone" else name
    return None


def _styles(shape: Any) -> Iterator[Any]:
    """Yield the elements with the styles of a shape's text, the closest first."""
    yield shape.text_frame._txBody
    if not shape.is_placeholder:
        return
    master = shape.part.slide_layout.slide_master
    layout = shape.part.slide_layout.placeholders.get(shape.placeholder_format.idx)
    kind = shape.placeholder_format.type
    body = PP_PLACEHOLDER.BODY if kind in _BODIES else kind
    for placeholder in (layout, master.placeholders.get(body)):
        if placeholder is not None:
            yield placeholder.element
    if kind in _BODIES:
        yield from master.element.iter(f"{_SLIDES}bodyStyle")


def _read_chart(chart: Any, number: int) -> Iterator[Block]:
    """Read a chart as a table of its values: categories in rows, series in columns, its title as the caption."""
    if chart.has_title and chart.chart_title.has_text_frame:
        yield Block(kind="caption", text=_one_line(chart.chart_title.text_frame.text), page=number)
    for plot in chart.plots:
        series = list(plot.series)
        rows = [["", *(str(each.name) for each in series)]]
        categories = list(plot.categories) or [""] * max((len(list(each.values)) for each in series), default=0)
        values = [list(each.values) for each in series]
        for index, category in enumerate(categories):
            found = [each[index] if index < len(each) else None for each in values]
            rows.append([str(category), *("" if value is None else f"{value:.12g}" for value in found)])
        block = grid_block(rows, number, header_rows=1)
        if block is not None:
            yield block


def _read_diagrams(slide: Any, number: int) -> Iterator[Block]:
    """Read the words of SmartArt drawings, which are in separate parts of the file."""
    for relation in slide.part.rels.values():
        if relation.is_external or not relation.reltype.endswith("/diagramData"):
            continue
        root = parse_xml(relation.target_part.blob)
        lines = ["".join(text.text or "" for text in each.iter(f"{_DRAWING}t")) for each in root.iter(f"{_DRAWING}p")]
        text = "\n".join(f"- {_one_line(line)}" for line in lines if line.strip())
        if text:
            yield Block(kind="list", text=text, page=number)


def _one_line(text: str) -> str:
    return " ".join(text.replace("\x0b", " ").split())


def _placed(block: Block, shape: Any) -> Block:
    if None in (shape.left, shape.top, shape.width, shape.height):
        return block
    sides = (shape.left, shape.top, shape.left + shape.width, shape.top + shape.height)
    x0, top, x1, bottom = (round(side / _EMU_PER_PT, 1) for side in sides)
    box = PageBox(page=block.page, x0=x0, top=top, x1=x1, bottom=bottom)
    return replace(block, boxes=(TextBox(span=Span(0, len(block.text)), box=box),))


def _order(shape: Any) -> tuple[bool, int, int]:
    # Shapes roughly in one row are read from left to right.
    return not _is_title(shape), int((shape.top or 0) // (_EMU_PER_PT * 18)), int(shape.left or 0)
