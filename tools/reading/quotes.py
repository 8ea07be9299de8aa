"""Quotes: pieces of a passage that a reader would cite unchanged, such as sentences, a list, code or table rows."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from contracts.text import BlockKind, Passage, Span
from tools.language import split_sentences
from tools.tables.table import is_table_line

QuoteKind = Literal["prose", "list", "code", "table"]

# Longer pieces are split into parts of about this many words, each with the introduction of the piece.
_MOST_WORDS = 70
# After this many words, preformatted text is split at the next line that begins further left.
_CODE_WORDS = 30
_ITEM = re.compile(r"^(?P<margin>\s*)(?P<mark>[•◦▪●‣·*+–—-]|\(?(?:\d{1,3}|[a-zA-Z])[.)])\s+(?=\S)")
_ANNOUNCES = re.compile(
    r"\b(?:the following|as follows|(?:listed|shown|given|described) (?:below|here)|"
    r"(?:steps|command|commands|table|list|example) below)\b|\b(?:like this|for example|such as this)\W*$",
    re.IGNORECASE,
)
# Patterns of code lines, which begin with a prompt, a comment or an indentation, or end unlike prose.
_CODE_LINE = re.compile(
    r"^(?:[$#%>]\s|\s{2,}\S|//|--|<[/!?\w]|[\w.-]+\s*=|[\w./-]+\(|@\w|\w[\w-]*:\s*\S+$|(?:sudo|apt|apt-get|cd|ls|"
    r"cp|mv|rm|mkdir|chmod|systemctl|service|git|make|pip|python3?|docker|curl|wget|export|import|from|def|class|if|for|return)\s)"
    r"|^[a-z./~][\w./+-]*\s(?:[^\s,;:]+\s){0,4}?(?:-[A-Za-z]|--[a-z][\w-]+)(?=[\s=]|$)|[;{}\\]$"
)
_SENTENCE_END = re.compile(r"[.!?:。！？][\"'”’)\]]*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Quote:
    """A self-contained part of a passage.

    ``span`` is its position in the passage's text; ``lead`` is the position of the sentence or header row that
    introduces it, if there is one. ``whole`` is the span of the complete paragraph, list or table. ``headings`` are the
    headings above it in the passage's text, outermost first; the quote contains no headings.
    """

    kind: QuoteKind
    span: Span
    whole: Span
    lead: Span | None = None
    headings: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class _Block:
    kind: QuoteKind
    start: int
    end: int

    @property
    def span(self) -> Span:
        return Span(self.start, self.end)


def read_quotes(passage: Passage) -> tuple[Quote, ...]:
    """Split ``passage`` into quotes of up to about 70 words, in order; an item, a row or code may be longer."""
    chunk = passage.chunk
    sentences = passage.sentences or split_sentences(chunk.text)
    return _quotes(chunk.text, chunk.headings, chunk.code, sentences, chunk.block_kind)


# The passages of a question are split for several judges.
@lru_cache(maxsize=512)
def _quotes(
    text: str, headings: tuple[Span, ...], code: tuple[Span, ...], sentences: tuple[Span, ...], kind: BlockKind
) -> tuple[Quote, ...]:
    return tuple(
        replace(quote, headings=above)
        for above, within in _sections(text, headings)
        for quote in _quotes_within(text, list(_blocks(text, within, kind, code)), sentences, kind == "rows")
    )


def _sections(text: str, headings: Sequence[Span]) -> Iterator[tuple[tuple[Span, ...], Span]]:
    """Yield the parts of the text between headings, each with the headings directly above it."""
    above: tuple[Span, ...] = ()
    start = 0
    for heading in (*headings, Span(len(text), len(text))):
        if text[start : heading.start].strip():
            yield above, Span(start, heading.start)
            above = ()
        above, start = (*above, heading), heading.end


def _quotes_within(text: str, blocks: Sequence[_Block], sentences: Sequence[Span], headless: bool) -> Iterator[Quote]:
    for number, block in enumerate(blocks):
        before = blocks[number - 1] if number else None
        following = blocks[number + 1] if number + 1 < len(blocks) else None
        match block.kind:
            case "prose":
                yield from _prose(text, sentences, block, _lead_in(text, sentences, before, block), following)
            case "list":
                yield from _items(text, block, _lead_in(text, sentences, before, block))
            case "table":
                yield from _rows(text, block, headless)
            case "code" if before is None or before.kind != "prose" or _is_long(text, block):
                yield from _preformatted(text, block)


def quoted_text(text: str, quote: Quote) -> str:
    """Return the text of ``quote`` for a reader: its introduction, on a separate line, and the quote."""
    lead = f"{text[quote.lead.start : quote.lead.end]}\n" if quote.lead is not None else ""
    return lead + text[quote.span.start : quote.span.end]


def _blocks(text: str, within: Span, chunk: BlockKind, code: Sequence[Span]) -> Iterator[_Block]:
    """Split text at blank lines, and where lines of a different kind begin; the spans ``code`` are marked as code."""
    found = re.compile(r"[^\n]+").finditer(text, within.start, within.end)
    lines = [match.span() for match in found if match.group().strip()]
    run: list[tuple[int, int]] = []
    kind: QuoteKind | None = None
    for start, end in lines:
        marked = any(each.start < end and start < each.end for each in code)
        one_code = marked and bool(run) and any(each.start <= run[-1][0] and start < each.end for each in code)
        apart = bool(run) and "\n\n" in text[run[-1][1] : start] and not one_code
        # Indented lines after an item are part of the item, including code after a blank line.
        own = _line_kind(
            text[start:end], kind if kind == "list" or not apart else None, chunk in ("table", "rows"), marked
        )
        if run and (own != kind or (apart and own != "list")):
            yield _block(text, run, kind or "prose", chunk == "code")
            run = []
        run.append((start, end))
        kind = own
    if run:
        yield _block(text, run, kind or "prose", chunk == "code")


def _line_kind(line: str, before: QuoteKind | None, table: bool, code: bool) -> QuoteKind:
    if before == "list" and line.startswith("  "):
        return "list"
    if code:
        return "code"
    if table or is_table_line(line):
        return "table"
    return "list" if _ITEM.match(line) else "prose"


def _block(text: str, run: Sequence[tuple[int, int]], kind: QuoteKind, code: bool) -> _Block:
    if kind == "prose" and is_code([text[start:end] for start, end in run], likely=code):
        kind = "code"
    return _Block("prose" if kind == "table" and len(run) < 2 else kind, run[0][0], run[-1][1])


def paragraphs(text: str, span: Span, code: Sequence[Span]) -> Iterator[tuple[list[str], bool]]:
    """Yield the lines of each paragraph in ``span``, and whether they are marked as ``code``; code is not split."""
    start = span.start
    ends = [each.span() for each in re.finditer(r"\n(?:[ \t]*\n)+", text[span.start : span.end])]
    for first, last in (*((span.start + first, span.start + last) for first, last in ends), (span.end, span.end)):
        if first < span.end and any(each.start <= first and last <= each.end for each in code):
            continue
        lines = [(start + match.start(), start + match.end()) for match in re.finditer(r"[^\n]+", text[start:first])]
        if lines:
            marked = all(any(each.start < end and begin < each.end for each in code) for begin, end in lines)
            yield text[start:first].strip("\n").splitlines(), marked
        start = last


def is_code(lines: Sequence[str], *, likely: bool = False) -> bool:
    """Return whether lines are code and not prose; ``likely`` means that their passage is mostly code."""
    signs = sum(bool(_CODE_LINE.search(line)) for line in lines)
    prose = sum(len(line.split()) >= 6 and bool(_SENTENCE_END.search(line)) for line in lines)
    needed = 0.3 if likely else 0.5
    return prose * 2 < len(lines) and (signs >= needed * len(lines) or (likely and len(lines) > 1))


def _is_long(text: str, block: _Block) -> bool:
    return len(text[block.start : block.end].split()) > 2 * _MOST_WORDS


def _preformatted(text: str, block: _Block) -> Iterator[Quote]:
    whole = block.span
    if not _is_long(text, block):
        yield Quote(kind="code", span=whole, whole=whole)
        return
    start, words, margin = block.start, 0, 0
    for match in re.finditer(r"[^\n]+", text[block.start : block.end]):
        line = match.group()
        indent = len(line) - len(line.lstrip())
        if words >= _CODE_WORDS and indent < margin:
            end = block.start + match.start() - 1
            yield Quote(kind="code", span=Span(start, end), whole=whole)
            start, words = end + 1, 0
        words, margin = words + len(line.split()), indent
    yield Quote(kind="code", span=Span(start, block.end), whole=whole)


def _prose(
    text: str, sentences: Sequence[Span], block: _Block, lead: Span | None, following: _Block | None
) -> Iterator[Quote]:
    """Yield groups of sentences; a sentence directly before code, or one that announces code, is quoted with it."""
    spans = whole_sentences(text, sentences, block.span)
    if following is not None and _leads_into(text[spans[-1].start : spans[-1].end], following):
        # This sentence has no meaning of its own, so it is quoted together with the text that follows.
        spans = spans[:-1]
    groups = _groups(text, spans)
    start = lead.start if lead is not None else block.start
    for number, (first, last) in enumerate(groups):
        end, kind, above = last.end, block.kind, lead if number == 0 else None
        if number == len(groups) - 1 and following and following.kind == "code" and not _is_long(text, following):
            end, kind = following.end, "code"
        yield Quote(kind=kind, span=Span(first.start, end), whole=Span(start, max(end, block.end)), lead=above)


def whole_sentences(text: str, sentences: Sequence[Span], within: Span) -> list[Span]:
    """Return the ``sentences`` that are ``within`` a span (at least one); the lines of a sentence are joined."""
    joined: list[Span] = []
    for span in sentences:
        if span.end <= within.start or span.start >= within.end:
            continue
        one = Span(max(span.start, within.start), min(span.end, within.end))
        # A line that ends without punctuation continues on the next line.
        if joined and not _SENTENCE_END.search(text[joined[-1].start : joined[-1].end]) and text[one.start].islower():
            joined[-1] = Span(joined[-1].start, one.end)
        else:
            joined.append(one)
    return joined or [within]


def _groups(text: str, spans: Sequence[Span]) -> list[tuple[Span, Span]]:
    """Combine consecutive spans, as evenly as possible, into groups of at most about 70 words."""
    words = [len(text[span.start : span.end].split()) for span in spans]
    parts = max(1, -(-sum(words) // _MOST_WORDS))
    target = sum(words) / parts
    groups: list[tuple[Span, Span]] = []
    held = 0
    for span, count in zip(spans, words, strict=True):
        if groups and held + count / 2 <= target:
            groups[-1] = (groups[-1][0], span)
            held += count
        else:
            groups.append((span, span))
            held = count
    return groups


def _lead_in(text: str, sentences: Sequence[Span], before: _Block | None, block: _Block) -> Span | None:
    if before is None or before.kind != "prose":
        return None
    last = whole_sentences(text, sentences, before.span)[-1]
    return last if _leads_into(text[last.start : last.end], block) else None


def _leads_into(sentence: str, block: _Block) -> bool:
    """Return whether a paragraph's last sentence is quoted only with the next ``block``; code is handled separately."""
    if block.kind == "prose":
        return sentence.rstrip().endswith((":", "?"))
    return block.kind in ("list", "table") and leads_in(sentence)


