"""Finds definitions in running text, in parentheses or with words such as "stands for"."""

import re
from collections.abc import Iterator

from contracts.text import Span
from intrinsics.term_mining.alignment import Definition, find_long_form, is_short_form

_BRACKET = re.compile(r"[(\[]([^()\[\]\n]{2,160})[)\]]")
_QUOTES = "\"'“”‘’«»*_` "
_LEAD = re.compile(
    r"(?:or|aka|a\.k\.a\.|i\.e\.,?|ie|also|hereafter|hereinafter|henceforth|abbreviated(?: as| to)?|short for|short|"
    r"acronym|stands for|standing for|meaning|called|known as|referred to as|"
    r"denoted(?: as| by)?|the|an?|in short|:|,)\s+",
    re.IGNORECASE,
)
_BEFORE_TOKEN = re.compile(r"([^\s(\[|]{2,18})\s?\Z")
_STANDS = re.compile(
    r"(?<![\w-])(?P<short>[^\W_][\w/&.+#-]{1,15})[\"'”’)]?,?\s+(?:\(?(?:which|that)\s+)?"
    r"(?:stands?\s+for|standing\s+for|is\s+(?:an?\s+|the\s+)?(?:abbreviation|acronym|initialism|short\s+form)\s+(?:of|for)|"
    r"is\s+short\s+for|short\s+for|abbreviates|means|denotes|is\s+the\s+abbreviated\s+form\s+of)\s+"
    r"[\"'“‘]?(?:the\s+|an?\s+)?",
)
_ABBREVIATED = re.compile(
    r",?\s+(?:(?:is|are|often|usually|commonly|also|hereafter|henceforth|hereinafter|or|be)\s+){0,3}"
    r"(?:abbreviated|shortened|referred\s+to|denoted|known)\s+(?:as|to|by)\s+[\"'“‘]?(?P<short>[^\W_][\w/&.+#-]{1,15})"
)
_EQUALS = re.compile(r"(?<![\w.-])(?P<short>[^\W_][\w/&.+#-]{1,15})\s?(?:=|:=|≡)\s?(?=[^\W\d_])")
_CLAUSE_END = re.compile(r"[.;:!?()\[\]\n|,\"”]|\s[–—-]\s")
_REACH = 160
_TRAILING_WORDS = 2


def _clean(text: str) -> str:
    stripped = re.sub(r"['’]s?\Z", "", text.strip(_QUOTES).rstrip(".,;:"))
    lead = _LEAD.match(stripped)
    return stripped[lead.end() :].strip(_QUOTES) if lead else stripped


def _line_before(text: str, position: int) -> Span:
    """Return the text before ``position`` in which a long form may begin: the same line, cell and bracket level."""
    start = max(position - _REACH, 0)
    edges = [text.rfind(sign, start, position) + 1 for sign in "\n|()[];"]
    return Span(max(start, *edges), position)


def _trimmed(text: str, span: Span) -> Span:
    end = span.end
    while end > span.start and not text[end - 1].isalnum():
        end -= 1
    return Span(span.start, end)


def _clause_from(text: str, start: int) -> Span:
    """Return the rest of the clause after ``start``, up to a maximum length."""
    end = _CLAUSE_END.search(text, start, start + _REACH)
    return Span(start, end.start() if end else min(len(text), start + _REACH))


def bracketed(text: str) -> Iterator[Definition]:
    """Find "logical unit number (LUN)" and "LUN (logical unit number)"."""
    for match in _BRACKET.finditer(text):
        inside = match.group(1)
        before = _line_before(text, match.start())
        for piece in re.split(r"[;,]|\sor\s", inside)[:3]:
            short = _clean(piece)
            if is_short_form(short):
                if found := find_long_form(short, text, _trimmed(text, before), ending=True):
                    yield _defined(text, short, found.span, match.start(), found.fit)
                break
        token = _BEFORE_TOKEN.search(text[before.start : before.end])
        if not token:
            continue
        short = token.group(1).strip(_QUOTES).rstrip(".")
        if is_short_form(short) and " " in inside.strip():
            lead = _LEAD.match(inside)
            offset = match.start(1) + (lead.end() if lead else 0)
            if found := find_long_form(short, text, Span(offset, match.end(1)), ending=False):
                rest = text[found.span.end : match.end(1)].strip(_QUOTES)
                weight = 1.0 if not rest or rest[0] in ",;:" else 0.85
                span = _to_the_bracket(found.span, rest, match.end(1))
                yield _defined(text, short, span, before.start, found.fit * weight)


def _defined(text: str, short: str, span: Span, place: int, score: float) -> Definition:
    return Definition(short, text[span.start : span.end], place, score)


def _to_the_bracket(span: Span, rest: str, end: int) -> Span:
    """Extend a long form in brackets by a last word that provides no letter ("… Key management")."""
    words = rest.split()
    return Span(span.start, end) if 0 < len(words) <= _TRAILING_WORDS and rest.replace(" ", "").isalpha() else span


def stated(text: str) -> Iterator[Definition]:
    """Find "X stands for Y", "X = Y" and "Y, abbreviated as X"."""
    for pattern in (_STANDS, _EQUALS):
        for match in pattern.finditer(text):
            short = match.group("short").strip(_QUOTES)
            limit = _clause_from(text, match.end())
            if is_short_form(short) and (found := find_long_form(short, text, limit, ending=False)):
                sure = pattern is _STANDS or found.span.end >= limit.end
                yield _defined(text, short, found.span, match.start(), found.fit * (1.0 if sure else 0.85))
    for match in _ABBREVIATED.finditer(text):
        short = match.group("short").rstrip(".")
        before = _trimmed(text, _line_before(text, match.start()))
        if is_short_form(short) and (found := find_long_form(short, text, before, ending=True)):
            yield _defined(text, short, found.span, match.start(), found.fit)
