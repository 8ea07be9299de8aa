"""Features: how one statement stands to one question, in numbers."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from contracts.jargon import Reading
from tools.reading.answer_types import answer_type_match
from tools.reading.concepts import (
    Concept,
    TextWords,
    coverage,
    is_code,
    question_concepts,
    read_words,
)
from tools.reading.questions import QuestionShape
from tools.reading.statements import Statement

FEATURE_NAMES = (
    "cosine",
    "cosine_rank",
    "coverage",
    "coverage_with_place",
    "passage_coverage",
    "focus",
    "focus_with_place",
    "pairs",
    "answer_type_number",
    "answer_type_other",
    "novelty",
    "length",
    "question",
    "passage_rank",
    "first",
)
NUMERIC_KINDS = frozenset({"quantity", "count", "time"})
_CODE = re.compile(r"[^\W_]+(?:-[^\W_]+)*")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionView:
    """A question prepared for comparison with many statements."""

    shape: QuestionShape
    concepts: tuple[Concept, ...]
    words: TextWords

    @property
    def focus(self) -> tuple[Concept, ...]:
        """The concepts that an answer must be about: jargon and names, else the rarest word."""
        asked = self.shape.asked.casefold()
        special = tuple(each for each in self.concepts if each.special)
        about = tuple(each for each in special if each.text.casefold() not in asked)
        return about or special or tuple(sorted(self.concepts, key=lambda each: -each.weight)[:1])


def view_question(shape: QuestionShape, readings: Sequence[Reading] = ()) -> QuestionView:
    """Prepare a question: its concepts with the spellings that ``readings`` bring, its words, its codes."""
    concepts = question_concepts(shape.text, readings)
    return QuestionView(shape=shape, concepts=concepts, words=read_words(shape.text))


def statement_features(
    view: QuestionView, statements: Sequence[Statement], cosines: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Describe each statement: shape ``(len(statements), len(FEATURE_NAMES))``, each about [0, 1], cosines ±3."""
    if not statements:
        return np.zeros((0, len(FEATURE_NAMES)))
    spread = float(cosines.std()) or 1.0
    words = [read_words(each.text) for each in statements]
    passages = [each.passage for each in statements]
    typed = [answer_type_match(view.shape, each.text) for each in statements]
    numeric = view.shape.kind in NUMERIC_KINDS
    known, asked = view.words.stems, view.words.pairs
    columns = {
        "cosine": (cosines - cosines.mean()) / spread,
        "cosine_rank": 1.0 / (1.0 + np.argsort(np.argsort(-cosines))),
        **_coverages(view, statements, words),
        "pairs": [min(len(asked & each.pairs), 4) / 4.0 for each in words],
        "answer_type_number": typed if numeric else 0.0,
        "answer_type_other": 0.0 if numeric else typed,
        "novelty": [min(sum(stem not in known for stem in each.order), 8) / 8.0 for each in words],
        "length": [min(len(each.order), 40) / 40.0 for each in words],
        "question": [each.text.endswith("?") or each.kind == "heading" for each in statements],
        "passage_rank": [1.0 / (1.0 + number) for number in passages],
        "first": [True, *(one != other for one, other in pairwise(passages))],
    }
    features = np.empty((len(statements), len(FEATURE_NAMES)))
    for number, name in enumerate(FEATURE_NAMES):
        features[:, number] = columns[name]
    return features


def conflict(view: QuestionView, statement: Statement) -> bool:
    """Say whether a statement is about a sibling: DDR2 where DDR3 was asked, and DDR3 is nowhere near.

    Two codes are siblings when they differ in their digits only, one of them may have none (NV-DDR and NV-DDR2), or one
    is the end of the other's name (DDR4 and NV-DDR3).
    """
    asked = _codes(view.shape.text)
    if not asked:
        return False
    there = _codes(f"{statement.text} {statement.place}")
    return any(_is_another(code, other) for code in asked - there for other in there - asked)


def _coverages(
    view: QuestionView, statements: Sequence[Statement], words: Sequence[TextWords]
) -> dict[str, list[float]]:
    """Say how much of the question stands in each statement, in it with its place, and in its passage."""
    placed = [read_words(f"{each.place} {each.before} {each.text}") for each in statements]
    whole = {passage: coverage(view.concepts, each) for passage, each in _passage_words(statements).items()}
    focus = view.focus
    return {
        "coverage": [coverage(view.concepts, each) for each in words],
        "coverage_with_place": [coverage(view.concepts, each) for each in placed],
        "passage_coverage": [whole[each.passage] for each in statements],
        "focus": [coverage(focus, each) for each in words],
        "focus_with_place": [coverage(focus, each) for each in placed],
    }


def _passage_words(statements: Sequence[Statement]) -> dict[int, TextWords]:
    texts: dict[int, list[str]] = {}
    for statement in statements:
        texts.setdefault(statement.passage, [statement.place]).append(statement.text)
    return {passage: read_words(" ".join(parts)) for passage, parts in texts.items()}


@lru_cache(maxsize=8_192)
def _codes(text: str) -> frozenset[str]:
    found = [match.group() for match in _CODE.finditer(text)]
    return frozenset(code.casefold() for code in found if is_code(code) and any(letter.isalpha() for letter in code))


# The same few codes stand in many passages and questions.
@lru_cache(maxsize=4_096)
def _is_another(asked: str, other: str) -> bool:
    first, second = _skeleton(asked), _skeleton(other)
    # "NV-DDR3" is not the "DDR3" asked for; but "DDR3" may be how a text shortens the "NV-DDR3" asked for.
    if first == second or other.endswith("-" + asked):
        return True
    digits = [re.sub(r"\D+", " ", code).split() for code in (asked, other)]
    ends = first.endswith("-" + second) or second.endswith("-" + first)
    return ends and bool(digits[0]) and bool(digits[1]) and digits[0] != digits[1]


def _skeleton(code: str) -> str:
    return re.sub(r"\d+", "", code)
