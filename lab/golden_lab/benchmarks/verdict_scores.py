"""Scores of verdicts with two sides: by class where the engine decides, by probability where it says how sure it is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from contracts.errors import InvalidInput
from evaluation.intervals import Floats, f1_of, share
from evaluation.results import Figure, Score
from evaluation.scores import statistic_score
from golden_lab.metrics.classification import auroc, brier, expected_calibration_error, reliability_bins

Rows = NDArray[np.intp]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """One verdict: the ``truth``, what was ``said``, and the ``probability`` in [0, 1] that it is true.

    Verdicts of one ``group`` hang together (the passages of a question): an interval draws groups, not verdicts.
    """

    truth: bool
    said: bool
    probability: float
    group: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sides:
    """How people call the two sides: ``true`` ("answerable") and ``false`` ("unanswerable")."""

    true: str
    false: str


def class_scores(verdicts: Sequence[Verdict], sides: Sides, seed: int, *, system: str = "") -> tuple[Score, ...]:
    """Score precision, recall and F1 of each side and the F1 weighted by their cases, with intervals over groups.

    Raises:
        InvalidInput: there are no verdicts.
    """
    truth, said = _column(verdicts, "truth"), _column(verdicts, "said")

    def score(metric: str, statistic: Callable[[Rows], float]) -> Score:
        return grouped_score(metric, statistic, verdicts, seed, system=system)

    found = [_weighted(verdicts, seed, system)]
    for name, side in ((sides.true, 1.0), (sides.false, 0.0)):
        for at, metric in enumerate(("precision", "recall", "F1")):

            def of_side(rows: Rows, side: float = side, at: int = at) -> float:
                return _side(truth[rows] == side, said[rows] == side)[at]

            found.append(score(f"{metric} {name}", of_side))
    return tuple(found)


def constant_scores(verdicts: Sequence[Verdict], sides: Sides, seed: int) -> tuple[Score, ...]:
    """Score the weighted F1 of saying always the same, for each of ``sides``: what any judgement has to beat.

    Raises:
        InvalidInput: there are no verdicts.
    """
    return tuple(
        _weighted([replace(each, said=said) for each in verdicts], seed, f"always “{name}”")
        for name, said in ((sides.true, True), (sides.false, False))
    )


def probability_scores(verdicts: Sequence[Verdict], seed: int, *, subset: str = "") -> tuple[Score, ...]:
    """Score AUROC, Brier and ECE (ten bins) of the probabilities, with intervals over groups.

    Where hardly any verdict is of one truth the AUROC cannot be told, and it is left out.

    Raises:
        InvalidInput: there are no verdicts.
    """
    truth, said = _column(verdicts, "truth"), _column(verdicts, "probability")

    def score(name: str, metric: Callable[[Floats, Floats], float], *, higher_is_better: bool) -> Score:
        def statistic(rows: Rows) -> float:
            return metric(said[rows], truth[rows])

        return grouped_score(name, statistic, verdicts, seed, subset=subset, higher_is_better=higher_is_better)

    errors = (
        score("Brier", brier, higher_is_better=False),
        score("ECE", expected_calibration_error, higher_is_better=False),
    )
    try:
        return (score("AUROC", auroc, higher_is_better=True), *errors)
    except InvalidInput:
        return errors


def reliability(verdicts: Sequence[Verdict], title: str) -> Figure:
    """Plot how often the verdicts came true at each probability.

    Raises:
        InvalidInput: there are no verdicts.
    """
    from golden_lab.plots import reliability_plot

    bins = reliability_bins(_column(verdicts, "probability"), _column(verdicts, "truth"))
    return reliability_plot(bins, title)


def grouped_score(
    metric: str,
    statistic: Callable[[Rows], float],
    verdicts: Sequence[Verdict],
    seed: int,
    *,
    system: str = "",
    subset: str = "",
    higher_is_better: bool = True,
) -> Score:
    """Score ``statistic``, a function of the indexes of ``verdicts``; its interval draws whole groups.

    Raises:
        InvalidInput: there are no verdicts, or the statistic cannot be told from all of them.
    """
    return statistic_score(
        metric,
        statistic,
        len(verdicts),
        seed=seed,
        system=system,
        subset=subset,
        groups=[each.group for each in verdicts],
        higher_is_better=higher_is_better,
    )


def weighted_f1(truth: Floats, said: Floats) -> float:
    """Return the F1 of both sides (1 and 0), weighted by how many cases are truly of each, in [0, 1]."""
    of_true, of_false = _side(truth == 1, said == 1)[2], _side(truth == 0, said == 0)[2]
    ones = float((truth == 1).mean())
    return ones * of_true + (1 - ones) * of_false


def verdict_values(verdict: Verdict) -> Mapping[str, bool | float | str]:
    """Return ``verdict`` as plain values that an outcome can keep."""
    return {
        "truth": verdict.truth,
        "said": verdict.said,
        "probability": verdict.probability,
        "group": verdict.group,
    }


def stored_verdict(values: Mapping[str, bool | float | str]) -> Verdict:
    """Read back what ``verdict_values`` wrote; further values are passed over."""
    return Verdict(
        truth=bool(values["truth"]),
        said=bool(values["said"]),
        probability=float(values["probability"]),
        group=str(values["group"]),
    )


def _weighted(verdicts: Sequence[Verdict], seed: int, system: str) -> Score:
    truth, said = _column(verdicts, "truth"), _column(verdicts, "said")

    def statistic(rows: Rows) -> float:
        return weighted_f1(truth[rows], said[rows])

    return grouped_score("weighted F1", statistic, verdicts, seed, system=system)


def _side(truth: NDArray[np.bool_], said: NDArray[np.bool_]) -> tuple[float, float, float]:
    hits = int((truth & said).sum())
    precision, recall = share(hits, int(said.sum())), share(hits, int(truth.sum()))
    return precision, recall, f1_of(precision, recall)


def _column(verdicts: Sequence[Verdict], name: str) -> Floats:
    return np.array([getattr(each, name) for each in verdicts], dtype=np.float64)
