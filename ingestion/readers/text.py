"""Text files: plain text, and tables of values separated by commas or tabs."""

import csv
import io
import re
import textwrap
from collections.abc import Collection, Iterator
from dataclasses import replace
from itertools import pairwise, takewhile
from pathlib import Path

from contracts.errors import UnreadableFile
from contracts.text import Block, Page
from ingestion.limits import IngestionLimits
from ingestion.readers.containers import check_characters
from ingestion.readers.encoding import decode_text
from ingestion.readers.grid import grid_block, take_rows_above_header
from ingestion.readers.text_headings import (
    UNDERLINE,
    heading_and_rest,
    is_underlined,
    question_over,
    stands_over,
    without_answer_mark,
)
from ingestion.readers.text_items import ITEM, is_ended, is_marked, margin_of, with_bullets, with_items_marked
from ingestion.readers.text_tables import WIDE_GAP, aligned_table, drawn_table, is_drawn, split_at_tables
from tools.ocr import OcrEngine

_SEPARATED = {".csv": ",", ".tsv": "\t"}
_OPTION = re.compile(r"\s*-{1,2}[^\W_]")
# "LAMPD(8)  Lamps  LAMPD(8)" at the top.
_PAGE_NAME = re.compile(r"\s*(?P<name>[\w.:+@-]+\(\w{1,4}\))\s(?:.*\s)?(?P=name)")
# "---8<---" and "```" enclose text for machines.
_FENCE = re.compile(r"-{2,}[%8]<-{2,}|```\w*")
# The footer of an RFC's page, and the header of the next page.
_PAGE_BREAK = re.compile(r"\n.*\s\s\[Page \w+\]$(?:[^\S\f]*(\f))?(?:\s*(?:RFC \d|Internet.Draft).*)?", re.MULTILINE)
# Longer lines and paragraphs were not written by a person; they are read in parts.
_MOST_LINE_CHARACTERS = 1_000_000
# Characters that typesetting, not writers, uses to break a word.
_BROKEN = re.compile(r"\w[\u00ad\u2010]$")
_CODE_SIGN = re.compile(r"[=<>{}()\[\]$#;/\\@_]")


