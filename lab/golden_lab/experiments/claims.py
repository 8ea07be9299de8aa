"""Claims of all answers, put together by arm and condition: shares pooled over cases, and their paired differences."""

from collections.abc import Mapping, Sequence
from itertools import product

import numpy as np
from numpy.typing import NDArray

from evaluation.intervals import PairedDifference, bootstrap_mean, draw_counts, from_resamples, paired_bootstrap
from golden_lab.experiments.analysing import FEWEST_CASES, ArmFigure, Compare
from golden_lab.experiments.form import METRICS
from golden_lab.metrics.text import rouge_l, rouge_n
from golden_lab.triples.metrics import ClaimCounts, counts_matrix, counts_of, metrics_of
from golden_lab.triples.pipeline import AttributedResponse
from golden_lab.triples.report import CellReport

ROUGE = ("rouge_1", "rouge_l")
_CLAIM_METRICS = METRICS["trifex"]
# Each resample pools all claims anew, which takes longer than a mean.
_RESAMPLES = 2_000

# By arm and condition: the responses by the case's id.
ClaimTable = Mapping[tuple[str, str], Mapping[str, AttributedResponse]]


def claim_table(responses: Sequence[AttributedResponse]) -> ClaimTable:
    """Return the responses by arm and condition."""
    table: dict[tuple[str, str], dict[str, AttributedResponse]] = {}
    for each in responses:
        table.setdefault((each.example.system, each.example.condition), {})[each.example.id] = each
    return table


def claim_figures(
    cells: Sequence[CellReport], table: ClaimTable, arms: Sequence[str], conditions: Sequence[str], *, seed: int
) -> tuple[ArmFigure, ...]:
    """Return TRIFEX's metrics and ROUGE (F1 against the reference, a mean over cases) by arm and condition."""
    by_place = {(cell.system, cell.condition): cell for cell in cells}
    found = []
    for arm, condition, metric in product(arms, conditions, (*_CLAIM_METRICS, *ROUGE)):
        cell, responses = by_place.get((arm, condition)), table.get((arm, condition), {})
        if metric in ROUGE:
            values = [_rouge(each)[metric] for each in responses.values()]
            interval = bootstrap_mean(values, seed=seed) if values else None
        else:
            interval = cell.metrics[metric] if cell is not None else None
        found.append(ArmFigure.of(interval, len(responses), arm=arm, condition=condition, metric=metric))
    return tuple(found)


def claim_differences(table: ClaimTable, *, seed: int) -> Compare:
    """Return what compares two arms on the cases that both answered; shares are pooled over the drawn cases."""

    def compare(first: str, second: str, condition: str) -> Mapping[str, tuple[PairedDifference | None, int]]:
        ours, theirs = table.get((first, condition), {}), table.get((second, condition), {})
        common = [case for case in ours if case in theirs]
        if len(common) < FEWEST_CASES:
            return {metric: (None, len(common)) for metric in (*_CLAIM_METRICS, *ROUGE)}
        pooled = pooled_differences(
            [ours[case].counts for case in common], [theirs[case].counts for case in common], seed=seed
        )
        found: dict[str, tuple[PairedDifference | None, int]] = {
            metric: (pooled[metric], len(common)) for metric in _CLAIM_METRICS
        }
        scores = [(_rouge(ours[case]), _rouge(theirs[case])) for case in common]
        for metric in ROUGE:
            one, other = [each[metric] for each, _ in scores], [each[metric] for _, each in scores]
            found[metric] = (paired_bootstrap(one, other, seed=seed), len(common))
        return found

    return compare


def pooled_differences(
    first: Sequence[ClaimCounts], second: Sequence[ClaimCounts], *, seed: int, resamples: int = _RESAMPLES
) -> Mapping[str, PairedDifference | None]:
    """Return the difference of each metric, first minus second, by drawing cases with replacement.

    Both are of the same cases, in order. None where a side has nothing to tell a metric from, or hardly ever has in
    the resamples.
    """
    ours, theirs = counts_matrix(first), counts_matrix(second)
    whole = _metrics(ours.sum(axis=0)) - _metrics(theirs.sum(axis=0))
    drawn = np.concatenate(
        [
            np.array([_metrics(one) - _metrics(other) for one, other in zip(times @ ours, times @ theirs, strict=True)])
            for times in draw_counts(len(ours), seed, resamples)
        ]
    )
    found: dict[str, PairedDifference | None] = {}
    for at, metric in enumerate(_CLAIM_METRICS):
        told = drawn[np.isfinite(drawn[:, at]), at]
        tells = np.isfinite(whole[at]) and 2 * len(told) >= resamples
        found[metric] = from_resamples(float(whole[at]), told, len(ours)) if tells else None
    return found


def _metrics(sums: NDArray[np.float64] | NDArray[np.int64]) -> NDArray[np.float64]:
    found = metrics_of(counts_of(np.asarray(sums, dtype=np.int64)))
    values = (getattr(found, name) for name in _CLAIM_METRICS)
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _rouge(response: AttributedResponse) -> Mapping[str, float]:
    said, gold = response.example.response, response.example.reference
    return {"rouge_1": rouge_n(said, gold, 1).f1, "rouge_l": rouge_l(said, gold).f1}
