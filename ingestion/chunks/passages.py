"""Passages: the text of a stretch, cut to what an embedding model looks at, at the ends of rows, items, sentences."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from contracts.text import Block, BlockKind
from ingestion.chunks.grids import goes_on, notes_below, with_units_below
from ingestion.chunks.outline import Stretch, captions_of
from ingestion.chunks.pieces import Atom, CountTokens, Draft, Piece, cut, join, pack, piece_of, sentences_of, within
from ingestion.chunks.table_drafts import draft_table
from tools.reading.statements import leads_in

_MAX_OVERLAP_TOKENS = 40
_LEAST_BUDGET = 48
_CAPTION_CHARACTERS = 160
_OPENING_WORDS = 12
_LABEL = re.compile(r"\s*(?:table|tab\.|tabelle|exhibit)\s+[A-Z]?[\dIVXLC][\w.-]*\s*[:.–—-]", re.IGNORECASE)
# Of a passage, at most this share goes to what leads into a list's item.
_CONTEXT_SHARE = 0.4


def draft_passages(stretch: Stretch, title: str, limit: int, count: CountTokens) -> list[Draft]:
    """Cut a stretch into passages whose searchable text has at most ``limit`` tokens by ``count``."""
    drafts: list[Draft] = []
    blocks = with_units_below(stretch.blocks)
    captions = captions_of(blocks)
    prose = _budget(limit, title, stretch.path, count)
    run: list[Block] = []
    # A caption that heads its table as a heading does is not wanted again as a passage of three words.
    shown = {id(caption) for caption in captions.values() if _heads_table(caption)}
    at = 0
    while at < len(blocks):
        block = blocks[at]
        if block.kind != "table":
            run += [block] if id(block) not in shown else []
            at += 1
            continue
        drafts += _draft_prose(run, stretch, prose, count)
        run = []
        caption = captions.get(at)
        path = (*stretch.path, _one_line(caption.text)) if caption is not None else stretch.path
        parts = _parts_from(blocks, at)
        at += len(parts)
        rest = [each for each in blocks[at:] if id(each) not in shown]
        notes = notes_below(rest, "\n".join(part.text for part in parts))
        shown |= {id(note) for _, note in notes}
        drafts += draft_table(parts, notes, stretch, path, _budget(limit, title, path, count), count)
    return drafts + _draft_prose(run, stretch, prose, count)


def _parts_from(blocks: Sequence[Block], at: int) -> Sequence[Block]:
    """Return the table at ``at`` with the parts of it that follow on the next pages."""
    end = at + 1
    while end < len(blocks) and blocks[end].kind == "table" and goes_on(blocks[end - 1], blocks[end]):
        end += 1
    return blocks[at:end]


def _heads_table(caption: Block) -> bool:
    is_caption = caption.kind == "caption" or _LABEL.match(caption.text)
    return bool(is_caption) and len(caption.text) <= _CAPTION_CHARACTERS


def _one_line(text: str) -> str:
    return " ".join(text.split())[:_CAPTION_CHARACTERS]


def _budget(limit: int, title: str, path: tuple[str, ...], count: CountTokens) -> int:
    place = " > ".join(part for part in (title, *path) if part)
    # Tokens at the seam of heading and text may be counted apart: two more than their sum.
    return max(limit - (count(place) + 2 if place else 0), _LEAST_BUDGET)


def _draft_prose(blocks: Sequence[Block], stretch: Stretch, budget: int, count: CountTokens) -> list[Draft]:
    atoms = list(_atoms(blocks, budget, count))
    total = sum(atom.tokens for atom in atoms)
    if not atoms:
        return []
    # Equal parts rather than full ones and a small rest.
    target = min(budget, math.ceil(total / math.ceil(total / budget) * 1.15))
    drafts: list[Draft] = []
    for group in _packed(atoms, target, budget, count):
        fresh = join([atom.piece for atom in group], [atom.separator for atom in group])
        kind = max((atom.kind for atom in group), key=lambda kind: sum(a.tokens for a in group if a.kind == kind))
        room = budget - count(fresh.text)
        repeated, seam = (_repeated(drafts[-1], group[0], room, count) if drafts else None), " "
        if group[0].kind in ("list", "code"):
            seam = "\n"
        drafts.append(Draft(stretch, stretch.path, kind, fresh, repeated, seam))
    return drafts


def _packed(atoms: Sequence[Atom], target: int, budget: int, count: CountTokens) -> Iterator[list[Atom]]:
    """Pack atoms, leaving room for what passages that begin within a list repeat."""
    repeated = {id(piece): count(piece.text) + 1 for atom in atoms for piece in atom.context}
    most = max((sum(repeated[id(piece)] for piece in atom.context) for atom in atoms), default=0)
    left = budget - most if most <= _CONTEXT_SHARE * budget else budget
    return pack(atoms, min(target, left), left)


def _repeated(before: Draft, first: Atom, room: int, count: CountTokens) -> Piece | None:
    """Return what leads into ``first``: a list's lead-in and parent items, else the end of the passage before."""
    for start in range(len(first.context)):
        # What does not fit is left out from outside in, for the nearest parent says most.
        piece = join(first.context[start:], ["\n"] * (len(first.context) - start))
        if count(piece.text) + 1 <= room:
            return piece
    if first.kind != "paragraph" or before.kind not in ("paragraph", "list"):
        return None
    allowed = min(_MAX_OVERLAP_TOKENS, room - 2)
    text = before.fresh.text
    chosen: Piece | None = None
    for sentence in list(sentences_of(text))[::-1][:2]:
        piece = cut(before.fresh, sentence.start, len(text))
        if count(piece.text) > allowed:
            break
        chosen = piece
    return chosen


