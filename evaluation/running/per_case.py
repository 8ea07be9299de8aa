"""The value of each case behind a score that is a mean over cases: what two runs are compared by, pair by pair."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from evaluation.benchmark import Outcome, Score

_TOLERANCE = 1e-9

_Reading = Callable[[Outcome], Any]


def values_behind(score: Score, outcomes: Sequence[Outcome]) -> Mapping[str, float]:
    """Return by case id the values that ``score`` is the mean of, or nothing where no such values are found.

    Looked for among all outcomes, then among those that carry the score's subset as a value: a number under the
    system's and the metric's name, under one of the two, how right the case went (1 - loss), how wrong (loss).
    Only values of which there are ``score.n`` and whose mean is ``score.value`` are taken, so that what is compared in
    pairs is that score and nothing like it.
    """
    for chosen in _choices(score, outcomes):
        for read in _readings(score):
            found = {each.id: _number(read(each)) for each in chosen}
            values = {case: value for case, value in found.items() if value is not None}
            if values and len(values) == score.n and _is_mean(score.value, list(values.values())):
                return values
    return {}


def _choices(score: Score, outcomes: Sequence[Outcome]) -> Iterator[list[Outcome]]:
    yield list(outcomes)
    if score.subset:
        yield [each for each in outcomes if score.subset in each.values.values()]


def _readings(score: Score) -> tuple[_Reading, ...]:
    return (
        lambda outcome: _below(outcome.values.get(score.system), score.metric),
        lambda outcome: _below(outcome.values.get(score.metric), score.system),
        lambda outcome: outcome.values.get(score.system),
        lambda outcome: outcome.values.get(score.metric),
        lambda outcome: 1.0 - outcome.loss,
        lambda outcome: outcome.loss,
    )


def _below(value: Any, metric: str) -> Any:
    return value.get(metric) if isinstance(value, Mapping) else None


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and math.isfinite(value) else None


def _is_mean(value: float, values: list[float]) -> bool:
    return math.isclose(math.fsum(values) / len(values), value, rel_tol=_TOLERANCE, abs_tol=_TOLERANCE)
