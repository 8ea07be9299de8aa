"""Proximity: does a candidate for the answer stand close to the words that the question asks about?"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache

from tools.evidence.answer_types import AnswerType, candidate_spans
from tools.language import STOP_WORDS, Word, find_words, fold, stem

# A word this far from a candidate counts 1/e of one that stands beside it.
_REACH_WORDS = 7.0


def slot_strength(
    kind: AnswerType, question: str, text: str, forms: Sequence[Mapping[str, float]], weights: Sequence[float]
) -> float:
    """Say how closely the question's terms surround a candidate answer in ``text``, in [0, 1].

    ``forms`` holds for each term the stems that say it, with how surely. Where the kind has candidates of a form
    (numbers, dates, names), only these count; else any content word that is not of the question.
    """
    words, stems = _stemmed(text)
    total = sum(weights)
    if not words or total <= 0:
        return 0.0
    places: list[list[tuple[int, float]]] = [
        [(at, table[each]) for at, each in enumerate(stems) if each in table] for table in forms
    ]
    spans = candidate_spans(kind, question, text)
    if spans is None:
        said = {at for found in places for at, _ in found}
        candidates = [at for at, word in enumerate(words) if at not in said and fold(word.text) not in STOP_WORDS]
    else:
        candidates = [at for at, word in enumerate(words) if any(s <= word.span.start < e for s, e in spans)]
    best = 0.0
    for candidate in candidates:
        near = 0.0
        for found, weight in zip(places, weights, strict=True):
            near += weight * max(
                (
                    sure * math.exp(-max(0, abs(at - candidate) - 1) / _REACH_WORDS)
                    for at, sure in found
                    if at != candidate
                ),
                default=0.0,
            )
        best = max(best, near)
    return best / total


@lru_cache(maxsize=8_192)
def _stemmed(text: str) -> tuple[tuple[Word, ...], tuple[str, ...]]:
    words = find_words(text)
    return words, tuple(stem(word.text) for word in words)