def _atoms(blocks: Sequence[Block], budget: int, count: CountTokens) -> Iterator[Atom]:
    lead: Piece | None = None
    for index, block in enumerate(blocks):
        following = blocks[index + 1] if index + 1 < len(blocks) else None
        if block.kind in ("list", "code"):
            yield from _listed(block, lead, budget, count)
            # A list that goes on (on the next page, after some code) is still led in by the same sentence.
            continue
        atoms = list(_atoms_of(block, budget, count))
        lead = _lead_in(block, following, count)
        if lead is not None and atoms:
            atoms[-1] = replace(atoms[-1], keep_with_next=True)
        yield from atoms


def _lead_in(block: Block, following: Block | None, count: CountTokens) -> Piece | None:
    """Return the last sentence of ``block`` where it leads into a list or some code."""
    if following is None or following.kind not in ("list", "code"):
        return None
    piece = piece_of(block)
    last = list(sentences_of(block.text))[-1:]
    announces = block.text.rstrip().endswith(":") or leads_in(block.text)
    found = cut(piece, last[0].start, last[0].end) if last and announces else None
    return found if found is not None and count(found.text) <= _MAX_OVERLAP_TOKENS else None


def _listed(block: Block, lead: Piece | None, budget: int, count: CountTokens) -> Iterator[Atom]:
    """Part a list at its items and code at its lines; each item knows the items that it is nested in."""
    above = (lead,) if lead is not None else ()
    tokens = count(block.text)
    if tokens <= budget and (block.kind == "code" or tokens <= budget // 3):
        yield Atom(piece_of(block), tokens + 1, "\n\n", block.kind, block.text.rstrip().endswith(":"), above)
        return
    parents: list[tuple[int, Piece]] = []
    for line, separator in _lines_of(piece_of(block)):
        indent = len(line.text) - len(line.text.lstrip())
        parents = [each for each in parents if each[0] < indent]
        context = (*above, *(piece for _, piece in parents)) if block.kind == "list" else above
        parents.append((indent, _opening(line, count)))
        for number, small in enumerate(_small(line, block.kind, budget, count)):
            # The rest of a long item is understood with its opening.
            own = (*context, parents[-1][1]) if number and block.kind == "list" else context
            yield Atom(small, count(small.text) + 1, " " if number else separator, block.kind, False, own)


def _opening(item: Piece, count: CountTokens) -> Piece:
    """Return an item, or its first words where it is long; its margin stays, for it shows what is nested in what."""
    if count(item.text) <= _MAX_OVERLAP_TOKENS:
        return item
    words = list(re.finditer(r"\S+", item.text))[:_OPENING_WORDS]
    margin = Piece(item.text[: words[0].start()], (), item.page, item.last_page)
    opening = join([margin, cut(item, words[0].start(), words[-1].end())], ["", ""])
    return opening if count(opening.text) <= _MAX_OVERLAP_TOKENS else margin


def _small(line: Piece, kind: BlockKind, budget: int, count: CountTokens) -> Iterator[Piece]:
    if kind == "code" or count(line.text) + 1 <= budget:
        yield from within(line, budget, count)
        return
    for span in sentences_of(line.text):
        yield from within(cut(line, span.start, span.end), budget, count)


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


def _atoms_of(block: Block, budget: int, count: CountTokens) -> Iterator[Atom]:
    piece = piece_of(block)
    tokens = count(block.text)
    leads = block.kind == "caption" or block.text.rstrip().endswith((":", "?"))
    # Small paragraphs stay whole, so that packing rarely cuts inside of one.
    if tokens <= budget // 3:
        yield Atom(piece, tokens + 1, "\n\n", block.kind, leads)
        return
    for part, separator in _parts_of(piece):
        for number, small in enumerate(within(part, budget, count)):
            yield Atom(small, count(small.text) + 1, separator if number == 0 else " ", block.kind)


def _parts_of(piece: Piece) -> Iterator[tuple[Piece, str]]:
    """Part a block at its sentences, each with what stands before it."""
    separator, end = "\n\n", 0
    for span in sentences_of(piece.text):
        if end:
            separator = "\n" if "\n" in piece.text[end : span.start] else " "
        yield cut(piece, span.start, span.end), separator
        end = span.end
