"""Blocks of a page: its lines as headings, paragraphs, lists, code and captions, and its tables."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from contracts.text import Block, BlockKind, PageBox, Span, TextBox
from ingestion.layout.definitions import with_definitions
from ingestion.layout.lines import LinePart, TextLine, place_words
from ingestion.layout.marks import BULLETS
from ingestion.layout.tables import DraftTable, cell_text, words_in_order
from ingestion.layout.words import Rectangle, append_line

Item = TextLine | DraftTable
_BULLET = re.compile(rf"^(?:[{BULLETS}]\s*|[-–—*o]\s+)(?=\S)")
_TICKS = "✓✔"
_LISTED = re.compile(r"^\(?(?:[0-9]{1,2}|[a-zA-Z]|[ivx]{1,4})[.)]\s+\S")
_NUMBERED_HEADING = re.compile(
    r"^(?:(?:Chapter|Section|Appendix|Annex|Part)\s+)?(?P<number>\d{1,2}(?:\.\d{1,3}){0,5}|[A-Z](?:\.\d{1,3}){1,5}|[A-Z]|[IVX]{1,5})"
    r"[.):]?\s+(?=[^\W\d_])"
)
_CAPTION = re.compile(
    r"^(?:Table|TABLE|Figure|FIGURE|Fig\.|Tab\.|Listing|Exhibit|Chart)\s*[A-Z]?\d+(?:[.\-]\d+)*(?:\s*[.:–—-]\s|\s+[A-Z(])"
)
_MAX_HEADING_CHARACTERS = 150
_MAX_HEADING_WORDS = 18
_MOSTLY = 0.6


def text_boxes(parts: Iterable[LinePart], page: int, start: int) -> list[TextBox]:
    """Make the boxes of a line whose text begins at ``start`` in its block's text."""
    return [
        TextBox(
            span=Span(start + part.start, start + part.end),
            box=page_box(page, part.box),
            confidences=tuple(round(each, 2) for each in part.confidences),
        )
        for part in parts
    ]


def page_box(page: int, box: Rectangle) -> PageBox:
    """Make a box as the contracts define it, rounded to a tenth of a point."""
    x0, top, x1, bottom = (round(each, 1) for each in box)
    return PageBox(page=page, x0=x0, top=top, x1=x1, bottom=bottom)


def table_block(table: DraftTable, page: int) -> Block:
    """Write a table as text: one line per row, cells separated by `` | ``, one box per row."""
    text = ""
    boxes: list[TextBox] = []
    for index, row in enumerate(table.rows):
        line = " | ".join(cell_text(cell) for cell in row)
        start = len(text) + 1 if text else 0
        text = f"{text}\n{line}" if text else line
        if index >= table.borrowed_rows:
            boxes += text_boxes(place_words(line, words_in_order(row)), page, start)
    return Block(kind="table", text=text, page=page, header_rows=table.header_rows, boxes=tuple(boxes))


@dataclass(frozen=True, slots=True)
class Style:
    """The type style of a document's running text, and the styles of its headings, from the highest level down."""

    body_size: float
    body_bold: bool
    scanned: bool
    looks: tuple[tuple[float, bool], ...] = ()

    @property
    def tolerance(self) -> float:
        """The share by which two sizes of one style may differ."""
        return 0.1 if self.scanned else 0.03


@dataclass(slots=True)
class _Draft:
    """A block as it grows line by line.

    Content below the first lines of a list item is indented by two spaces; ``marks_x0`` is the left edge of the
    items' marks.
    """

    kind: BlockKind
    lines: list[TextLine]
    marks_x0: float | None = None
    text: str = ""
    boxes: list[TextBox] = field(default_factory=list)


