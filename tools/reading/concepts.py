"""Concepts: the important words in a question, with all spellings of them in the dictionary."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from contracts.jargon import Reading
from contracts.text import Span
from tools.language import STOP_WORDS, content_stems, find_words, fold, rarity, stem

# Words about the form of the answer and not about its subject.
_FRAME_WORDS = frozenset(
    """
        answer explain describe name list define mean meaning definition stand stands abbreviation acronym
        short tell briefly following statement true false correct incorrect choose select option difference
        different happen happens
    """.split()  # noqa: SIM905
)
_PREFIX = 5
_SHORTEST = 3
_PREFIX_CREDIT = 0.6
_CODE_WEIGHT = 0.85
_CAPITALS_WEIGHT = 0.75


@dataclass(frozen=True, slots=True)
class TextWords:
    """The stems in a text, in order and as a set, and the beginnings of its words.

    ``beginnings`` contains the first five letters of each word, or the whole word if it has three or four letters.
    """

    order: tuple[str, ...]
    stems: frozenset[str]
    beginnings: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Concept:
    """Something that a question mentions: its spellings as stems, and a weight in [0, 1].

    ``special`` is true for jargon and codes. ``span`` is the position in the question.
    """

    text: str
    spellings: tuple[tuple[str, ...], ...]
    weight: float
    special: bool
    span: Span

    def presence(self, words: TextWords) -> float:
        """Return how much of the concept a text contains: 1 for a complete spelling, less for part of a spelling."""
        best = 0.0
        for spelling in self.spellings:
            # Most spellings have only one word.
            if len(spelling) == 1:
                best = max(best, _word_presence(spelling[0], words))
            else:
                share = sum(_word_presence(each, words) for each in spelling) / len(spelling)
                # Part of a name is not the name: "Physical Layer" rarely means "Physical Layer Retransmission".
                best = max(best, share if share >= 1.0 else 0.5 * share)
            if best >= 1.0:
                break
        return best


@lru_cache(maxsize=8_192)
def read_words(text: str) -> TextWords:
    """Return the stems in ``text``, without stop words."""
    order = content_stems(text)
    return TextWords(
        order=order,
        stems=frozenset(order),
        beginnings=frozenset(each[:_PREFIX] for each in order if len(each) >= _SHORTEST and each.isalpha()),
    )


@lru_cache(maxsize=16_384)
def is_code(word: str) -> bool:
    """Return whether a word is a technical name: it mixes letters and digits, or has capitals inside (tRC, VccQ)."""
    has_digit = any(letter.isdigit() for letter in word)
    has_letter = any(letter.isalpha() for letter in word)
    return (has_digit and has_letter) or bool(re.search(r"[a-z][A-Z]|[A-Z]{2}", word)) or "_" in word or "#" in word


def word_weight(word: str) -> float:
    """Return the weight of a content word, in [0, 1], by its rarity, with a minimum for codes and abbreviations."""
    weight = rarity(fold(word))
    if any(letter.isdigit() for letter in word):
        return max(weight, _CODE_WEIGHT)
    return max(weight, _CAPITALS_WEIGHT) if is_code(word) else weight


def question_concepts(question: str, readings: Sequence[Reading] = ()) -> tuple[Concept, ...]:
    """Return the concepts in ``question``: the term of each reading with all spellings, then all other content words.

    A reading is left out if the question, which may have been rewritten, does not contain its term.
    """
    taken: list[Span] = []
    concepts: list[Concept] = []
    for reading in readings:
        span = _find_term(question, (reading.mention.text, reading.mention.term))
        if span is None or any(span.start < other.end and other.start < span.end for other in taken):
            continue
        taken.append(span)
        concepts.append(_jargon_concept(question, span, reading))
    for word in find_words(question):
        folded, code = fold(word.text), is_code(word.text)
        is_frame = folded in STOP_WORDS or (folded in _FRAME_WORDS and not code)
        start, end = word.span.start, word.span.end
        if is_frame or any(start < other.end and other.start < end for other in taken):
            continue
        capital = word.text[0].isupper() and bool(question[:start].strip())
        concepts.append(
            Concept(
                text=word.text,
                spellings=((stem(word.text),),),
                weight=word_weight(word.text),
                special=code or capital,
                span=word.span,
            )
        )
    return tuple(sorted(concepts, key=lambda concept: concept.span.start) if taken else concepts)


def coverage(concepts: Iterable[Concept], words: TextWords) -> float:
    """Return the weighted share of the concepts that a text contains, in [0, 1]; 1 if there are no concepts."""
    total = present = 0.0
    for concept in concepts:
        total += concept.weight
        present += concept.weight * concept.presence(words)
    return present / total if total else 1.0


def _jargon_concept(question: str, span: Span, reading: Reading) -> Concept:
    names = [question[span.start : span.end], reading.mention.term]
    if reading.sense is not None:
        names += [reading.sense.term, reading.sense.extended_name, *reading.sense.aliases]
    spellings = dict.fromkeys(read_words(name).order for name in names if name)
    return Concept(
        text=question[span.start : span.end],
        spellings=tuple(spelling for spelling in spellings if spelling),
        weight=max(_CODE_WEIGHT, word_weight(question[span.start : span.end])),
        special=True,
        span=span,
    )


def _find_term(question: str, names: Sequence[str]) -> Span | None:
    for name in names:
        if not name:
            continue
        match = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", question, re.IGNORECASE)
        if match:
            return Span(match.start(), match.end())
    return None


def _word_presence(word: str, words: TextWords) -> float:
    if word in words.stems:
        return 1.0
    if len(word) <= _PREFIX:
        return 0.0
    # The text may contain a different form or a short form: "inventor" and "invented", "extension" and "ext.".
    known = words.beginnings
    alike = word[:_PREFIX] in known or word[:4] in known or word[:_SHORTEST] in known
    return _PREFIX_CREDIT if alike and word.isalpha() else 0.0
