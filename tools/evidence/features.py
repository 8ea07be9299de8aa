"""Features: a few numbers that say how well one passage, or a set of them, speaks to a question."""

from dataclasses import dataclass

import numpy as np

from tools.evidence.matching import Scores
from tools.evidence.mentions import unmentioned
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
    """Return one row a passage, columns as in ``PASSAGE_FEATURES``."""
    whole = _Weighed(
        joint=unit_scores(evidence), focus=_focus_mask(evidence), aspect=evidence.weights * _aspect(evidence)
    )
    return np.array([_passage_row(evidence, index, whole) for index in range(len(evidence.passages))]).reshape(
        -1, len(PASSAGE_FEATURES)
    )


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Weighed:
    """What the features of each passage take from all of them: the units' scores, and the terms' weights."""

    joint: Scores
    focus: np.ndarray[tuple[int], np.dtype[np.bool_]]
    aspect: Scores


def _passage_row(evidence: Evidence, passage: int, of_all: _Weighed) -> list[float]:
    units = evidence.units_of(passage)
    if not len(units):
        return [0.0] * len(PASSAGE_FEATURES)
    weights = evidence.weights
    literal, soft = evidence.literal[:, units], evidence.soft[:, units]
    headed = evidence.headed[:, passage]
    cosine = np.sort(evidence.cosine[units])[::-1]
    soft_all = np.maximum(_sharpen(soft.max(axis=1)), np.maximum(headed, literal.max(axis=1)))
    whole = np.maximum(literal.max(axis=1), headed)
    joint = of_all.joint[units]
    best = int(np.argmax(joint))
    near = slice(max(0, best - 1), best + 2)
    window = np.maximum(literal[:, near].max(axis=1), headed)
    soft_window = np.maximum(_sharpen(soft[:, near].max(axis=1)), window)
    focus, typed = of_all.focus, evidence.typed[units]
    return [
        float(evidence.passage_cosine[passage]),
        float(cosine[0]),
        float(cosine[:3].mean()),
        _weighted(soft_all, weights),
        _weighted(soft_window, weights),
        float(soft_window.min(initial=1.0)),
        _weighted(whole, weights),
        float(_per_unit_columns(literal, weights).max()),
        _weighted(window, weights),
        _weighted(whole[focus], weights[focus]),
        _weighted(window[focus], weights[focus]),
        _weighted(soft_window, of_all.aspect),
        float(typed[best]),
        float(typed[near].max()),
        float(joint[best]),
        float(evidence.conflict[passage]),
    ]


def _focus_mask(evidence: Evidence) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    return np.array([term.focus for term in evidence.profile.terms], dtype=np.bool_)


def _aspect(evidence: Evidence) -> Scores:
    """Weigh down what nearly every passage says: it is the subject, not what is asked about it."""
    if len(evidence.passages) < 3:
        return np.ones(len(evidence.profile.terms))
    said = np.zeros((len(evidence.profile.terms), len(evidence.passages)))
    np.maximum.at(said.T, evidence.owner, evidence.literal.T)
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
