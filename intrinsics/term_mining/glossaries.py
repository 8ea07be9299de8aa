"""Finds definitions in glossary tables and lists with one term per line."""

import re
from collections.abc import Iterator

from contracts.text import Span
from intrinsics.term_mining.alignment import Definition, find_long_form, is_short_form

_TERM_HEADER = re.compile(
    r"(?:terms?|abbreviations?|abbr\.?|acronyms?|symbols?|short(?: form| name)?|mnemonic|"
    r"initialism|parameter|signal|pin|name|keyword)\Z",
    re.IGNORECASE,
)
_ABBREVIATION_HEADER = re.compile(
    r"(?:abbreviations?|abbr\.?|acronyms?|short(?: form)?|initialism|terms?)\Z", re.IGNORECASE
)
_MEANING_HEADER = re.compile(
    r"(?:.*\b(?:meaning|expansion|definition|stands for|long form|full (?:form|name)|extended name|"
    r"expanded|spelled out)\b.*|"
    r"in full|words|signification|what it (?:means|measures|is))\Z",
    re.IGNORECASE,
)
# If a column of symbols is next to a column of quantities, the symbols stand for the quantities.
_SYMBOL_HEADER = re.compile(r"(?:symbols?|mnemonics?|abbreviations?|abbr\.?|acronyms?)\Z", re.IGNORECASE)
_QUANTITY_HEADER = re.compile(r"(?:parameters?|quantity|quantities|characteristics?|names?|terms?)\Z", re.IGNORECASE)
_DESCRIPTION_HEADER = re.compile(
    r".*\b(?:description|explanation|notes?|remarks?|comments?|details?)\b.*\Z", re.IGNORECASE
)
_ENTRY = re.compile(
    r"[ \t]{0,12}(?:[-*•‣▪·–]\s{1,4}|\d{1,3}[.)]\s{1,4})?[*_`\"“]{0,3}(?P<short>[^\W_][\w/&.+#-]{1,15})[*_`\"”]{0,3}"
    r"\s{0,3}(?P<sign>::|:[*_]{0,3}(?=\s)|\s[–—=-](?=\s)|[–—](?=\s)|\t|\s{4,}|\s\|)\s{0,12}(?P<rest>\S[^\n]{2,600})"
)
_LONGEST_NAME = 90
# An explanation in a cell begins with the name, which ends at the first of these.
_NAME_END = re.compile(r"[:;]\s|\.(?:\s|\Z)|\s[–—-]\s")
_MOST_NAME_WORDS = 8
_LINE = re.compile(r"[^\n\r]+")
# Texts such as "The last erase failed." and "Blocks may be bad." are sentences, not names.
_ARTICLES = ("the", "a", "an")
_SAYING = frozenset({"is", "are", "was", "were", "be", "has", "have", "can", "may", "must", "will", "should", "shall"})


def _header(cells: list[str]) -> tuple[int, int, int] | None:
    """Return the columns of the term, meaning and description (-1 if missing) if ``cells`` is a glossary header."""
    symbol = next((i for i, cell in enumerate(cells) if _SYMBOL_HEADER.match(cell)), -1)
    named = [i for i, cell in enumerate(cells) if i != symbol and _MEANING_HEADER.match(cell)]
    quantity = next((i for i, cell in enumerate(cells) if i != symbol and _QUANTITY_HEADER.match(cell)), -1)
    if symbol >= 0 and quantity >= 0 and not named:
        return symbol, quantity, next((i for i, cell in enumerate(cells) if _DESCRIPTION_HEADER.match(cell)), -1)
    term = next((i for i, cell in enumerate(cells) if _TERM_HEADER.match(cell)), -1)
    meaning = next((i for i, cell in enumerate(cells) if i != term and _MEANING_HEADER.match(cell)), -1)
    description = next(
        (i for i, cell in enumerate(cells) if i not in (term, meaning) and _DESCRIPTION_HEADER.match(cell)), -1
    )
    if term >= 0 and meaning < 0 and description >= 0 and _ABBREVIATION_HEADER.match(cells[term]):
        meaning, description = description, -1
    return (term, meaning, description) if term >= 0 and meaning >= 0 else None


def table_entries(text: str) -> Iterator[Definition]:
    """Find the rows of tables that have a column of terms and a column of meanings; "|" separates the cells."""
    columns: tuple[int, int, int] | None = None
    for found in _LINE.finditer(text):
        line = found.group()
        if "|" not in line:
            columns = None
            continue
        cells = [cell.strip().strip("*`_ ") for cell in line.strip().strip("|").split("|")]
        is_rule = all(set(cell) <= set("-: =") for cell in cells)
        if is_rule:
            continue
        if header := _header(cells):
            columns = header
            continue
        if columns and max(columns[0], columns[1]) < len(cells):
            yield from _row(cells, columns, found.start())


def _row(cells: list[str], columns: tuple[int, int, int], place: int) -> Iterator[Definition]:
    term, meaning = cells[columns[0]], cells[columns[1]]
    description = cells[columns[2]] if 0 <= columns[2] < len(cells) else ""
    if not is_short_form(term) or len(meaning) < 3:
        return
    found = find_long_form(term, meaning, Span(0, len(meaning)), ending=False)
    if found and found.fit >= 0.5 and (name := meaning[found.span.start : found.span.end]) != term:
        rest, score = meaning[found.span.end :], found.fit
    elif name := _name_in(meaning):
        # The letters do not match this meaning, but the table header shows that it is a meaning.
        rest, score = meaning[len(name) :], 0.6
    else:
        return
    yield Definition(term, name, place, score, description or rest.strip(" .,;:–—-()"))


def _name_in(meaning: str) -> str:
    """Return the name at the beginning of ``meaning``; "" if ``meaning`` is a sentence."""
    end = _NAME_END.search(meaning)
    name = meaning[: end.start()] if end else meaning
    words = name.lower().split()
    if not end:
        return name if len(name) <= _LONGEST_NAME else ""
    said = not words or words[0] in _ARTICLES or bool(_SAYING & set(words))
    return "" if said or len(words) > _MOST_NAME_WORDS else name


def list_entries(text: str) -> Iterator[Definition]:
    """Find lines such as "DLL: Delay-Locked Loop, aligns …", "- DLL – Delay-Locked Loop", "DLL | Delay-Locked Loop"."""
    for line in _LINE.finditer(text):
        match = _ENTRY.match(line.group())
        if not match or not is_short_form(match.group("short")):
            continue
        rest = match.group("rest")
        lead = re.match(r"(?:stands for|short for|abbreviation of|the|an?)\s+", rest, re.IGNORECASE)
        start = lead.end() if lead else 0
        found = find_long_form(match.group("short"), rest, Span(start, min(len(rest), 200)), ending=False)
        if not found or (not rest[found.span.start - 1 : found.span.start].isspace() and found.span.start > 3):
            continue
        after = rest[found.span.end :]
        closed = not after.strip() or after.lstrip()[0] in ",.;:(|–—-"
        name, score = rest[found.span.start : found.span.end], found.fit * (1.0 if closed else 0.8)
        yield Definition(match.group("short"), name, line.start(), score, after.strip(" .,;:|–—-()")[:400])
