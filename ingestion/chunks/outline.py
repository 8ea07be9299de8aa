"""The outline of a document: which blocks are under which headings."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from contracts.text import Block, Page
from tools.language import split_sentences
from tools.reading.quotes import leads_in

_MAX_HEADING_CHARACTERS = 120
_MAX_CAPTION_WORDS = 14
_MAX_LEAD_IN_CHARACTERS = 1_000
# "Question:" above a question, "Answer:" above its answer; the "A" of a glossary is a heading.
_LABEL = re.compile(r"(?:(?:Question|Answer)[ \d]*[.:)]?|[QA] ?\d*:)\s*")
_QUESTION = re.compile(r"Q(?:uestion)?[ \d]*[.:)]\s|.*\?\s*$", re.DOTALL)
# Few documents nest deeper, and each heading costs tokens in every passage below it.
_MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class Subsection:
    """The blocks between two headings.

    ``path`` contains the headings above the blocks, outermost first; ``level`` is the level of the nearest one.
    ``heading`` is the block that opens the subsection, None before the first heading of a document.
    """

    path: tuple[str, ...]
    level: int
    heading: Block | None
    blocks: tuple[Block, ...]


def find_subsections(pages: Sequence[Page]) -> list[Subsection]:
    """Split a document at its headings. A heading without text below it is kept as a paragraph.

    "Question:" and "Answer:" between headings and texts are left out, so that a question heads its answer.
    """
    subsections: list[Subsection] = []
    open_headings: list[Block] = []
    blocks: list[Block] = []
    for block in (block for page in pages for block in page.blocks if block.text.strip()):
        if block.kind != "heading":
            blocks.append(block)
            continue
        if open_headings and not blocks and _LABEL.fullmatch(block.text):
            continue
        _close(subsections, open_headings, blocks)
        blocks = []
        if not _heads_the_next(open_headings, subsections, block) and not _LABEL.fullmatch(open_headings[-1].text):
            subsections.append(_orphan(open_headings))
        open_headings = [each for each in open_headings if each.level < block.level] + [block]
    _close(subsections, open_headings, blocks)
    if not _heads_the_next(open_headings, subsections, None):
        subsections.append(_orphan(open_headings))
    return subsections


def _close(subsections: list[Subsection], headings: list[Block], blocks: list[Block]) -> None:
    if blocks:
        body = _spelled_out(headings) + blocks
        heading = headings[-1] if headings else None
        subsections.append(Subsection(path_of(headings), heading.level if heading else 0, heading, tuple(body)))


def _heads_the_next(headings: list[Block], subsections: list[Subsection], following: Block | None) -> bool:
    """Return whether the innermost open heading has its own text, or ``following`` is one of its subheadings."""
    if not headings:
        return True
    has_text = bool(subsections) and subsections[-1].heading is headings[-1]
    return has_text or (following is not None and following.level > headings[-1].level)


def _orphan(headings: list[Block]) -> Subsection:
    alone = replace(headings[-1], kind="paragraph", level=0)
    above = headings[:-1]
    return Subsection(path_of(above), headings[-1].level, headings[-1], (*_spelled_out(above), alone))


def _spelled_out(headings: list[Block]) -> list[Block]:
    """Return the headings that the path shortens or leaves out, so that their words are found.

    They become paragraphs, which can be quoted. A question stays a heading: no sentence of it is an answer.
    """
    shown = set(path_of(headings))
    left_out = [each for each in headings if " ".join(each.text.split()) not in shown]
    return [each if _QUESTION.match(each.text) else replace(each, kind="paragraph", level=0) for each in left_out]


def path_of(headings: Sequence[Block]) -> tuple[str, ...]:
    """Return the texts of open headings, outermost first: the first and the innermost ones, long ones shortened."""
    texts = [_shortened(" ".join(each.text.split())) for each in headings]
    return tuple(texts if len(texts) <= _MAX_DEPTH else [texts[0], *texts[1 - _MAX_DEPTH :]])


def _shortened(text: str) -> str:
    if len(text) <= _MAX_HEADING_CHARACTERS:
        return text
    return text[:_MAX_HEADING_CHARACTERS].rsplit(" ", 1)[0] + " …"


def captions_of(blocks: Sequence[Block]) -> dict[int, Block]:
    """Match tables with their captions: the block before each, or after each, whichever is more frequent."""
    tables = [index for index, block in enumerate(blocks) if block.kind == "table"]
    above = {index: blocks[index - 1] for index in tables if index > 0 and blocks[index - 1].kind == "caption"}
    below = {
        index: blocks[index + 1] for index in tables if index + 1 < len(blocks) and blocks[index + 1].kind == "caption"
    }
    found = above if len(above) >= len(below) else below
    for index in tables:
        before = blocks[index - 1] if index > 0 else None
        if index not in found and before is not None and before.kind == "paragraph":
            named = _name_of_table(before)
            found |= {index: named} if named is not None else {}
    return found


def _name_of_table(block: Block) -> Block | None:
    """Return the name that a paragraph gives the table below it: all of it if short, or the sentence announcing it."""
    text = block.text.strip()
    if len(text.split()) <= _MAX_CAPTION_WORDS and text[-1] not in ".;,":
        return block
    *others, last = split_sentences(text[:_MAX_LEAD_IN_CHARACTERS])
    if len(text) > _MAX_LEAD_IN_CHARACTERS or not leads_in(text[last.start :]):
        return None
    return replace(block, text=text[last.start :], boxes=()) if others else block