def learn_style(items: Iterable[Item], *, scanned: bool) -> Style:
    """Learn the type style of a document's running text, and the styles of its headings."""
    sizes: Counter[float] = Counter()
    bold = 0
    lines = [item for item in items if isinstance(item, TextLine)]
    for line in lines:
        sizes[round(line.size * 2) / 2] += len(line.text)
        bold += len(line.text) if line.bold else 0
    if not sizes:
        return Style(body_size=10.0, body_bold=False, scanned=scanned)
    body = max(sizes, key=lambda size: sizes[size])
    plain = Style(body_size=body, body_bold=bold > 0.5 * sum(sizes.values()), scanned=scanned)
    followed = zip([None, *lines[:-1]], lines, strict=True)
    headings = {(line.size, line.bold) for before, line in followed if is_heading(line, before, plain)}
    looks: list[tuple[float, bool]] = []
    for size, is_bold in sorted(headings, reverse=True):
        # Each style is named by its largest size; on scans, sizes of one style differ by a few per cent.
        if not any(is_bold == look[1] and size >= look[0] * (1 - plain.tolerance) for look in looks):
            looks.append((size, is_bold))
    return replace(plain, looks=tuple(looks))


def is_heading(line: TextLine, before: TextLine | None, style: Style) -> bool:
    """Return whether a line looks like a heading: larger or bolder than the text, short, not a sentence, set apart."""
    text = line.text.strip()
    if not _could_be_heading(text) or line.mono_share > _MOSTLY:
        return False
    larger = line.size / style.body_size
    numbered = bool(_NUMBERED_HEADING.match(text))
    if style.scanned:
        starts = text[0].isupper() or text[0].isdigit()
        return starts and (larger >= 1.3 or (larger >= 1.1 and _is_apart(line, before)))
    if larger >= 1.15:
        return True
    if larger < 0.9:
        return False
    return line.bold and not style.body_bold and (numbered or larger >= 1.05 or _is_apart(line, before))


def _could_be_heading(text: str) -> bool:
    if len(text) > _MAX_HEADING_CHARACTERS or len(text.split()) > _MAX_HEADING_WORDS:
        return False
    letters = sum(character.isalpha() for character in text)
    if letters < 2 or letters < 0.4 * len(text.replace(" ", "")) or text[-1] in ",;|":
        return False
    if _BULLET.match(text) or _CAPTION.match(text):
        return False
    return not (text[-1] == "." and len(text.split()) > 4)


def _is_apart(line: TextLine, before: TextLine | None) -> bool:
    if before is None or before.column != line.column or before.top > line.top:
        return True
    return line.top - before.bottom > 0.45 * line.height or before.size > 1.1 * line.size


def level_of(line: TextLine, style: Style) -> int:
    """Return a heading's level (1 is the highest): by the rank of its style, then by the depth of its number."""
    alike = (
        rank
        for rank, (size, bold) in enumerate(style.looks, start=1)
        if bold == line.bold and line.size >= size * (1 - style.tolerance)
    )
    rank = next(alike, len(style.looks) + 1)
    number = _NUMBERED_HEADING.match(line.text)
    return min(rank + (number.group("number").count(".") if number else 0), 9)


def build_blocks(items: Sequence[Item], page: int, style: Style) -> list[Block]:
    """Build the blocks of one page from its lines and tables in reading order."""
    blocks: list[Block] = []
    draft: _Draft | None = None
    before: TextLine | None = None
    for item in items:
        if not isinstance(item, TextLine):
            blocks += _finish(draft, page, style)
            draft, before = None, None
            blocks.append(table_block(item, page))
            continue
        kind = _kind_of(item, before, draft, style)
        if draft is not None and before is not None and _goes_on(draft, before, item, kind, style):
            _extend(draft, item, page)
        else:
            blocks += _finish(draft, page, style)
            marks_x0 = _marks_beside(draft, item) if kind in ("code", "list") else None
            draft = _Draft(kind=kind, lines=[], marks_x0=marks_x0)
            _extend(draft, item, page)
        before = item
    return with_definitions(blocks + _finish(draft, page, style))