def read(path: Path, limits: IngestionLimits, ocr: OcrEngine | None) -> Iterator[Page]:
    """Read a text file as one page; form feeds divide plain text into pages.

    Raises:
        UnreadableFile: the bytes are not text, there are too many of them, or a table cannot be parsed.
    """
    suffix = path.suffix.lower()
    # No encoding takes more bytes for a character: a larger file is refused without reading it.
    check_characters(path, path.stat().st_size // 4, limits)
    text, warnings = decode_text(path)
    check_characters(path, len(text), limits)
    if suffix in _SEPARATED:
        yield Page(number=1, blocks=_separated(path, text, _SEPARATED[suffix], limits), warnings=warnings)
        return
    for number, part in enumerate(_PAGE_BREAK.sub(r"\n\1\n", text).split("\f"), start=1):
        yield Page(number=number, blocks=tuple(plain_blocks(part, number)), warnings=warnings if number == 1 else ())


def _separated(path: Path, text: str, separator: str, limits: IngestionLimits) -> tuple[Block, ...]:
    first = text.partition("\n")[0]
    if separator == "," and first.count(";") > first.count(","):
        separator = ";"
    rows: list[list[str]] = []
    cells = 0
    try:
        for row in csv.reader(io.StringIO(text), delimiter=separator):
            cells += len(row)
            if cells > limits.cells:
                raise UnreadableFile(str(path), f"it has more than the {limits.cells:,} cells allowed; split it")
            rows.append(row)
    except csv.Error as error:
        raise UnreadableFile(str(path), f"it is not a table of values separated by {separator!r} ({error})") from error
    above = take_rows_above_header(rows)
    return (*above, *filter(None, [grid_block(rows)]))


def plain_blocks(text: str, page: int = 1) -> list[Block]:
    """Read plain text: headings, paragraphs between blank lines, lists, aligned columns, code indented below "...:"."""
    blocks: list[Block] = []
    paragraphs = _with_loose_items_joined(list(with_items_marked(_paragraphs(text))))
    margin = last_margin = code_margin = 0
    # The first line may be a heading, regardless of its words.
    first = True
    name = _PAGE_NAME.fullmatch(paragraphs[0][0]) if paragraphs else None
    for index, lines in enumerate(paragraphs):
        announced = any(each.kind == "paragraph" and each.text.endswith(":") for each in blocks[-1:])
        if name and index and len(lines) == 1 and _is_foot(lines[0], name["name"], last=lines is paragraphs[-1]):
            continue
        if len(lines) > 2 and _FENCE.fullmatch(lines[0]) and _FENCE.fullmatch(lines[-1]):
            blocks.append(Block(kind="code", text="\n".join(lines[1:-1]).strip("\n"), page=page))
            continue
        following = paragraphs[index + 1] if index + 1 < len(paragraphs) else []
        if following and (question := question_over(lines, following)):
            blocks.append(Block(kind="heading", text=question, page=page, level=3))
            paragraphs[index + 1] = without_answer_mark(following)
            continue
        if is_drawn(lines):
            blocks += filter(None, [drawn_table(lines, page)])
            continue
        heading, level, lines = heading_and_rest(lines, following, first=first, announced=announced, name=name)
        if heading:
            blocks.append(Block(kind="heading", text=heading, page=page, level=level))
        while stands_over(lines):
            level = 3 if margin_of(lines[0]) else 2
            blocks.append(Block(kind="heading", text=lines[0].strip(), page=page, level=level))
            lines = lines[1:]
        first = False
        lines = [line for line in lines if not UNDERLINE.match(line)]
        bulleted = with_bullets(lines)
        if lines and _is_code(bulleted, blocks, margin):
            blocks.append(Block(kind="code", text=textwrap.dedent("\n".join(lines)), page=page))
            code_margin = min(map(margin_of, lines))
        elif lines and last_margin < code_margin and blocks[-1].kind == "code" and _goes_on(lines, code_margin):
            # An example may contain blank lines.
            more = "\n".join(line[code_margin:] for line in lines)
            blocks[-1] = replace(blocks[-1], text=f"{blocks[-1].text}\n\n{more}")
        elif lines:
            blocks += _body(bulleted, page)
            margin, last_margin = margin_of(lines[0]), margin_of(lines[-1])
    return blocks


def _is_foot(line: str, name: str, *, last: bool) -> bool:
    """Return whether a separate line is the footer of a manual page, or the header of its next page."""
    names_page = re.fullmatch(rf"(?:.*\s{{2,}}|\s*){re.escape(name)}", line, re.IGNORECASE)
    return bool(names_page) or (last and not margin_of(line) and bool(WIDE_GAP.search(line)))


def _with_loose_items_joined(paragraphs: list[list[str]]) -> list[list[str]]:
    """Join list items separated by blank lines, and join an option to its description below a blank line."""
    joined: list[list[str]] = []
    for lines in paragraphs:
        before = joined[-1] if joined else [""]
        items = all(ITEM.match(each[0]) and not is_underlined(each) for each in (before, lines))
        items = items and margin_of(before[0]) == margin_of(lines[0])
        if items or (_is_option(before) and margin_of(before[0]) < margin_of(lines[0])):
            joined[-1] = before + lines
        else:
            joined.append(lines)
    return joined


def _is_option(lines: list[str]) -> bool:
    """Return whether each line is a form of an option, without a description beside it."""
    return all(_OPTION.match(line) and not WIDE_GAP.search(line.strip()) for line in lines)


def _is_code(lines: list[str], blocks: list[Block], margin: int) -> bool:
    """Return whether ``lines`` are an example: indented further than the paragraph before, which ends with a colon."""
    if not blocks or not blocks[-1].text.endswith(":") or ITEM.match(lines[0]):
        return False
    is_prose = lines[-1][-1] in ".!?" and len(" ".join(lines).split()) > 5
    return not is_prose and min(map(margin_of, lines)) > margin


def _goes_on(lines: list[str], code_margin: int) -> bool:
    """Return whether ``lines`` continue the code above a blank line: indented as far, with code symbols."""
    text = "\n".join(lines)
    return min(map(margin_of, lines)) >= code_margin and text[-1] not in ".!?:" and bool(_CODE_SIGN.search(text))


def _paragraphs(text: str) -> Iterator[list[str]]:
    """Yield the lines between blank lines; those of a drawn table or a fenced part are separate."""
    group: list[str] = []
    characters = 0
    fences = sum(bool(_FENCE.fullmatch(line.rstrip())) for line in text.split("\n"))
    fenced = False
    for whole in text.split("\n"):
        for start in range(0, len(whole) or 1, _MOST_LINE_CHARACTERS):
            line = whole[start : start + _MOST_LINE_CHARACTERS].expandtabs(8).rstrip()
            fence = bool(_FENCE.fullmatch(line))
            fences -= fence
            opens = fence and not fenced and fences > 0
            if opens and group:
                yield from split_at_tables(group)
                group, characters = [], 0
            if line or fenced:
                group.append(line)
                characters += len(line)
            closed = fenced and fence
            fenced = opens or (fenced and not closed)
            if group and (closed or not (line or fenced) or characters > _MOST_LINE_CHARACTERS):
                yield from [group] if closed else split_at_tables([each for each in group if each])
                group, characters = [], 0
    if group := [each for each in group if each]:
        yield from split_at_tables(group)


def _body(lines: list[str], page: int) -> Iterator[Block]:
    table = None if is_marked(lines) else aligned_table(lines, page)
    if table is not None:
        yield table
        return
    listed = next((index for index, line in enumerate(lines) if ITEM.match(line)), None)
    if listed is not None and sum(1 for line in lines if ITEM.match(line)) > 1:
        if listed:
            yield Block(kind="paragraph", text=_joined(lines[:listed]), page=page)
        items: list[list[str]] = []
        for line in lines[listed:]:
            if ITEM.match(line) or not items:
                items.append([line])
            else:
                items[-1].append(line)
        yield Block(kind="list", text="\n".join(map(_joined_item, items)), page=page)
    else:
        yield Block(kind="paragraph", text=_joined(lines), page=page)


def _joined(lines: list[str]) -> str:
    """Join wrapped lines; an option or a term is followed by its description, as in a list of a web page."""
    labels = _labels(lines)
    if not labels:
        margin = _text_margin(lines)
        beside = f"{lines[0][:margin].strip()}: " if margin else ""
        return beside + _joined_alike([" " * margin + lines[0][margin:], *lines[1:]])
    label, body = ", ".join(line.strip() for line in lines[:labels]), _joined_alike(lines[labels:])
    is_text = len(lines) == labels + 1 or body.count("\n") < len(lines) - labels - 1
    return f"{label}: {body}" if is_text and label[-1] not in ".,:;!?" else f"{label}\n{body}"


def _labels(lines: list[str]) -> int:
    """Return how many of the first lines are a term, or forms of an option, above its indented description; else 0."""
    options = len(list(takewhile(lambda line: margin_of(line) == margin_of(lines[0]) and _OPTION.match(line), lines)))
    labels = max(options, 1)
    if len(lines) <= labels or margin_of(lines[0]) >= min(map(margin_of, lines[labels:])) or ITEM.match(lines[0]):
        return 0
    begins_beside = re.fullmatch(r".*\s\S", lines[labels - 1][: margin_of(lines[labels]) + 1])
    is_option = lines[0].lstrip().startswith("-") and not begins_beside
    is_label = is_option or (labels == 1 and is_ended(lines[0], lines[1], max(map(len, lines))))
    return labels if is_label else 0


def _text_margin(lines: list[str]) -> int:
    """Return the column in which a term's description begins and continues in the next lines; 0 if there is no term."""
    margin = min(map(margin_of, lines[1:]), default=0)
    # A term of six letters leaves one space before the text of a manual page.
    term = re.match(r"\s*(?:[^\s:]+ ){1,4} +(?=[\w\"'`(\[{])|(?:\s{7})+[^\s:]{6} (?=[A-Z][a-z]* )", lines[0])
    if term is None or term.end() != margin or ITEM.match(lines[0]) or term.group().rstrip()[-1] in ".,;!?-=":
        return 0
    return 0 if is_ended(lines[0], lines[1], max(map(len, lines))) else margin


def _joined_item(lines: list[str]) -> str:
    return re.sub(r"(?<=\S) {2,}", " ", _together(lines)) if len(lines) > 1 else lines[0]


def _joined_alike(lines: list[str]) -> str:
    longest = max(map(len, lines))
    if longest < 45 or any(len(line) < 0.6 * longest for line in lines[:-1]):
        return _together(lines, range(1, len(lines))).lstrip()
    opening = lines[0].split()[0]
    # Even a full line ends if several lines begin alike ("Level 1: …", "Level 2: …").
    ended = {
        number
        for number, (before, line) in enumerate(pairwise(lines), 1)
        if before[-1] in ".!?:" and line.strip()[0].isupper()
        if line.split()[0] == opening or is_ended(before, line, longest)
    }
    # Justified lines have wide gaps.
    return re.sub(r"(?<=\S) {2,}", " ", _together(lines, ended).lstrip())


def _together(lines: list[str], apart: Collection[int] = ()) -> str:
    """Join lines, except those ``apart``; a hyphen that only breaks a word is removed, others stay."""
    parts = [lines[0].rstrip()]
    for number, line in enumerate(lines[1:], 1):
        if _BROKEN.search(parts[-1]):
            parts[-1] = parts[-1][:-1]
        elif number in apart:
            parts.append("\n")
        elif not re.search(r"\w-$", parts[-1]):
            parts.append(" ")
        parts.append(line.strip())
    return "".join(parts)
