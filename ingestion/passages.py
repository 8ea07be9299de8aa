"""Passages: the text of a stretch, cut to what an embedding model looks at, at the ends of rows, items, sentences."""

import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from contracts.text import Block, BlockKind, Span
from ingestion.outline import Stretch, captions_of
from ingestion.pieces import Piece, cut, join, piece_of
from tools.language import split_sentences

_MAX_OVERLAP_TOKENS = 40
_LEAST_BUDGET = 48
# A header that would fill more than this share of every passage stands in the first one only.
_HEADER_SHARE = 0.5
_CAPTION_CHARACTERS = 160
_SEGMENTED_CHARACTERS = 3_500

CountTokens = Callable[[str], int]


@dataclass(frozen=True, slots=True)
class Draft:
    """A passage before it has an id. ``fresh`` is its own text; ``repeated`` what stands before it once more.

    Repeated are a table's header rows, a list's lead-in, or the last sentences of the passage before.
    """

    stretch: Stretch
    path: tuple[str, ...]
    kind: BlockKind
    fresh: Piece
    repeated: Piece | None = None

    @property
    def piece(self) -> Piece:
        """The whole text of the passage."""
        if self.repeated is None:
            return self.fresh
        separator = " " if self.kind == "paragraph" else "\n"
        whole = join([self.repeated, self.fresh], ["", separator])
        # What is repeated from the page before does not move the passage there.
        return Piece(whole.text, whole.boxes, self.fresh.page, self.fresh.last_page)


@dataclass(frozen=True, slots=True)
class _Atom:
    """What is not cut: a sentence, an item, some lines of code. ``separator`` stands between it and the one before."""

    piece: Piece
    tokens: int
    separator: str
    kind: BlockKind
    keep_with_next: bool = False


def draft_passages(stretch: Stretch, title: str, limit: int, count: CountTokens) -> list[Draft]:
    """Cut a stretch into passages whose searchable text has at most ``limit`` tokens by ``count``."""
    drafts: list[Draft] = []
    captions = captions_of(stretch.blocks)
    run: list[Block] = []
    # A caption that heads its table as a heading does is not wanted again as a passage of three words.
    shown = {id(caption) for caption in captions.values() if _heads_table(caption)}
    for index, block in enumerate(stretch.blocks):
        if block.kind != "table":
            run += [block] if id(block) not in shown else []
            continue
        drafts += _draft_prose(run, stretch, _budget(limit, title, stretch.path, count), count)
        run = []
        caption = captions.get(index)
        path = (*stretch.path, _one_line(caption.text)) if caption is not None else stretch.path
        drafts += _draft_table(block, stretch, path, _budget(limit, title, path, count), count)
    return drafts + _draft_prose(run, stretch, _budget(limit, title, stretch.path, count), count)


def _heads_table(caption: Block) -> bool:
    return caption.kind == "caption" and len(caption.text) <= _CAPTION_CHARACTERS


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_CAPTION_CHARACTERS]


def _budget(limit: int, title: str, path: tuple[str, ...], count: CountTokens) -> int:
    place = " > ".join(part for part in (title, *path) if part)
    # Tokens at the seam of heading and text may be counted apart: two more than their sum.
    return max(limit - (count(place) + 2 if place else 0), _LEAST_BUDGET)


def _draft_prose(blocks: Sequence[Block], stretch: Stretch, budget: int, count: CountTokens) -> list[Draft]:
    atoms = [atom for block in blocks for atom in _atoms_of(block, budget, count)]
    total = sum(atom.tokens for atom in atoms)
    if not atoms:
        return []
    # Equal parts rather than full ones and a small rest.
    target = min(budget, math.ceil(total / math.ceil(total / budget) * 1.15))
    drafts: list[Draft] = []
    for group in _pack(atoms, target, budget):
        fresh = join([atom.piece for atom in group], [atom.separator for atom in group])
        kind = max((atom.kind for atom in group), key=lambda kind: sum(a.tokens for a in group if a.kind == kind))
        repeated = _overlap(drafts[-1], group[0], budget - count(fresh.text), count) if drafts else None
        drafts.append(Draft(stretch, stretch.path, kind, fresh, repeated))
    return drafts


def _pack(atoms: Sequence[_Atom], target: int, budget: int) -> Iterator[list[_Atom]]:
    group: list[_Atom] = []
    tokens = 0
    for atom in atoms:
        held_back: list[_Atom] = []
        full = tokens + atom.tokens > budget or (tokens + atom.tokens > target and tokens >= 0.6 * target)
        if group and full:
            # What leads into the next atom goes with it, unless nothing would be left.
            while len(group) > 1 and group[-1].keep_with_next and group[-1].tokens < budget // 3:
                held_back.insert(0, group.pop())
            if sum(each.tokens for each in held_back) + atom.tokens > budget:
                group, held_back = group + held_back, []
            yield group
            group, tokens = held_back, sum(each.tokens for each in held_back)
        group.append(atom)
        tokens += atom.tokens
    if group:
        yield group


def _overlap(before: Draft, first: _Atom, room: int, count: CountTokens) -> Piece | None:
    """Return the end of the passage before, a sentence or two, or a list's lead-in, that ``first`` goes on from."""
    allowed = min(_MAX_OVERLAP_TOKENS, room - 2)
    text = before.fresh.text
    if first.kind == "list" and before.kind == "list":
        lead = before.repeated or before.fresh
        end = lead.text.find("\n") if "\n" in lead.text else len(lead.text)
        if lead.text[:end].rstrip().endswith(":") and count(lead.text[:end]) <= allowed:
            return cut(lead, 0, end)
        return None
    if first.kind != "paragraph" or before.kind not in ("paragraph", "list"):
        return None
    chosen: Piece | None = None
    for sentence in list(_sentences(text))[::-1][:2]:
        piece = cut(before.fresh, sentence.start, len(text))
        if count(piece.text) > allowed:
            break
        chosen = piece
    return chosen