def _kind_of(line: TextLine, before: TextLine | None, draft: _Draft | None, style: Style) -> BlockKind:
    if draft is not None and draft.kind == "heading" and before is not None and _continues_heading(before, line):
        return "heading"
    if is_heading(line, before, style):
        return "heading"
    if draft is not None and draft.kind == "code" and line.mono_share > _MOSTLY:
        # A comment in a listing may be set in a different typeface.
        return "code"
    if line.mono_share == 1.0 and not (draft is not None and before is not None and _is_cut_off(draft, before, line)):
        return "code"
    cut_off = before is not None and _is_close(before, line) and before.text[-1:] not in ".!?:;"
    if _CAPTION.match(line.text) and not (cut_off and draft is not None and draft.kind in ("paragraph", "list")):
        return "caption"
    if _starts_item(line):
        return "list"
    if draft is not None and draft.kind == "list" and before is not None and _is_wrapped_item(draft, before, line):
        return "list"
    if draft is not None and draft.kind == "code" and _marks_beside(draft, line) is not None:
        return "list"
    return "paragraph"


def _is_cut_off(draft: _Draft, before: TextLine, line: TextLine) -> bool:
    """Return whether a line of code is the rest of a full line of text rather than a separate example."""
    width = line.column[1] - line.column[0]
    return (
        draft.kind in ("paragraph", "list")
        and _is_close(before, line)
        and line.top - before.bottom < 0.45 * line.height
        and before.x1 > line.column[1] - 0.2 * width
        and before.text[-1:] not in ".!?:;"
    )


def _marks_beside(draft: _Draft | None, line: TextLine) -> float | None:
    """Return the left edge of a list's marks if ``line`` belongs to an item of a list in ``draft``, otherwise None."""
    if draft is None or draft.lines[-1].column != line.column or _starts_item(line):
        return None
    x0 = draft.marks_x0
    if x0 is None and draft.kind == "list":
        x0 = next((each.x0 for each in draft.lines if _starts_item(each)), None)
    return x0 if x0 is not None and line.x0 > x0 + 0.3 * line.size else None


def _starts_item(line: TextLine) -> bool:
    return line.hanging or bool(_BULLET.match(line.text) or _LISTED.match(line.text))


def _continues_heading(before: TextLine, line: TextLine) -> bool:
    return (
        abs(before.size - line.size) <= 0.1 * line.size
        and before.bold == line.bold
        and line.column == before.column
        and 0 <= line.top - before.top < 1.9 * before.height
        and not _NUMBERED_HEADING.match(line.text)
        and _could_be_heading(line.text)
    )


def _is_wrapped_item(draft: _Draft, before: TextLine, line: TextLine) -> bool:
    first = next(each for each in reversed(draft.lines) if _starts_item(each) or each is draft.lines[0])
    marks_x0 = first.x0 if draft.marks_x0 is None or _starts_item(first) else draft.marks_x0
    indent, gap = line.x0 - marks_x0, line.top - before.bottom
    # On slides, even the lines of an item are far apart; then the line above had no room for the next word.
    wrapped = gap < line.height and before.text[-1:] not in ".!?:;" and not _has_room(before, line)
    return (gap < 0.7 * line.height or wrapped) and line.top >= before.top and indent > 0.3 * line.size


def _has_room(before: TextLine, line: TextLine) -> bool:
    word = line.text.split(maxsplit=1)[0]
    return before.x1 + (line.x1 - line.x0) * (len(word) + 1) / len(line.text) < before.column[1]


def _goes_on(draft: _Draft, before: TextLine, line: TextLine, kind: BlockKind, style: Style) -> bool:
    if kind != draft.kind:
        # The rest of a two-line caption looks like a paragraph.
        tight = _is_close(before, line) and line.top - before.bottom < 0.45 * line.height
        # The last line of a sentence in bold ends with a full stop, so it does not look like a heading.
        bold = draft.kind == "heading" and line.bold == before.bold and line.text[:1].islower()
        continued = draft.kind == "caption" or (bold and line.size == before.size)
        return continued and kind == "paragraph" and tight and before.text[-1:] != "."
    if kind == "heading":
        return _continues_heading(before, line)
    if kind == "code":
        return line.column == before.column or line.top > before.top
    if kind == "list":
        return True
    if kind == "caption":
        return False
    return _continues_paragraph(before, line, 0.25 if style.scanned else 0.12)