def leads_in(sentence: str) -> bool:
    """Return whether a sentence announces what follows it: "The modes are:", "Use the following command."."""
    return sentence.rstrip().endswith(":") or bool(_ANNOUNCES.search(sentence))


def _items(text: str, block: _Block, lead: Span | None) -> Iterator[Quote]:
    """Yield groups of items, each together with its nested items."""
    items = list(items_of(text, block.span))
    whole = Span(lead.start if lead else block.start, block.end)
    for first, last in _groups(text, items):
        yield Quote(kind="list", span=Span(first.start, last.end), whole=whole, lead=lead)


def items_of(text: str, span: Span) -> Iterator[Span]:
    """Yield the outermost items of the list at ``span``, each with its nested items."""
    margin: int | None = None
    start = end = span.start
    for match in re.finditer(r"[^\n]+", text[span.start : span.end]):
        item = _ITEM.match(match.group())
        indent = len(item.group("margin")) if item else 1 << 10
        if margin is None:
            margin = indent
        elif item and indent <= margin:
            yield Span(start, end)
            start = span.start + match.start()
        end = span.start + match.end()
    if end > start:
        yield Span(start, end)


def _rows(text: str, block: _Block, headless: bool) -> Iterator[Quote]:
    found = re.compile(r"[^\n]+").finditer(text, block.start, block.end)
    rows = [Span(*match.span()) for match in found if match.group().strip()]
    lead = rows.pop(0) if len(rows) > 1 and not headless else None
    for first, last in _groups(text, rows):
        yield Quote(kind="table", span=Span(first.start, last.end), whole=block.span, lead=lead)
