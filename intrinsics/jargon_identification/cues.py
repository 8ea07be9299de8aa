"""Evidence for or against jargon from the words around a token."""

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


def is_all_caps(question: str, tokens: Sequence[Token]) -> bool:
    """Return whether capitals are meaningless because two or more ordinary words in the question are in capitals."""
    ordinary = {fold(token.bare) for token in tokens if len(token.letters) > 1 and is_ordinary(token.bare)}
    return question.isupper() and len(ordinary) > 1


def asks_for_form(question: str) -> bool:
    """Return whether ``question`` asks about the form of an abbreviation: "stand for", "full form"."""
    return bool(_ASKED_FORM.search(question))


def defining(question: str, token: Token) -> bool:
    """Return whether ``question`` asks for the definition of ``token``: "What does X stand for?"."""
    before, after = question[max(0, token.span.start - 48) : token.span.start], question[token.span.end :]
    return bool(_DEFINING_BEFORE.search(before) or _DEFINING_AFTER.match(after[:32]))


def coordinated(question: str, token: Token, other: Token) -> bool:
    """Return whether ``token`` and ``other`` are in one list: "A/B", "A, B", "A and B"."""
    first, second = (token, other) if token.span.start < other.span.start else (other, token)
    return bool(_COORDINATED.fullmatch(question[first.span.end : second.span.start]))


def is_emphasis(token: Token) -> bool:
    """Return whether ``token`` is a word that people write in capitals for emphasis."""
    return fold(token.bare) in everyday_words("emphasis")