def _is_close(before: TextLine, line: TextLine) -> bool:
    return line.column == before.column and 0 <= line.top - before.top < 1.9 * max(before.height, line.height)


def _continues_paragraph(before: TextLine, line: TextLine, tolerance: float) -> bool:
    if abs(before.size - line.size) > tolerance * max(before.size, line.size) + 0.3:
        return False
    unfinished = before.text[-1:] not in '.!?:;)”"' and line.text[:1].islower()
    if line.top < before.top or line.column != before.column:
        # The next column (or the band below a full-width line) continues a sentence that was cut.
        return unfinished
    gap = line.top - before.bottom
    if gap > 0.75 * line.height:
        return unfinished and gap < 1.2 * line.height
    width = line.column[1] - line.column[0]
    ended_early = before.x1 < line.column[1] - 0.2 * width and before.text[-1:] in ".!?:"
    indented = line.x0 > before.x0 + 0.8 * line.size and before.x0 < line.column[0] + 0.5 * line.size
    return not ended_early and not (indented and before.text[-1:] in ".!?:")


def _extend(draft: _Draft, line: TextLine, page: int) -> None:
    if draft.kind == "list" and line.text[0] in BULLETS and line.text[0] not in _TICKS:
        # Answers know one bullet. A tick may stand beside crosses.
        line = replace(line, text=f"•{line.text[1:]}")
    if not draft.lines:
        text = _margin(draft) + line.text
    elif draft.kind == "code" or (draft.kind == "list" and _starts_item(line)):
        text = f"{draft.text}\n{_indented(draft, line)}"
    else:
        text = append_line(draft.text, line.text)
    start = len(text) - len(line.text)
    # A removed hyphen moves the end of the previous line by one character.
    if draft.boxes and draft.boxes[-1].span.end > start:
        last = draft.boxes[-1]
        draft.boxes[-1] = replace(last, span=Span(last.span.start, start))
    draft.boxes += text_boxes(line.parts, page, start)
    draft.text = text
    draft.lines.append(line)


def _margin(draft: _Draft) -> str:
    return "  " if draft.marks_x0 is not None else ""


def _indented(draft: _Draft, line: TextLine) -> str:
    if draft.kind == "list":
        return _margin(draft) + "  " * _depth(draft, line) + line.text
    left = min(each.x0 for each in draft.lines)
    # The width of letters in a fixed-width typeface is 0.6 of the type size.
    return _margin(draft) + " " * max(0, round((line.x0 - left) / (0.6 * max(line.size, 1.0)))) + line.text


def _depth(draft: _Draft, line: TextLine) -> int:
    """Return how many levels of items in the same column begin further to the left; numbers may be aligned right."""
    items = (each.x0 for each in draft.lines if _starts_item(each) and each.column == line.column)
    levels: list[float] = []
    for x0 in sorted(items):
        if x0 < line.x0 - line.size and (not levels or x0 > levels[-1] + line.size):
            levels.append(x0)
    return len(levels)


def _finish(draft: _Draft | None, page: int, style: Style) -> list[Block]:
    if draft is None or not draft.text.strip():
        return []
    kind = draft.kind
    ended = draft.text[-1:] in (".!:" if len(draft.lines) > 2 else ".")
    if kind == "heading" and (len(draft.text) > 200 or (len(draft.lines) > 1 and ended)):
        # An introduction in larger type, or a sentence in bold.
        kind = "paragraph"
    level = level_of(draft.lines[0], style) if kind == "heading" else 0
    return [Block(kind=kind, text=draft.text, page=page, level=level, boxes=tuple(draft.boxes))]
