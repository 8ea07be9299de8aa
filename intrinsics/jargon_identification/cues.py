"""What the words around a token say for or against jargon."""

import re
from collections.abc import Sequence

from intrinsics.jargon_identification.tokens import Token, everyday_words, is_ordinary
from tools.language import STOP_WORDS, fold

_DEFINING_BEFORE = re.compile(
    r"(?:abbreviations?|acronyms?|initialisms?|full forms? of|expansions? of|meanings? of|definitions? of|terms?|"
    r"defin(?:e|es|ing)|explain|expand|what(?:'s| is| are| does| do)|stands? for|mean(?:s|ing)? by|short for)"
    r"(?:\s+(?:the|an?|abbreviations?|acronyms?|terms?))?[\s\"'“‘(:]*\Z",
    re.IGNORECASE,
)
_ASKED_BEFORE = re.compile(r"\bwhat(?:\s+(?:the|an?))?[\s\"'“‘(]+\Z", re.IGNORECASE)
_DEFINING_AFTER = re.compile(
    r"[\"'”’)]*\s+(?:stands?\s+for|is\s+an?\s+(?:abbreviation|acronym)|means?\b|abbreviat|is\s+short\s+for)",
    re.IGNORECASE,
)
_COMPARED_AFTER = re.compile(r"\s*(?:[=<>≤≥]|==|!=)")
_COMPARED_BEFORE = re.compile(r"[=<>≤≥]\s*\Z")
_ASKED_FORM = re.compile(
    r"\b(?:abbreviat\w*|acronyms?|full form|stands? for|expan(?:d|sion)s?|initialism)\b", re.IGNORECASE
)
_AMOUNT_BEFORE = re.compile(r"\d[\d.,]*\s?[A-Za-zµμ%°/]{0,4}\s?\Z")
_COORDINATED = re.compile(r"\s*(?:[,/&+]|,?\s(?:and|or|vs\.?|versus|with)\s)\s*\Z", re.IGNORECASE)
_BEFORE_NOUN = re.compile(
    r"\b(?:on|of|in|at|for|to|between|during|with|from|by|via|into|than|per|the|each|an?|our|this|"
    r"do|does|did|must|should|would|could|can|will|is|are|has|have)\s+\Z",
    re.IGNORECASE,
)
_AFTER_NOUN = re.compile(
    r"\s*(?:[.,;:?!)]|\Z)|\s+(?:be|is|are|was|were|have|has|had|depends?|means?|stands?|affects?|needs?|differs?|works?|"
    r"and|or|to|in|of|on|for|with|from|at|by|than|when|if|during)\b",
    re.IGNORECASE,
)
_SUBJECT_AFTER = re.compile(r"\s+(?:i|we|you|it|he|she|they|this|that|these|those|there)\b", re.IGNORECASE)
_PLAIN_WORD = re.compile(r"[^\W\d_]+")
_BRACKET_AFTER = re.compile(r"\s?\(([^()]{3,120})\)")
# The words that a bracket abbreviates are within this many characters before it.
_SPELLING_REACH = 160
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
    before, after = _around(question, token)
    return bool(_DEFINING_BEFORE.search(before) or _DEFINING_AFTER.match(after))


def spelled_between(question: str, token: Token) -> bool:
    """Return whether ``token`` is between the two halves of a question for its meaning: "what X means"."""
    before, after = _around(question, token)
    return bool(_ASKED_BEFORE.search(before) and _DEFINING_AFTER.match(after))


def _around(question: str, token: Token) -> tuple[str, str]:
    return question[max(0, token.span.start - 48) : token.span.start], question[token.span.end : token.span.end + 32]


def introduced(question: str, token: Token) -> bool:
    """Return whether the words next to ``token`` spell it out: "deep learning (DL)", "DL (deep learning)"."""
    wanted = fold(token.letters.removesuffix("s") if token.capitals else token.letters)
    before, after = question[: token.span.start], question[token.span.end :]
    if before.endswith("(") and after[:1] in (")", ";", ","):
        words = _PLAIN_WORD.findall(before[-_SPELLING_REACH:])
        return any(_initials(each, len(wanted)) == wanted for each in (words, _without_grammar(words)))
    if bracket := _BRACKET_AFTER.match(after):
        words = _PLAIN_WORD.findall(bracket.group(1))
        return wanted in ("".join(word[0] for word in each).casefold() for each in (words, _without_grammar(words)))
    return False


def _initials(words: Sequence[str], count: int) -> str:
    return "".join(word[0] for word in words[-count:]).casefold() if count <= len(words) else ""


def _without_grammar(words: Sequence[str]) -> list[str]:
    return [word for word in words if fold(word) not in STOP_WORDS]


def measured(question: str, token: Token) -> bool:
    """Return whether ``token`` is a quantity's name: compared with a value, or after an amount ("10ns X", "40X")."""
    before = question[max(0, token.span.start - 16) : token.span.start]
    after = question[token.span.end : token.span.end + 4]
    return bool(
        _COMPARED_AFTER.match(after) or _COMPARED_BEFORE.search(before) or _AMOUNT_BEFORE.search(before.rstrip())
    )


def coordinated(question: str, token: Token, other: Token) -> bool:
    """Return whether ``token`` and ``other`` are in one list: "A/B", "A, B", "A and B"."""
    first, second = (token, other) if token.span.start < other.span.start else (other, token)
    return bool(_COORDINATED.fullmatch(question[first.span.end : second.span.start]))


def stressed(token: Token) -> bool:
    """Return whether ``token`` is a word that people write in capitals for emphasis."""
    return fold(token.bare) in everyday_words().stressed


def in_noun_place(question: str, token: Token) -> bool:
    """Return whether ``token`` is where grammar requires a noun and ends its phrase: "depend on X.", "must X be"."""
    before = _BEFORE_NOUN.search(question[max(0, token.span.start - 24) : token.span.start])
    return bool(before and _AFTER_NOUN.match(question[token.span.end : token.span.end + 24]))


def inverted(question: str, token: Token) -> bool:
    """Say whether ``token`` is a word of grammar that begins a question, however it is written: "MAY I", "CAN we"."""
    grammatical = fold(token.bare) in everyday_words().grammatical
    return grammatical and bool(_SUBJECT_AFTER.match(question[token.span.end : token.span.end + 12]))
