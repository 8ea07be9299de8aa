"""Headings of plain text, and questions above their answers in all formats with running text."""

import re
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise

from contracts.text import Block
from ingestion.readers.text_items import ANSWER, ITEM, QUESTION, is_ended, margin_of
from ingestion.readers.text_tables import WIDE_GAP

UNDERLINE = re.compile(r"^\s*(?:([=\-~^*#])\1{2,}|'{4,})\s*$")
# "----- Set-up -----" or "Set-up -----".
_BESIDE_RULE = re.compile(r"\s*(?:([-=*#~_])\1{2,} +)?(?P<heading>\w[^|]*?[\w?!.)]) +([-=*#~_])\3{3,}\s*")
_NUMBERED = re.compile(r"^\s*(?P<number>\d{1,2}(?:\.\d{1,3})*)[.)]?\s+[A-Z]")
# "# Rooms", but not a root command such as "# reboot".
_MARKED_HEADING = re.compile(r"#{1,4} (?=\w)(?=.*[A-Z])")
# "Rules of the house" above text.
_TITLE = re.compile(r"\s*[A-Z][\w-]*(?: [\w()&-]+){0,5}")
_NUMBERED_QUESTION = re.compile(r"\d{1,3}[.)] [A-Z].*\?(?: .{1,160})?")
_WITH_ANSWER = re.compile(rf"({QUESTION.pattern}[^\n]{{1,300}}?)\s+({ANSWER.pattern.lstrip()}.+)", re.DOTALL)
_LEAST_TEXT_CHARACTERS = 45
_MOST_QUESTION_CHARACTERS = 300


def heading_and_rest(
    lines: list[str], following: list[str], *, first: bool, announced: bool, name: re.Match[str] | None
) -> tuple[str, int, list[str]]:
    """Return the heading at the start of a paragraph with its level, and the lines below it; "" and 0 if none."""
    if UNDERLINE.match(lines[0]) and is_underlined(lines[1:]):
        lines = lines[1:]
    line, beside_rule = lines[0], _BESIDE_RULE.fullmatch(lines[0])
    text = beside_rule["heading"] if beside_rule else ""
    if is_underlined(lines):
        return text or line.strip(), 1 if lines[1].strip()[0] in "=#*" else 2, lines[2:]
    if len(lines) > 1:
        return "", 0, lines
    if text:
        return text, 1 if first else 2, []
    if first and name:
        return name["name"], 1, []
    # A separate line is a heading only if something follows it.
    if following and _is_heading(line, first, announced):
        number = _NUMBERED.match(line)
        level = 2 + number.group("number").count(".") if number else (1 if first else 2)
        return _MARKED_HEADING.sub("", " ".join(line.split())), level, []
    return (line.strip(), 3, []) if following and _is_title(line, following) else ("", 0, lines)


def stands_over(lines: list[str]) -> bool:
    """Return whether the first line is a heading above indented lines, as in manual pages."""
    if len(lines) < 2:
        return False
    margins = [margin_of(line) for line in lines]
    # Manual pages indent subsections by three columns and their text by seven; one may directly follow another.
    subsection = margins[0] == 3 and set(margins[1:]) >= {7} and min(margins) == 3
    # A full line is the first of a hanging paragraph, such as an answer after "A:".
    is_full = len(lines[0]) >= _LEAST_TEXT_CHARACTERS and not is_ended(lines[0], lines[1], max(map(len, lines)))
    if margins[0] > 3 or (not subsection and (is_full or margins[0] >= min(margins[1:]))):
        return False
    text = lines[0].strip()
    return (text[0].isupper() or subsection) and len(text) <= 80 and text[-1] not in ".,;:!?" and not ITEM.match(text)


def question_over(lines: list[str], following: list[str]) -> str:
    """Return the question of a paragraph ("Q: ...") whose answer follows ("A: ..."); "" for any other paragraph.

    Its mark is left out unless only the mark shows that it is a question. Above indented text, a number is enough.
    """
    question = " ".join(" ".join(lines).split())
    if len(question) > _MOST_QUESTION_CHARACTERS:
        return ""
    if QUESTION.match(question) and ANSWER.match(following[0]):
        return QUESTION.sub("", question, count=1) if question.endswith("?") else question
    is_above = all(line[len(lines[0]) - len(lines[0].lstrip()) :].startswith(" ") for line in following)
    is_numbered = _NUMBERED_QUESTION.fullmatch(question) and not is_underlined(lines)
    return question if is_numbered and is_above else ""


def with_questions_as_headings(blocks: Iterable[Block]) -> list[Block]:
    """Turn questions ("Q: ...") above answers ("A: ...") into headings, and remove the marks.

    The marks stay in blocks with boxes, because their characters have places on a page.
    """
    parts = [part for block in blocks for part in _split_at_answer(block)]
    for at, (block, following) in enumerate(pairwise(parts)):
        question = question_over([block.text], [following.text]) if block.kind in ("paragraph", "heading") else ""
        if not question:
            continue
        parts[at] = replace(block, kind="heading", level=block.level or 6)
        if block.boxes or following.boxes:
            # An answer in bold is not a heading.
            parts[at + 1] = replace(following, kind="paragraph", level=0) if following.kind == "heading" else following
        else:
            parts[at] = replace(parts[at], text=question)
            parts[at + 1] = replace(following, text=ANSWER.sub("", following.text, count=1))
    return parts


def _split_at_answer(block: Block) -> list[Block]:
    """Split a paragraph that contains a question and its answer ("Q: ... A: ...")."""
    found = _WITH_ANSWER.fullmatch(block.text) if block.kind == "paragraph" and not block.boxes else None
    return [replace(block, text=found[part]) for part in (1, 2)] if found else [block]


def without_answer_mark(lines: list[str]) -> list[str]:
    """Return the lines of an answer with spaces for its mark ("A:"), so that its margin stays."""
    return [ANSWER.sub(lambda mark: " " * len(mark[0]), lines[0], count=1), *lines[1:]]


def is_underlined(lines: list[str]) -> bool:
    """Return whether the first line is a heading with a rule below it; column names above rows are a table's header."""
    columns = len(lines) > 3 and len(WIDE_GAP.split(lines[0].strip())) > 1
    return len(lines) > 1 and bool(UNDERLINE.match(lines[1])) and not UNDERLINE.match(lines[0]) and not columns


def _is_heading(line: str, first: bool, announced: bool) -> bool:
    number = _NUMBERED.match(line)
    # A number at the margin may be far from its heading, which may be a question.
    text = line[number.end() - 1 :] if number and not margin_of(line) else line.strip()
    if len(text) > 80 or text[-1] in ".,;:!" or WIDE_GAP.search(text):
        return False
    if text[-1] == "?" or len(text.split()) > 10:
        return text[-1] == "?" and len(text) < len(line.strip())
    if _MARKED_HEADING.match(line):
        return True
    if ITEM.match(line) and not number:
        return False
    letters = [character for character in text if character.isalpha()]
    is_capital = not announced and not set(text.strip("= ")) & set("{}<>=") and all(map(str.isupper, letters))
    return len(letters) > 2 and (first or is_capital or bool(number))


def _is_title(line: str, following: list[str]) -> bool:
    """Return whether a separate line, whatever its words, is a short heading: it is above text with the same margin."""
    text = following[0].strip()
    is_text = len(text) >= _LEAST_TEXT_CHARACTERS and text[0].isupper() and not WIDE_GAP.search(text[:80])
    return bool(is_text and _TITLE.fullmatch(line)) and margin_of(line) == margin_of(following[0])
