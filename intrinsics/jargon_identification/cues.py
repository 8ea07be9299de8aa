"""What the words around a token say for or against jargon."""

import re
from collections.abc import Sequence

from intrinsics.jargon_identification.tokens import Token, everyday_words, is_ordinary
from tools.language import fold

_DEFINING_BEFORE = re.compile(
    r"(?:abbreviations?|acronyms?|initialisms?|full forms? of|expansions? of|meanings? of|definitions? of|terms?|"
    r"defin(?:e|es|ing)|explain|expand|what(?:'s| is| are| does| do)|stands? for|mean(?:s|ing)? by|short for)"
    r"(?:\s+(?:the|an?|abbreviations?|acronyms?|terms?))?[\s\"'“‘(:]*\Z",
    re.IGNORECASE,
)
_DEFINING_AFTER = re.compile(
    r"[\"'”’)]*\s+(?:stands?\s+for|is\s+an?\s+(?:abbreviation|acronym)|means?\b|abbreviat|is\s+short\s+for)",
    re.IGNORECASE,
)
_ASKED_FORM = re.compile(
    r"\b(?:abbreviat\w*|acronyms?|full form|stands? for|expan(?:d|sion)s?|initialism)\b", re.IGNORECASE
)
_COORDINATED = re.compile(r"\s*(?:[,/&+]|,?\s(?:and|or|vs\.?|versus|with)\s)\s*\Z", re.IGNORECASE)
_LOUD_RUN = 2
# Characters that separate names in lists and formulas: the text on either side is not one phrase in capitals.
_NO_PROSE = re.compile(r"[/=<>≤≥&+,|]")


def shouted(question: str, tokens: Sequence[Token]) -> tuple[bool, ...]:
    """Return for each token whether its capitals mean nothing: in a run of capitals with two ordinary words or more."""
    result = [False] * len(tokens)
    start = 0
    while start < len(tokens):
        end = start
        while end < len(tokens) and (tokens[end].bare.isupper() or not tokens[end].letters):
            if end > start and _NO_PROSE.search(question[tokens[end - 1].span.end : tokens[end].span.start]):
                break
            end += 1
        run = tokens[start:end]
        words = [token for token in run if len(token.letters) > 1]
        ordinary = [token for token in words if is_ordinary(token.bare)]
        different = len({fold(token.bare) for token in ordinary})
        if different >= _LOUD_RUN and 2 * len(ordinary) >= len(words) - 1:
            result[start:end] = [True] * len(run)
        start = max(end, start + 1)
    return tuple(result)


def asks_for_form(question: str) -> bool:
    """Return whether ``question`` is about an abbreviation as such: "stand for", "full form"."""
    return bool(_ASKED_FORM.search(question))


def defining(question: str, token: Token) -> bool:
    """Return whether ``token`` is what a question for a definition asks about: "What does X stand for?"."""
    before, after = question[max(0, token.span.start - 48) : token.span.start], question[token.span.end :]
    return bool(_DEFINING_BEFORE.search(before) or _DEFINING_AFTER.match(after[:32]))


def coordinated(question: str, token: Token, other: Token) -> bool:
    """Return whether ``token`` and ``other`` are in one list: "A/B", "A, B", "A and B"."""
    first, second = (token, other) if token.span.start < other.span.start else (other, token)
    return bool(_COORDINATED.fullmatch(question[first.span.end : second.span.start]))


def stressed(token: Token) -> bool:
    """Return whether ``token`` is a word that people write in capitals for emphasis."""
    return fold(token.bare) in everyday_words().stressed
