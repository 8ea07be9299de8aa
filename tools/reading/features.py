"""Prepares a question for comparison with texts, and finds the sentences that contain its answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from contracts.jargon import Reading
from contracts.text import Span
from tools.reading.concepts import Concept, TextWords, coverage, is_code, question_concepts, read_words
from tools.reading.questions import QuestionShape

# Questions whose answers (an amount, a time, a name) can be recognised in a text.
VALUE_KINDS = frozenset({"quantity", "count", "time", "person"})
_CODE = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
# A different sentence counts as the answer if its share of the question's words is higher by this much.
_CLEARLY_MORE = 0.4
# A sentence that begins like this refers to something in the previous sentence.
POINTS_BACK = re.compile(
    r"^(?:\W*)(?:it|its|this|that|these|those|they|their|he|she|such|both|either|each|however|therefore|thus|hence|"
    r"otherwise|also|then|instead|in (?:this|that|such|either|both|these|those) \w+|for (?:this|that) \w+|"
    r"doing (?:so|this)|if so|if not|as a result|the (?:latter|former|same))\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionView:
    """A question prepared for comparison with many statements."""

    shape: QuestionShape
    concepts: tuple[Concept, ...]
    words: TextWords

    @property
    def focus(self) -> tuple[Concept, ...]:
        """The concepts that an answer must be about: jargon and names, or else the rarest word."""
        asked = self.shape.asked.casefold()
        special = tuple(each for each in self.concepts if each.special)
        about = tuple(each for each in special if each.text.casefold() not in asked)
        return about or special or tuple(sorted(self.concepts, key=lambda each: -each.weight)[:1])


def view_question(shape: QuestionShape, readings: Sequence[Reading] = ()) -> QuestionView:
    """Prepare a question: its words, and its concepts with the spellings from ``readings``."""
    concepts = question_concepts(shape.text, readings)
    return QuestionView(shape=shape, concepts=concepts, words=read_words(shape.text))


def conflict_of(view: QuestionView, text: str, place: str) -> bool:
    """Return whether ``text``, under the headings ``place``, is about a sibling of a requested code: for example, it
    contains DDR2 but not DDR3.

    Two codes are siblings if they differ only in their digits (of which one code may have none: NV-DDR and NV-DDR2), or
    if such a sibling is the end of a longer code (DDR4 and NV-DDR3).
    """
    asked = _codes(view.shape.text)
    if not asked:
        return False
    there = _codes(f"{text} {place}")
    return any(_is_another(code, other) for code in asked - there for other in there - asked)


@lru_cache(maxsize=8_192)
def _codes(text: str) -> frozenset[str]:
    found = [match.group() for match in _CODE.finditer(text)]
    return frozenset(code.casefold() for code in found if is_code(code) and any(letter.isalpha() for letter in code))


# The same codes occur in many passages and questions.
@lru_cache(maxsize=4_096)
def _is_another(asked: str, other: str) -> bool:
    first, second = _skeleton(asked), _skeleton(other)
    # If DDR3 was requested, "NV-DDR3" is different; but if NV-DDR3 was requested, "DDR3" may be a short form of it.
    if first == second or other.endswith("-" + asked):
        return True
    digits = [re.sub(r"\D+", " ", code).split() for code in (asked, other)]
    ends = first.endswith("-" + second) or second.endswith("-" + first)
    return ends and bool(digits[0]) and bool(digits[1]) and digits[0] != digits[1]


def _skeleton(code: str) -> str:
    return re.sub(r"\d+", "", code)


def told_span(view: QuestionView, text: str, sentences: Sequence[Span], key: Span) -> Span:
    """Return the span of the sentence at ``key`` in ``text``, including adjacent sentences that it needs.

    If another of ``sentences`` contains clearly more of the question's words, it is used instead. If the sentence at
    ``key`` is about a sibling of a requested code, any sentence that contains more of them is used.
    """
    at = next((n for n, each in enumerate(sentences) if key.start < each.end), len(sentences) - 1)
    held = [coverage(view.concepts, read_words(text[each.start : each.end])) for each in sentences]
    if held[at] < max(held) - _CLEARLY_MORE:
        at = held.index(max(held))
    if conflict_of(view, text[sentences[at].start : sentences[at].end], "") and held[at] < max(held):
        at = held.index(max(held))
    first, last = at, at
    while first > 0 and POINTS_BACK.match(text[sentences[first].start : sentences[first].end]):
        first -= 1
    while last + 1 < len(sentences) and text[sentences[last].start : sentences[last].end].rstrip().endswith("?"):
        # If the sentence is a question, its answer follows.
        last += 1
    if last + 1 < len(sentences) and POINTS_BACK.match(text[sentences[last + 1].start : sentences[last + 1].end]):
        last += 1
    return Span(sentences[first].start, sentences[last].end)
