"""Features: a few numbers that say how well one passage, or a set of them, speaks to a question."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tools.evidence.matching import Scores
from tools.evidence.passages import unmentioned
from tools.evidence.question import QuestionTerm
from tools.evidence.reading import Evidence

PASSAGE_FEATURES = (
    "passage_cosine",
    "best_cosine",
    "second_cosine",
    "soft_passage",
    "soft_window",
    "soft_weakest",
    "covered_passage",
    "covered_unit",
    "covered_window",
    "focus_passage",
    "focus_window",
    "aspect_window",
    "typed_best",
    "typed_near",
    "joint_best",
    "conflict",
)
SET_FEATURES = (
    *PASSAGE_FEATURES,
    "covered_union",
    "focus_union",
    "soft_union",
    "best_cosine_max",
    "joint_max",
    "typed_near_max",
    "conflict_min",
    "code_missing",
    "name_missing",
)

# A soft match below this similarity is chance: nine in ten words of a question find nothing nearer than 0.34 in a
# paragraph about something else.
# Source: 51 words of SQuAD 2.0 dev questions against paragraphs of other articles (quantiles .50: .20, .75: .28).
_SOFT_FLOOR = 0.35
_EPSILON = 1e-9


def passage_features(evidence: Evidence) -> Scores:
    """Return one row a passage, columns as in ``PASSAGE_FEATURES``; zeros for one without any text."""
    rows = np.zeros((len(evidence.passages), len(PASSAGE_FEATURES)))
    full = [at for at in range(len(rows)) if evidence.bounds[at] < evidence.bounds[at + 1]]
    if full:
        rows[full] = _full_rows(evidence, full)
    return rows


def set_features(evidence: Evidence) -> Scores:
    """Return the features of the whole set, as in ``SET_FEATURES``; the first ones are those of its best passage.

    Raises:
        ValueError: there is no passage with any text.
    """
    if not evidence.units:
        raise ValueError("A set without text has no features.")
    rows = passage_features(evidence)
    column = {name: rows[:, index] for index, name in enumerate(PASSAGE_FEATURES)}
    best = int(np.argmax(column["joint_best"]))
    union = np.maximum(evidence.literal.max(axis=1, initial=0.0), evidence.headed.max(axis=1, initial=0.0))
    soft_union = _sharpen(evidence.soft.max(axis=1, initial=0.0))
    focus = _focus_mask(evidence)
    absent = absent_terms(evidence)
    return np.array(
        [
            *rows[best],
            _weighted(union, evidence.weights),
            _weighted(union[focus], evidence.weights[focus]),
            _weighted(np.maximum(union, soft_union), evidence.weights),
            column["best_cosine"].max(),
            column["joint_best"].max(),
            column["typed_near"].max(),
            column["conflict"].min(),
            float(any(term.literal for term in absent)),
            float(any(not term.literal and term.text[:1].isupper() for term in absent)),
        ]
    )


def unit_scores(evidence: Evidence) -> Scores:
    """Say how well each unit speaks to the question, in [0, 1]: cosine, coverage and answer type together."""
    covered = _per_unit(evidence, np.maximum(evidence.literal, 0.9 * _sharpen(evidence.soft)))
    return 0.45 * np.clip(evidence.cosine, 0.0, 1.0) + 0.4 * covered + 0.15 * evidence.typed


def absent_terms(evidence: Evidence) -> tuple[QuestionTerm, ...]:
    """Return the focus terms that no passage mentions by word, heading or near spelling."""
    return unmentioned(evidence.profile, evidence.literal, evidence.headed)


def _full_rows(evidence: Evidence, full: Sequence[int]) -> list[list[float]]:
    """Return the features of the passages ``full``, each of which has a unit."""
    starts = [evidence.bounds[at] for at in full]
    ends = [evidence.bounds[at + 1] for at in full]
    joint, cosine, typed = unit_scores(evidence), evidence.cosine, evidence.typed
    best = [start + int(np.argmax(joint[start:end])) for start, end in zip(starts, ends, strict=True)]
    # The unit before the best one, itself, and the one behind it.
    near = [np.maximum(np.array(best) - 1, starts), np.array(best), np.minimum(np.array(best) + 1, np.array(ends) - 1)]
    literal, soft, headed = evidence.literal, evidence.soft, evidence.headed[:, full]
    whole = np.maximum(np.maximum.reduceat(literal, starts, axis=1), headed)
    window = np.maximum(_greatest(literal, near), headed)
    soft_whole = np.maximum(_sharpen(np.maximum.reduceat(soft, starts, axis=1)), whole)
    soft_window = np.maximum(_sharpen(_greatest(soft, near)), window)
    every, aspect = _Weights(evidence.weights), _Weights(evidence.weights * _aspect(evidence))
    mask = _focus_mask(evidence)
    focus = _Weights(evidence.weights[mask])
    # A sum of many products depends on how they lie in memory: of each unit together.
    by_unit = np.asfortranarray(literal)
    top = [sorted(cosine[start:end].tolist(), reverse=True)[:3] for start, end in zip(starts, ends, strict=True)]
    columns: dict[str, Sequence[float] | Scores] = {
        "passage_cosine": evidence.passage_cosine[full],
        "best_cosine": [each[0] for each in top],
        "second_cosine": [sum(each) / len(each) for each in top],
        "soft_passage": every.means(soft_whole),
        "soft_window": every.means(soft_window),
        "soft_weakest": soft_window.min(axis=0, initial=1.0),
        "covered_passage": every.means(whole),
        "covered_unit": [
            float(_per_unit_columns(by_unit[:, start:end], evidence.weights).max())
            for start, end in zip(starts, ends, strict=True)
        ],
        "covered_window": every.means(window),
        "focus_passage": focus.means(whole[mask]),
        "focus_window": focus.means(window[mask]),
        "aspect_window": aspect.means(soft_window),
        "typed_best": typed[best],
        "typed_near": np.maximum.reduce([typed[each] for each in near]),
        "joint_best": joint[best],
        "conflict": evidence.conflict[full],
    }
    return [list(row) for row in zip(*(columns[name] for name in PASSAGE_FEATURES), strict=True)]


def _greatest(strengths: Scores, near: Sequence[NDArray[np.int64]]) -> Scores:
    """Return for each term (row) the greatest of its ``strengths`` at the units ``near``: shape (terms, passages)."""
    return np.asarray(np.maximum.reduce([strengths[:, units] for units in near]), dtype=np.float64)


class _Weights:
    """The weights of some terms, for weighted means over them."""

    def __init__(self, weights: Scores) -> None:
        self._weights = weights
        self._total = float(weights.sum())

    def means(self, values: Scores) -> list[float]:
        """Return the weighted mean of each column of ``values``, shape (terms, passages); 1 where nothing weighs."""
        if self._total <= 0:
            return [1.0] * values.shape[1]
        return [float(row @ self._weights) / self._total for row in np.ascontiguousarray(values.T)]


def _focus_mask(evidence: Evidence) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([term.focus for term in evidence.profile.terms], dtype=np.bool_)


def _aspect(evidence: Evidence) -> Scores:
    """Weigh down what nearly every passage says: it is the subject, not what is asked about it."""
    if len(evidence.passages) < 3:
        return np.ones(len(evidence.profile.terms))
    said = np.zeros((len(evidence.profile.terms), len(evidence.passages)))
    full = [at for at in range(len(evidence.passages)) if evidence.bounds[at] < evidence.bounds[at + 1]]
    said[:, full] = np.maximum.reduceat(evidence.literal, [evidence.bounds[at] for at in full], axis=1)
    return np.asarray(1.0 - 0.7 * np.maximum(said, evidence.headed).mean(axis=1), dtype=np.float64)


def _per_unit(evidence: Evidence, strengths: Scores) -> Scores:
    return _per_unit_columns(strengths, evidence.weights)


def _per_unit_columns(strengths: Scores, weights: Scores) -> Scores:
    if not len(weights):
        return np.ones(strengths.shape[1])
    return np.asarray(weights @ strengths / (weights.sum() + _EPSILON))


def _sharpen(soft: Scores) -> Scores:
    return np.clip((soft - _SOFT_FLOOR) / (1.0 - _SOFT_FLOOR), 0.0, 1.0)


def _weighted(values: Scores, weights: Scores) -> float:
    total = float(weights.sum())
    return float(values @ weights) / total if total > 0 else 1.0


# The encoder learnt from excerpts of 20 to 55 words, as a rule.
_MOST_WORDS = 55


def best_excerpts(evidence: Evidence, *, most_words: int = _MOST_WORDS) -> tuple[str, ...]:
    """Return for each passage its best sentence with as many around it as ``most_words`` take; "" without any text."""
    return _excerpts(evidence, unit_scores(evidence) if evidence.units else np.zeros(0), most_words)


def _excerpts(evidence: Evidence, scores: Scores, most_words: int) -> tuple[str, ...]:
    found = []
    for passage in range(len(evidence.passages)):
        units = evidence.units_of(passage).tolist()
        if not units:
            found.append("")
            continue
        texts = [evidence.units[at].reading for at in units]
        found.append(_around(texts, int(np.argmax(scores[units])), most_words))
    return tuple(found)


def nearest_excerpts(evidence: Evidence, first: int | None = None) -> tuple[str, ...]:
    """Return the best excerpts of all passages with any text, the nearest one first.

    ``first`` is the passage that comes before all others, whatever the scores say.
    """
    scores = unit_scores(evidence)
    best = {
        at: float(scores[units].max()) for at in range(len(evidence.passages)) if len(units := evidence.units_of(at))
    }
    excerpts = _excerpts(evidence, scores, _MOST_WORDS)
    return tuple(excerpts[at] for at in sorted(best, key=lambda at: (at != first, -best[at])))


def _around(texts: list[str], best: int, most_words: int) -> str:
    lengths = [len(text.split()) for text in texts]
    first = last = best
    words = lengths[best]
    while True:
        # What stands before a sentence says what it is about; what follows goes on from it.
        sides = [at for at in (first - 1, last + 1) if 0 <= at < len(texts) and words + lengths[at] <= most_words]
        if not sides:
            return "\n".join(texts[first : last + 1])
        at = min(sides, key=lambda side: (abs(side - best), side))
        words += lengths[at]
        first, last = min(first, at), max(last, at)