def _atoms_of(block: Block, budget: int, count: CountTokens) -> Iterator[_Atom]:
    piece = piece_of(block)
    tokens = count(block.text)
    leads = block.kind == "caption" or block.text.rstrip().endswith(":")
    # Small paragraphs stay whole, so that packing rarely cuts inside of one.
    if tokens <= budget and (block.kind == "code" or tokens <= budget // 3):
        yield _Atom(piece, tokens + 1, "\n\n", block.kind, leads)
        return
    for part, separator in _parts_of(piece, block.kind):
        for number, small in enumerate(_within(part, budget, count)):
            yield _Atom(small, count(small.text) + 1, separator if number == 0 else " ", block.kind)


def _parts_of(piece: Piece, kind: BlockKind) -> Iterator[tuple[Piece, str]]:
    """Part a block at its lines or sentences, each with what stands before it."""
    separator = "\n\n"
    if kind in ("list", "code"):
        for line in re.finditer(r"[^\n]+", piece.text):
            if line.group().strip():
                # Indentation is part of code and of nested items.
                part = cut(piece, line.start(), line.end())
                indent = len(line.group()) - len(line.group().lstrip())
                margin = Piece(" " * indent, (), piece.page, piece.last_page)
                yield join([margin, part], ["", ""]) if indent else part, separator
                separator = "\n"
    else:
        end = 0
        for span in _sentences(piece.text):
            if end:
                separator = "\n" if "\n" in piece.text[end : span.start] else " "
            yield cut(piece, span.start, span.end), separator
            end = span.end


def _sentences(text: str) -> Iterator[Span]:
    """Find the sentences of ``text``; very long lines are parted at spaces first, since the segmenter cuts anywhere."""
    start = 0
    while start < len(text):
        end = min(start + _SEGMENTED_CHARACTERS, len(text))
        if end < len(text):
            stop = max(text.rfind(mark, start + 1, end) for mark in (". ", "\n"))
            stop = stop if stop > 0 else text.rfind(" ", start + 1, end)
            end = stop + 1 if stop > 0 else end
        for span in split_sentences(text[start:end]):
            yield Span(start + span.start, start + span.end)
        start = end


def _within(piece: Piece, budget: int, count: CountTokens) -> Iterator[Piece]:
    """Cut what is longer than a passage (a sentence without end, a giant row) at words, at last between letters."""
    if count(piece.text) + 1 <= budget:
        yield piece
        return
    start, end, position = 0, 0, 0
    words = [match.span() for match in re.finditer(r"\S+", piece.text)]
    step = max(1, budget // 8)
    while position < len(words):
        last = words[min(position + step, len(words)) - 1][1]
        if end > start and count(piece.text[start:last]) + 1 > budget:
            yield cut(piece, start, end)
            start = words[position][0]
        if count(piece.text[start:last]) + 1 > budget:
            yield from _by_letters(cut(piece, start, last), budget, count)
            start = last
        end = last
        position += step
    if end > start:
        yield cut(piece, start, end)


def _by_letters(piece: Piece, budget: int, count: CountTokens) -> Iterator[Piece]:
    size = max(1, len(piece.text) * (budget - 1) // (count(piece.text) + 1))
    start = 0
    while start < len(piece.text):
        end = min(start + size, len(piece.text))
        space = piece.text.rfind(" ", start + size // 2, end)
        if end < len(piece.text) and space > start:
            end = space
        while end - start > 1 and count(piece.text[start:end]) + 1 > budget:
            end = start + (end - start) * 3 // 4
        part = cut(piece, start, end)
        if part.text:
            yield part
        start = end


def _draft_table(
    block: Block, stretch: Stretch, path: tuple[str, ...], budget: int, count: CountTokens
) -> Iterator[Draft]:
    rows = [match.span() for match in re.finditer(r"[^\n]+", block.text)]
    whole = piece_of(block)
    header_end = rows[block.header_rows - 1][1] if block.header_rows and len(rows) > block.header_rows else 0
    header = cut(whole, 0, header_end) if header_end else None
    header_tokens = count(header.text) + 1 if header is not None else 0
    repeats = header is not None and header_tokens <= _HEADER_SHARE * budget
    body = rows[block.header_rows :] if repeats else rows
    room = budget - (header_tokens if repeats else 0)
    atoms = [
        _Atom(piece, count(piece.text) + 1, "\n", "table")
        for start, end in body
        for piece in _row_pieces(cut(whole, start, end), room, count)
    ]
    for group in _pack(atoms, room, room):
        fresh = join([atom.piece for atom in group], [atom.separator for atom in group])
        yield Draft(stretch, path, "table", fresh, header if repeats else None)


def _row_pieces(row: Piece, room: int, count: CountTokens) -> Iterator[Piece]:
    """Keep a row whole where it fits; else cut it at sentences, its first cell before each part."""
    if count(row.text) + 1 <= room:
        yield row
        return
    name_end = row.text.find(" | ")
    named = name_end > 0 and count(row.text[:name_end]) <= room // 4
    name = cut(row, 0, name_end) if named else None
    left = room - (count(name.text) + 2 if name is not None else 0)
    sentences = [
        _Atom(small, count(small.text) + 1, " ", "table")
        for span in _sentences(row.text)
        for small in _within(cut(row, span.start, span.end), left, count)
    ]
    for index, group in enumerate(_pack(sentences, left, left)):
        part = join([atom.piece for atom in group], [atom.separator for atom in group])
        yield join([name, part], ["", " | "]) if name is not None and index else part
