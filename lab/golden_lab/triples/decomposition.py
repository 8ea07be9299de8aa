"""What moves self-knowledge over retrieval conditions: the rate of parametric claims, or how right they are."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from contracts.errors import InvalidInput
from golden_lab.triples.metrics import check_identity


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionPoint:
    """SK, PKP and PR of one system under one retrieval condition, all above 0, in one unit: shares in (0, 1]."""

    self_knowledge: float
    knowledge_precision: float
    parametric_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition:
    """Shares of the variance of log SK that sum to 1, and the coefficients of variation (std / mean).

    ``rate_share`` belongs to log PR, ``precision_share`` to log PKP, ``covariance_share`` to twice their covariance; it
    is below 0 where one falls as the other rises. ``systems`` and ``conditions`` say over how many cells.
    """

    rate_share: float
    precision_share: float
    covariance_share: float
    self_knowledge_variation: float
    precision_variation: float
    rate_variation: float
    systems: int
    conditions: int


def decompose(systems: Mapping[str, Sequence[ConditionPoint]], *, tolerance: float = 1e-6) -> Decomposition:
    """Decompose the variance of log SK over the conditions of each system.

    Logarithms are centred on each system's own mean and pooled, so that differences between systems do not count;
    coefficients of variation are taken of each system with the population's standard deviation and averaged. These are
    the choices under which the rows of the five fine-tuned models in the paper's table give its figures.
    Source: TRIFEX, section 4.2 and Table 2.

    Raises:
        InvalidInput: a system has fewer than two conditions, a value is not above 0, SK is not PKP × PR within
            ``tolerance``, or SK does not vary at all.
    """
    if not systems:
        raise InvalidInput("there is no system to decompose")
    tables = [_table(name, points, tolerance) for name, points in systems.items()]
    centred = np.concatenate([np.log(table) - np.log(table).mean(axis=0) for table in tables])
    whole, precision, rate = (centred**2).mean(axis=0)
    if whole <= 0:
        raise InvalidInput("self-knowledge is the same under every condition: there is no variance to decompose")
    variation = np.mean([table.std(axis=0) / table.mean(axis=0) for table in tables], axis=0)
    return Decomposition(
        rate_share=float(rate / whole),
        precision_share=float(precision / whole),
        covariance_share=float(2 * (centred[:, 1] * centred[:, 2]).mean() / whole),
        self_knowledge_variation=float(variation[0]),
        precision_variation=float(variation[1]),
        rate_variation=float(variation[2]),
        systems=len(tables),
        conditions=max(len(table) for table in tables),
    )


def _table(name: str, points: Sequence[ConditionPoint], tolerance: float) -> NDArray[np.float64]:
    if len(points) < 2:
        raise InvalidInput(
            f"{name or 'the system'} was measured under {len(points)} condition: two at least are needed"
        )
    for each in points:
        if min(each.self_knowledge, each.knowledge_precision, each.parametric_rate) <= 0:
            raise InvalidInput(f"{name or 'the system'}: a share of 0 has no logarithm; leave this condition out")
        check_identity(each.self_knowledge, each.knowledge_precision, each.parametric_rate, tolerance=tolerance)
    return np.array([[each.self_knowledge, each.knowledge_precision, each.parametric_rate] for each in points])
