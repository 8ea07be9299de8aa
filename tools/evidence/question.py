"""Analyses questions: their content terms with weights, and the terms that the source of an answer must mention."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from contracts.jargon import Reading
from contracts.text import Span
from tools.language import STOP_WORDS, Word, content_stems, find_words, fold, rarity, stem
from tools.language.quantities import NUMERALS

# Words that form the question but do not describe its subject, so that a source does not have to contain them.
_ASKING = frozenset(
    """
    explain describe list define definition mean meaning means stand stands answer question document documents
    passage passages information info detail details tell know want need find show help possible way ways thing
    things many much long far often kind kinds type types sort example examples different various actually exactly
    called name named names difference else let else like please give
    """.split()  # noqa: SIM905
)
# A word rarer than about 3.5 in ten million words is a technical term and not an unusual form of a common word.
_RARE = 0.68
_POSSESSIVE = re.compile(r"['’]s?$", re.IGNORECASE)
_MIN_WEIGHT = 0.15
# Text too long for a name, such as a sentence in a script without spaces between words (Thai, Chinese, Japanese …).
_UNSPACED = re.compile(r"\S{41,}|[^\s\u0000-\u0dff\u1100-\u2fff\uac00-\ud7ff]{13,}")


@dataclass(frozen=True, slots=True)
class QuestionTerm:
    """A content term of a question.

    ``text`` is the asker's spelling; ``alternatives`` are sets of stems, any of which is enough; ``weight``, in (0, 1],
    grows with rarity. ``focus`` is true for a name, number, code or jargon term, which no other word can replace.
    """

    text: str
    start: int
    end: int
    alternatives: tuple[frozenset[str], ...]
    weight: float
    focus: bool
    literal: bool


def question_terms(question: str, readings: Sequence[Reading] = ()) -> tuple[QuestionTerm, ...]:
    """Return the content terms in ``question``, in order.

    An extended name or alias of a term in ``readings`` counts as the term.
    """
    words = _joined(question, find_words(question))
    terms: list[QuestionTerm] = []
    taken: list[tuple[int, int]] = []
    for reading in readings:
        term = _term_of_reading(question, reading)
        if term is not None and all(term.end <= start or end <= term.start for start, end in taken):
            terms.append(term)
            taken.append((term.start, term.end))
    for index, word in enumerate(words):
        inside = any(start < word.span.end and word.span.start < end for start, end in taken)
        if not inside and not _is_asking(word.text):
            terms.append(_term_of_word(word, first=index == 0, shouting=question.isupper()))
    unique: dict[tuple[frozenset[str], ...], QuestionTerm] = {}
    for term in sorted(terms, key=lambda each: each.start):
        unique.setdefault(term.alternatives, term)
    return tuple(unique.values())


def is_code(word: str) -> bool:
    """Return whether ``word`` is a code: it has a digit and a letter, a sign, or capitals inside (DDR5, WE#, tPROG)."""
    has_digit = any(character.isdigit() for character in word)
    has_letter = any(character.isalpha() for character in word)
    return (has_digit and has_letter) or word[-1:] in "#*" or "_" in word or bool(re.search(r"[a-z][A-Z]", word))


def term_stem(word: str) -> str:
    """Return the stem of ``word`` without a possessive ending: "Saturn" for "Saturn's"."""
    return stem(_POSSESSIVE.sub("", word))


def _joined(question: str, words: Sequence[Word]) -> list[Word]:
    """Join the parts of codes with a separator ("DDR-3"), as in texts, and letters with a slash ("I/O", "R/B#")."""
    joined: list[Word] = []
    for word in words:
        last = joined[-1] if joined else None
        between = question[last.span.end : word.span.start] if last else ""
        if last and between == "-" and last.text[-1:].isalpha() and word.text.isdigit():
            joined[-1] = Word(last.text + word.text, Span(last.span.start, word.span.end))
        elif last and between == "/" and (_is_letter(last.text) or _is_letter(word.text)):
            joined[-1] = Word(f"{last.text}/{word.text}", Span(last.span.start, word.span.end))
        else:
            joined.append(word)
    return joined


def _is_asking(word: str) -> bool:
    folded = fold(word)
    return folded in STOP_WORDS or folded in _ASKING or _is_letter(folded)


def _is_letter(word: str) -> bool:
    """Return whether ``word`` is a single letter, which is in nearly every text, or in none, and so is not evidence."""
    return len(word) == 1 and (word.islower() or word.isupper())


def _term_of_word(word: Word, *, first: bool, shouting: bool) -> QuestionTerm:
    text = word.text
    number = text.replace(".", "").isdigit()
    folded = fold(text)
    rare = rarity(folded)
    capital = text[:1].isupper() and not first and not shouting
    # "I/O" is often spelt out, so it is not a name that the source of an answer must contain.
    letters = all(_is_letter(part) for part in text.split("/"))
    abbreviation = text.isupper() and len(text) >= 2 and not shouting and not letters
    literal = number or is_code(text) or abbreviation
    focus = (literal or capital or rare >= _RARE) and not letters and not _UNSPACED.search(text)
    weight = max(_MIN_WEIGHT, (rare - 0.25) / 0.75)
    if literal:
        weight = max(weight, 0.6)
    sets: tuple[frozenset[str], ...] = (frozenset({term_stem(text)}),)
    if "/" in text:
        sets = (frozenset(term_stem(part) for part in text.split("/")), frozenset({term_stem(text.replace("/", ""))}))
    if folded in NUMERALS:
        sets += (frozenset({NUMERALS[folded]}),)
    return QuestionTerm(text, word.span.start, word.span.end, sets, min(weight, 1.0), focus, literal)


def _term_of_reading(question: str, reading: Reading) -> QuestionTerm | None:
    mention = reading.mention
    if reading.status in ("ambiguous", "unknown") or mention.span.end > len(question):
        return None
    spellings = [mention.text, mention.term]
    if reading.sense is not None:
        spellings += [reading.sense.term, reading.sense.extended_name, *reading.sense.aliases]
    sets: dict[frozenset[str], None] = {}
    for spelling in spellings:
        stems = frozenset(content_stems(spelling)) or frozenset(stem(word.text) for word in find_words(spelling))
        if stems:
            sets.setdefault(stems)
    if not sets:
        return None
    return QuestionTerm(mention.text, mention.span.start, mention.span.end, tuple(sets), 0.9, True, True)
