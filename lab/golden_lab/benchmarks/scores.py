"""Scores that benchmarks compute from outcomes: means by system, rankings, and yes-or-no verdicts.

The values of an outcome contain, under the name of each system, a mapping from metric to value. Outcomes with the same
"group", such as the questions of a conversation, are dependent, so intervals resample groups.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from contracts.errors import InvalidInput
from golden_lab.intervals import Floats, f1_of, share
from golden_lab.metrics.classification import auroc, brier, expected_calibration_error
from golden_lab.metrics.ranking import ndcg_at, recall_at, reciprocal_rank
from golden_lab.results import Outcome, Score
from golden_lab.scores import Row, mean_score, statistic_score

Values = Mapping[str, Any]
Rows = NDArray[np.intp]


def system_scores(
    outcomes: Sequence[Outcome],
    metrics: Sequence[str],
    seed: int,
    *,
    subset: str = "",
    systems: Sequence[str] | None = None,
    lower_is_better: Sequence[str] = (),
) -> list[Score]:
    """Score the mean of each metric for each system, over the outcomes that have it.

    The values of system "" are at the top level. By default, all systems are scored; those without values are left out.
    """
    if systems is None:
        systems = list(
            dict.fromkeys(
                name for each in outcomes for name, value in each.values.items() if isinstance(value, Mapping)
            )
        )
    found = []
    for system in systems:
        for metric in metrics:
            rows = [(values[metric], each) for each in outcomes if metric in (values := values_of(each, system))]
            rows = [(value, each) for value, each in rows if value is not None]
            if rows:
                found.append(
                    mean_score(
                        metric,
                        [float(value) for value, _ in rows],
                        seed=seed,
                        system=system,
                        subset=subset,
                        groups=groups_of(each for _, each in rows),
                        higher_is_better=metric not in lower_is_better,
                    )
                )
    return found


def values_of(outcome: Outcome, system: str) -> Values:
    """Return the values of ``system``; empty if it has none."""
    found: Values = outcome.values.get(system, {}) if system else outcome.values
    return found


def verdicts_of(outcomes: Sequence[Outcome]) -> list[Values]:
    """Return the values of outcomes that are verdicts: "truth", "said", "probability", "group"."""
    return [each.values for each in outcomes]


def groups_of(outcomes: Iterable[Outcome]) -> list[str] | None:
    """Return the group of each outcome, or None if any of them has no group."""
    groups = [each.values.get("group") for each in outcomes]
    return None if None in groups else [str(each) for each in groups]


def gain_score(
    metric: str, outcomes: Sequence[Outcome], value: str, system: str, beside: str, seed: int, *, shown: str = ""
) -> Score:
    """Score the mean gain in ``value`` of ``system`` over ``beside``, case by case; ``shown`` names the row."""
    gains = [each.values[system][value] - each.values[beside][value] for each in outcomes]
    return mean_score(metric, gains, seed=seed, system=shown, groups=groups_of(outcomes))


def of_subset(outcomes: Sequence[Outcome], value: object, key: str = "subset") -> list[Outcome]:
    """Return the outcomes with ``value`` under ``key``; all of them if ``value`` is ""."""
    return [each for each in outcomes if value in ("", each.values.get(key))]


def subsets_of(outcomes: Sequence[Outcome]) -> list[str]:
    """Return "" (all outcomes) and the names of the subsets; if there is only one subset, only its name."""
    parts = sorted({str(each.values["subset"]) for each in outcomes})
    return ["", *parts] if len(parts) > 1 else parts


def ranking_values(ranked: Sequence[str], relevant: frozenset[str], metrics: Sequence[str]) -> Mapping[str, float]:
    """Return the ``metrics`` ("Recall@5", "nDCG@10", "MRR") of one ranking of distinct units."""
    values = {}
    for metric in metrics:
        name, _, depth = metric.partition("@")
        if name == "MRR":
            values[metric] = reciprocal_rank(ranked, relevant, int(depth) if depth else None)
        else:
            values[metric] = {"Recall": recall_at, "nDCG": ndcg_at}[name](ranked, relevant, int(depth))
    return values


def count_scores(
    counts: NDArray[np.float64],
    seed: int,
    *,
    metrics: Sequence[str] = ("F1", "precision", "recall"),
    prefix: str = "",
    groups: Sequence[str] | None = None,
    **row: Unpack[Row],
) -> list[Score]:
    """Score counts of hits, found and gold items, of shape (rows, 3) or (rows, classes, 3).

    Precision and recall are averaged over classes, and F1 is computed from the averages.
    """
    by_class = counts.reshape(len(counts), -1, 3)

    def statistic(metric: str) -> Callable[[Rows], float]:
        def of_rows(rows: Rows) -> float:
            sums = by_class[rows].sum(axis=0).tolist()
            precision = sum(share(hits, found) for hits, found, _ in sums) / len(sums)
            recall = sum(share(hits, gold) for hits, _, gold in sums) / len(sums)
            return {"F1": f1_of(precision, recall), "precision": precision, "recall": recall}[metric]

        return of_rows

    return [
        statistic_score(f"{prefix}{metric}", statistic(metric), len(counts), seed=seed, groups=groups, **row)
        for metric in metrics
    ]


def verdict_scores(rows: Sequence[Values], sides: tuple[str, str], seed: int) -> list[Score]:
    """Score verdicts by class and by probability, with constant verdicts as baselines.

    A row contains the "truth", the verdict "said", the "probability" in [0, 1] that it is true, and its "group".
    ``sides`` are the names for true and false ("answerable", "unanswerable").
    """
    return [*class_scores(rows, sides, seed), *constant_scores(rows, sides, seed), *probability_scores(rows, seed)]


def class_scores(rows: Sequence[Values], sides: tuple[str, str], seed: int, *, system: str = "") -> list[Score]:
    """Score the precision, recall and F1 of each side, and their F1 weighted by the number of cases."""
    truth, said = _column(rows, "truth"), _column(rows, "said")
    found = [_weighted(rows, said, seed, system)]
    for name, side in zip(sides, (1.0, 0.0), strict=True):
        for at, metric in enumerate(("precision", "recall", "F1")):

            def of_side(chosen: Rows, side: float = side, at: int = at) -> float:
                return _side(truth[chosen] == side, said[chosen] == side)[at]

            found.append(verdict_score(f"{metric} {name}", of_side, rows, seed, system=system))
    return found


def constant_scores(rows: Sequence[Values], sides: tuple[str, str], seed: int) -> list[Score]:
    """Score the weighted F1 of always giving the same verdict, for each of ``sides``: a baseline for any judgement."""
    return [
        _weighted(rows, np.full(len(rows), value), seed, f"always “{name}”")
        for name, value in zip(sides, (1.0, 0.0), strict=True)
    ]


def probability_scores(rows: Sequence[Values], seed: int, *, subset: str = "") -> list[Score]:
    """Score the AUROC, Brier score and ECE (ten bins) of the probabilities.

    The AUROC is left out if one of the two classes is too rare to compute it.
    """
    truth, said = _column(rows, "truth"), _column(rows, "probability")

    def score(name: str, metric: Callable[[Floats, Floats], float], *, higher_is_better: bool = False) -> Score:
        def statistic(chosen: Rows) -> float:
            return metric(said[chosen], truth[chosen])

        return verdict_score(name, statistic, rows, seed, subset=subset, higher_is_better=higher_is_better)

    errors = [score("Brier", brier), score("ECE", expected_calibration_error)]
    try:
        return [score("AUROC", auroc, higher_is_better=True), *errors]
    except InvalidInput:
        return errors


def verdict_score(
    metric: str, statistic: Callable[[Rows], float], rows: Sequence[Values], seed: int, **row: Unpack[Row]
) -> Score:
    """Score ``statistic``, a function of the indexes of ``rows``; its interval resamples whole groups."""
    groups = [str(each["group"]) for each in rows]
    return statistic_score(metric, statistic, len(rows), seed=seed, groups=groups, **row)


def _weighted(rows: Sequence[Values], said: Floats, seed: int, system: str) -> Score:
    truth = _column(rows, "truth")

    def statistic(chosen: Rows) -> float:
        of_true, of_false = (_side(truth[chosen] == side, said[chosen] == side)[2] for side in (1.0, 0.0))
        ones = float((truth[chosen] == 1).mean())
        return ones * of_true + (1 - ones) * of_false

    return verdict_score("weighted F1", statistic, rows, seed, system=system)


def _side(truth: NDArray[np.bool_], said: NDArray[np.bool_]) -> tuple[float, float, float]:
    hits = int((truth & said).sum())
    precision, recall = share(hits, int(said.sum())), share(hits, int(truth.sum()))
    return precision, recall, f1_of(precision, recall)


def _column(rows: Sequence[Values], name: str) -> Floats:
    return np.array([each[name] for each in rows], dtype=np.float64)
