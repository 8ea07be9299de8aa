"""Metrics of classes and probabilities: correctness, separation of true and false cases, and calibration."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from contracts.errors import InvalidInput
from golden_lab.intervals import Floats, Numbers, f1_of, finite_pairs, same_length, share


@dataclass(frozen=True, slots=True, kw_only=True)
class ReliabilityBin:
    """The ``count`` cases with a probability in [``low``, ``high``); the last bin includes its end.

    ``mean_probability`` is the mean predicted probability, ``observed`` the share of true cases; both are in [0, 1].
    """

    low: float
    high: float
    mean_probability: float
    observed: float
    count: int


def auroc(probabilities: Numbers, truth: Numbers) -> float:
    """Return the area under the ROC curve: how often a true case has a higher value than a false one (ties: half).

    ``probabilities`` may be any scores; ``truth`` contains True or False (1 or 0).
    Source: Hanley and McNeil 1982; computed with the Mann-Whitney rank sum.

    Raises:
        InvalidInput: no cases, unequal lengths, a value that is not a number, or all cases of one class.
    """
    said, true = _binary(probabilities, truth)
    positives = int(true.sum())
    negatives = len(true) - positives
    if not positives or not negatives:
        raise InvalidInput(f"an AUROC needs true and false cases: {positives} true, {negatives} false", field="truth")
    _, place, counts = np.unique(said, return_inverse=True, return_counts=True)
    mean_ranks = np.cumsum(counts) - (counts - 1) / 2
    gained = mean_ranks[place][true > 0].sum() - positives * (positives + 1) / 2
    return float(gained / (positives * negatives))


def brier(probabilities: Numbers, truth: Numbers) -> float:
    """Return the mean squared difference between probability and truth, in [0, 1]; lower is better.

    Source: Brier 1950, Verification of forecasts expressed in terms of probability (half of his two-class sum).

    Raises:
        InvalidInput: no cases, unequal lengths, or a value outside [0, 1].
    """
    said, true = _probabilities(probabilities, truth)
    return float(((said - true) ** 2).mean())


def reliability_bins(probabilities: Numbers, truth: Numbers, bins: int = 10) -> tuple[ReliabilityBin, ...]:
    """Sort the cases into ``bins`` of equal width in [0, 1]; empty bins are left out.

    Raises:
        InvalidInput: no cases, unequal lengths, or a value outside [0, 1].
    """
    said, true = _probabilities(probabilities, truth)
    place = np.minimum((said * bins).astype(int), bins - 1)
    return tuple(
        ReliabilityBin(
            low=at / bins,
            high=(at + 1) / bins,
            mean_probability=float(said[place == at].mean()),
            observed=float(true[place == at].mean()),
            count=int((place == at).sum()),
        )
        for at in np.unique(place).tolist()
    )


def expected_calibration_error(probabilities: Numbers, truth: Numbers, bins: int = 10) -> float:
    """Return the mean gap between predicted and observed rates, weighted by bin size, in [0, 1]; lower is better.

    The probabilities are those of "true", not those of the predicted class.
    Source: Naeini et al. 2015, Obtaining well calibrated probabilities using Bayesian binning.

    Raises:
        InvalidInput: for the same reasons as ``reliability_bins``.
    """
    found = reliability_bins(probabilities, truth, bins)
    return sum(each.count * abs(each.observed - each.mean_probability) for each in found) / len(truth)


def _binary(said: Numbers, truth: Numbers) -> tuple[Floats, Floats]:
    values, true = finite_pairs("probabilities", said, "truth", truth)
    if not np.isin(true, (0.0, 1.0)).all():
        raise InvalidInput("truth: each value must be True or False (1 or 0)", field="truth")
    return values, true


def _probabilities(said: Numbers, truth: Numbers) -> tuple[Floats, Floats]:
    values, true = _binary(said, truth)
    if values.min() < 0 or values.max() > 1:
        raise InvalidInput("probabilities: all must be in [0, 1]", field="probabilities")
    return values, true


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassScores:
    """The scores of one class, each in [0, 1] (0 for 0/0); ``support`` is the number of cases that belong to it."""

    label: str
    precision: float
    recall: float
    f1: float
    support: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassificationScores:
    """The scores of all classes, in [0, 1]; ``macro_f1`` weights classes equally, ``weighted_f1`` by support."""

    classes: tuple[ClassScores, ...]
    accuracy: float
    macro_f1: float
    weighted_f1: float


def classification_scores(
    truth: Sequence[str], predicted: Sequence[str], labels: Sequence[str] | None = None
) -> ClassificationScores:
    """Score ``predicted`` against ``truth``, one label per case.

    ``labels`` are the classes to score, in order; by default, all classes that occur, in alphabetical order.
    Accuracy is computed over all cases. 0/0 counts as 0.

    Raises:
        InvalidInput: there are no cases, or not one prediction per case.
    """
    same_length("truth", truth, "predicted", predicted)
    support, said = Counter(truth), Counter(predicted)
    hits = Counter(right for right, guess in zip(truth, predicted, strict=True) if right == guess)
    classes = []
    for name in sorted({*truth, *predicted}) if labels is None else labels:
        precision, recall = share(hits[name], said[name]), share(hits[name], support[name])
        f1 = f1_of(precision, recall)
        classes.append(ClassScores(label=name, precision=precision, recall=recall, f1=f1, support=support[name]))
    return ClassificationScores(
        classes=tuple(classes),
        accuracy=hits.total() / len(truth),
        macro_f1=sum(each.f1 for each in classes) / len(classes),
        weighted_f1=share(sum(each.f1 * each.support for each in classes), sum(each.support for each in classes)),
    )
