"""Passages: a subsection's text, cut at the ends of rows, items and sentences to a size that suits embedding models."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from contracts.text import Block
from ingestion.chunks.grids import goes_on, notes_below, with_units_below
from ingestion.chunks.outline import Subsection, captions_of
from ingestion.chunks.pieces import CountTokens, Draft, Piece, TextUnit, cut, join, pack, piece_of, within
from ingestion.chunks.table_drafts import draft_table, may_repeat
from tools.language import split_sentences
from tools.reading.quotes import leads_in

_MAX_LEAD_TOKENS = 40
_LEAST_BUDGET = 48
_CAPTION_CHARACTERS = 160
_OPENING_WORDS = 12
_LABEL = re.compile(r"\s*(?:table|tab\.|tabelle|exhibit)\s+[A-Z]?[\dIVXLC][\w.-]*\s*[:.–—-]", re.IGNORECASE)
# At most this share of a passage is used for the introduction of a list item.
_CONTEXT_SHARE = 0.4
# Lists and code stay whole up to this many times the size of a passage: half a list is half an answer.
_UNSPLIT = 1.6
_MAX_DEPTH = 8


def draft_passages(subsection: Subsection, title: str, limit: int, count: CountTokens) -> list[Draft]:
    """Cut a subsection into passages whose searchable text has at most ``limit`` tokens, as counted by ``count``."""
    drafts: list[Draft] = []
    blocks = with_units_below(subsection.blocks)
    captions = captions_of(blocks)
    prose = _budget(limit, title, subsection.path, count)
    run: list[Block] = []
    # A caption or lead-in that is already the heading of its table should not become a passage of three words.
    shown = {id(caption) for caption in captions.values() if _heads_table(caption)}
    at = 0
    while at < len(blocks):
        block = blocks[at]
        if block.kind != "table":
            run += [block] if id(block) not in shown else []
            at += 1
            continue
        drafts += _draft_prose(run, subsection, prose, count)
        run = []
        caption = captions.get(at)
        path = subsection.path
        if caption is not None:
            path = (*path, " ".join(caption.text.split())[:_CAPTION_CHARACTERS])
        parts = _parts_from(blocks, at)
        at += len(parts)
        rest = [each for each in blocks[at:] if id(each) not in shown]
        budget = _budget(limit, title, path, count)
        notes = notes_below(rest, "\n".join(part.text for part in parts))
        notes = notes if may_repeat(notes, budget, count) else []
        shown |= {id(note) for _, note in notes}
        drafts += draft_table(parts, notes, subsection, path, budget, count)
    return drafts + _draft_prose(run, subsection, prose, count)


def _parts_from(blocks: Sequence[Block], at: int) -> Sequence[Block]:
    """Return the table at ``at`` and its continuations on the next pages."""
    end = at + 1
    while end < len(blocks) and blocks[end].kind == "table" and goes_on(blocks[end - 1], blocks[end]):
        end += 1
    return blocks[at:end]


def _heads_table(caption: Block) -> bool:
    heads = caption.kind == "caption" or _LABEL.match(caption.text) or leads_in(caption.text.rstrip())
    return bool(heads) and len(caption.text) <= _CAPTION_CHARACTERS


def _budget(limit: int, title: str, path: tuple[str, ...], count: CountTokens) -> int:
    place = " > ".join(part for part in (title, *path) if part)
    # Heading and text may have up to two more tokens together than if counted separately.
    return max(limit - (count(place) + 2 if place else 0), _LEAST_BUDGET)


def _draft_prose(blocks: Sequence[Block], subsection: Subsection, budget: int, count: CountTokens) -> list[Draft]:
    units = list(_text_units(blocks, budget, count))
    total = sum(unit.tokens for unit in units)
    if not units:
        return []
    # Room for the headings of passages that begin within a list.
    above = max((_tokens_of(unit.context, count) for unit in units), default=0)
    left = budget - above if above <= _CONTEXT_SHARE * budget else budget
    # Equal parts are better than full ones and a small remainder.
    target = min(left, math.ceil(total / math.ceil(total / budget) * 1.15))
    drafts: list[Draft] = []
    before: TextUnit | None = None
    for group in pack(units, target, left):
        fresh = join([unit.piece for unit in group], [unit.separator for unit in group])
        kind = max((unit.kind for unit in group), key=lambda kind: sum(a.tokens for a in group if a.kind == kind))
        tokens = count(fresh.text)
        room = int(budget if tokens <= budget else _UNSPLIT * budget) - tokens
        under = group[0].context
        while under and _tokens_of(under, count) > room:
            # Outer headings are left out first: the nearest heading is the most informative.
            under = under[1:]
        repeated = _overlap(before, group[0], room)
        drafts.append(Draft(subsection, subsection.path, kind, fresh, repeated, group[0].separator, under=under))
        before = group[-1]
    return drafts


def _tokens_of(headings: Sequence[str], count: CountTokens) -> int:
    return count(" > ".join(headings)) + 2 if headings else 0


def _overlap(before: TextUnit | None, first: TextUnit, room: int) -> Piece | None:
    """Return the sentence before ``first`` if it is short and belongs to the same paragraph."""
    if before is None or first.kind in ("list", "code") or first.separator == "\n\n":
        return None
    return before.piece if before.tokens <= min(_MAX_LEAD_TOKENS, room) else None


def _text_units(blocks: Sequence[Block], budget: int, count: CountTokens) -> Iterator[TextUnit]:
    runs = [list(run) for _, run in groupby(blocks, key=_is_listed)]
    lead: Block | None = None
    for number, run in enumerate(runs):
        if _is_listed(run[0]):
            yield from _listed(lead, run, budget, count)
            continue
        # The paragraph before a list or code block leads into it.
        lead = run.pop() if number + 1 < len(runs) and run[-1].kind == "paragraph" else None
        for block in run:
            yield from _text_units_of(block, budget, count)


def _is_listed(block: Block) -> bool:
    return block.kind in ("list", "code")


def _listed(lead: Block | None, run: Sequence[Block], budget: int, count: CountTokens) -> Iterator[TextUnit]:
    """Keep consecutive lists and code whole, together with their lead-in; if they are too long, split them.

    Lists are split at their items, code at its lines. The text under an item (code, further items) is indented more
    than the item.
    """
    whole = join([piece_of(block) for block in run], ["\n\n"] * len(run))
    tokens = count(whole.text) + 1
    context: tuple[str, ...] = ()
    if lead is not None:
        *others, nearest = _text_units_of(lead, budget, count)
        yield from others
        if tokens + nearest.tokens <= _UNSPLIT * budget:
            both = join([nearest.piece, whole], ["", "\n\n"])
            yield TextUnit(both, tokens + nearest.tokens, nearest.separator, run[0].kind)
            return
        yield replace(nearest, keep_with_next=True)
        context = _lead_in(lead, count)
    if tokens <= _UNSPLIT * budget:
        yield TextUnit(whole, tokens, "\n\n", run[0].kind, context=context)
        return
    yield from _parted([part for block in run for part in _parts_of_listed(block)], context, budget, count)


def _lead_in(block: Block, count: CountTokens) -> tuple[str, ...]:
    """Return the last sentence of ``block`` as a heading if it announces what follows."""
    last = split_sentences(block.text)[-1]
    sentence = " ".join(block.text[last.start : last.end].split())
    return (sentence,) if leads_in(sentence) and count(sentence) <= _MAX_LEAD_TOKENS else ()


def _parts_of_listed(block: Block) -> Iterator[TextUnit]:
    """Return the lines of a list, or a code block as a whole; their tokens are not counted yet."""
    if block.kind == "code":
        yield TextUnit(piece_of(block), 0, "\n\n", "code")
    else:
        yield from (TextUnit(line, 0, separator, "list") for line, separator in _lines_of(piece_of(block)))


def _parted(
    parts: Sequence[TextUnit], context: tuple[str, ...], budget: int, count: CountTokens, depth: int = 0
) -> Iterator[TextUnit]:
    """Yield items with everything indented below them, each under ``context``; long items are split."""
    at = 0
    while at < len(parts):
        item, end = parts[at], at + 1
        while depth < _MAX_DEPTH and end < len(parts) and _indent(parts[end].piece) > _indent(item.piece):
            end += 1
        piece = join([part.piece for part in parts[at:end]], [part.separator for part in parts[at:end]])
        tokens = count(piece.text) + 1
        if tokens <= budget:
            yield replace(item, piece=piece, tokens=tokens, context=context)
        else:
            below = (*context, _opening(item.piece, count)) if item.kind == "list" else context
            small = list(_small(item, budget, count))
            for number, (text, separator) in enumerate(small):
                # The rest of a long item needs its opening as context; a sentence that announces items stays with them.
                own = below if number else context
                leads = number == len(small) - 1 and leads_in(text.text)
                yield TextUnit(text, count(text.text) + 1, separator, item.kind, keep_with_next=leads, context=own)
            yield from _below_item(parts[at + 1 : end], below, budget, count, depth + 1)
        at = end


def _below_item(
    parts: Sequence[TextUnit], context: tuple[str, ...], budget: int, count: CountTokens, depth: int
) -> Iterator[TextUnit]:
    """Keep the content indented below a long item whole if it takes no more than half a passage."""
    if parts:
        piece = join([part.piece for part in parts], [part.separator for part in parts])
        tokens = count(piece.text) + 1
        if tokens <= budget // 2:
            yield replace(parts[0], piece=piece, tokens=tokens, context=context)
        else:
            yield from _parted(parts, context, budget, count, depth)


def _indent(piece: Piece) -> int:
    return len(piece.text) - len(piece.text.lstrip(" "))


def _opening(item: Piece, count: CountTokens) -> str:
    """Return an item as a heading: its first words if it is long, without a bullet but with its number."""
    words = item.text.split()
    words = words[1:] if words[0] == "-" and len(words) > 1 else words
    opening = " ".join(words[:_OPENING_WORDS]) + (" …" if len(words) > _OPENING_WORDS else "")
    return opening if count(opening) <= _MAX_LEAD_TOKENS else opening[:_CAPTION_CHARACTERS]


def _small(item: TextUnit, budget: int, count: CountTokens) -> Iterator[tuple[Piece, str]]:
    """Cut code at its lines, an item at its sentences, each with the text before it.

    An item that announces others ("... one of:") is cut even if it fits, so that its last sentence can stay with them.
    """
    if item.kind == "code":
        lines = _lines_of(item.piece)
        yield from ((small, between) for line, between in lines for small in within(line, budget, count))
    elif count(item.piece.text) + 1 <= (budget // 3 if leads_in(item.piece.text) else budget):
        yield item.piece, item.separator
    else:
        separator = item.separator
        for span in split_sentences(item.piece.text):
            for small in within(cut(item.piece, span.start, span.end), budget, count):
                yield small, separator
                separator = " "


def _lines_of(piece: Piece) -> Iterator[tuple[Piece, str]]:
    separator = "\n\n"
    for line in re.finditer(r"[^\n]+", piece.text):
        if line.group().strip():
            # Indentation is part of code and of nested items.
            part = cut(piece, line.start(), line.end())
            indent = len(line.group()) - len(line.group().lstrip())
            margin = Piece(" " * indent, (), piece.page, piece.last_page)
            yield join([margin, part], ["", ""]) if indent else part, separator
            separator = "\n"


def _text_units_of(block: Block, budget: int, count: CountTokens) -> Iterator[TextUnit]:
    piece = piece_of(block)
    tokens = count(block.text)
    leads = block.kind == "caption" or block.text.rstrip().endswith((":", "?"))
    # Small paragraphs stay whole, so that packing rarely cuts inside one.
    if tokens <= budget // 3:
        yield TextUnit(piece, tokens + 1, "\n\n", block.kind, leads)
        return
    for part, separator in _parts_of(piece):
        ends = part.text.rstrip().endswith(":")
        for number, small in enumerate(within(part, budget, count)):
            yield TextUnit(small, count(small.text) + 1, separator if number == 0 else " ", block.kind, ends)


def _parts_of(piece: Piece) -> Iterator[tuple[Piece, str]]:
    """Split a block at its sentences, each with the text before it."""
    separator, end = "\n\n", 0
    for span in split_sentences(piece.text):
        if end:
            between = piece.text[end : span.start]
            # A name with a dot ("../plan") may be taken for two sentences with nothing between them.
            separator = "\n" if "\n" in between else " " if between else ""
        yield cut(piece, span.start, span.end), separator
        end = span.end
