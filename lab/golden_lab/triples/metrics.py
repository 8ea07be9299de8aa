"""Metrics of claims with sources, and the decomposition of self-knowledge across conditions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from contracts.errors import InvalidInput

# Whether the reference, the user's query and the context each support a claim.
Region = tuple[bool, bool, bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimCounts:
    """The number of claims in one or more responses, by the sources that support them.

    ``generated`` claims are in the response, ``reference_claims`` in the reference and ``context_claims`` in the
    context. ``by_reference``, ``by_user`` and ``by_context`` count the generated claims that each source supports; a
    claim with several sources is counted for each. ``parametric`` claims are supported by neither user nor context,
    ``parametric_right`` are those of them that the reference supports, and ``by_none`` have no support.
    """

    generated: int = 0
    reference_claims: int = 0
    context_claims: int = 0
    by_reference: int = 0
    by_user: int = 0
    by_context: int = 0
    parametric: int = 0
    parametric_right: int = 0
    by_none: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimMetrics:
    """Shares in [0, 1] (``recall`` may exceed 1, see ``metrics_of``); None if the denominator is 0."""

    precision: float | None
    recall: float | None
    f1: float | None
    parametric_knowledge_precision: float | None
    parametric_rate: float | None
    self_knowledge: float | None
    user_utilisation: float | None
    context_utilisation: float | None
    unsupported: float | None
    any_source: float | None


METRIC_TITLES: Mapping[str, str] = {
    "f1": "F1 (reference)",
    "precision": "precision (reference)",
    "recall": "recall (reference)",
    "self_knowledge": "self-knowledge SK",
    "parametric_knowledge_precision": "parametric knowledge precision PKP",
    "parametric_rate": "parametric rate PR",
    "context_utilisation": "context utilisation",
    "user_utilisation": "user utilisation",
    "any_source": "supported by any source",
    "unsupported": "supported by none",
}
_COUNT_NAMES = tuple(field.name for field in fields(ClaimCounts))


def count_claims(supports: Sequence[Region], *, reference_claims: int, context_claims: int) -> ClaimCounts:
    """Count the claims of one response; each of ``supports`` is a tuple (reference, user, context)."""
    own = [(reference, not (user or context)) for reference, user, context in supports]
    return ClaimCounts(
        generated=len(supports),
        reference_claims=reference_claims,
        context_claims=context_claims,
        by_reference=sum(reference for reference, _, _ in supports),
        by_user=sum(user for _, user, _ in supports),
        by_context=sum(context for _, _, context in supports),
        parametric=sum(parametric for _, parametric in own),
        parametric_right=sum(parametric and right for right, parametric in own),
        by_none=sum(parametric and not right for right, parametric in own),
    )


def pooled(counts: Sequence[ClaimCounts]) -> ClaimCounts:
    """Add up counts: metrics of the sum weight all claims equally (micro average), as in the table of the paper."""
    return counts_of(counts_matrix(counts).sum(axis=0))


def counts_matrix(counts: Sequence[ClaimCounts]) -> NDArray[np.int64]:
    """Return counts as a matrix with one row per response, in the order of the fields of ``ClaimCounts``."""
    rows = [[getattr(each, name) for name in _COUNT_NAMES] for each in counts]
    return np.array(rows, dtype=np.int64).reshape(-1, len(_COUNT_NAMES))


def counts_of(row: NDArray[np.int64]) -> ClaimCounts:
    """Return one row of ``counts_matrix``, or a sum of rows, as counts."""
    return ClaimCounts(**{name: int(value) for name, value in zip(_COUNT_NAMES, row, strict=True)})


def metrics_of(counts: ClaimCounts) -> ClaimMetrics:
    """Return the metrics of counts.

    With T_G the generated claims and S_R, S_C, S_U those supported by reference, context and user: precision is
    |S_R|/|T_G|, recall |S_R|/|T_R|, PR |T_G - (S_U + S_C)|/|T_G|, PKP |S_R - (S_C + S_U)|/|T_G - (S_C + S_U)| and SK
    |S_R - (S_C + S_U)|/|T_G|. Recall counts generated claims in its numerator, so it exceeds 1 if several of them
    repeat one reference claim; this is the paper's definition.

    Without generated claims, all metrics but recall are None, and recall is 0 if the reference has claims. Without
    reference claims, recall and F1 are None. PKP is None if no claim is parametric (PR and SK are then 0). Context
    utilisation is None if the context has no claims.
    Source: TRIFEX, section 3.3 (SK is PKP times PR); SK is originally from RAGChecker (Ru et al. 2024).
    """
    own = _share(counts.parametric_right, counts.generated)
    rate = _share(counts.parametric, counts.generated)
    knowledge = _share(counts.parametric_right, counts.parametric)
    precision = _share(counts.by_reference, counts.generated)
    recall = _share(counts.by_reference, counts.reference_claims)
    return ClaimMetrics(
        precision=precision,
        recall=recall,
        f1=_harmonic(precision, recall),
        parametric_knowledge_precision=knowledge,
        parametric_rate=rate,
        self_knowledge=own,
        user_utilisation=_share(counts.by_user, counts.generated),
        context_utilisation=_share(counts.by_context, counts.generated) if counts.context_claims else None,
        unsupported=_share(counts.by_none, counts.generated),
        any_source=_share(counts.generated - counts.by_none, counts.generated),
    )


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


def _harmonic(first: float | None, second: float | None) -> float | None:
    if first is None or second is None:
        return None
    return 2 * first * second / (first + second) if first + second else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ConditionPoint:
    """SK, PKP and PR of one system under one retrieval condition, as shares in (0, 1]."""

    self_knowledge: float
    knowledge_precision: float
    parametric_rate: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Decomposition:
    """Shares of the variance of log SK that sum to 1, and the coefficients of variation (std / mean).

    ``rate_share`` belongs to log PR, ``precision_share`` to log PKP, ``covariance_share`` to twice their covariance; it
    is negative if one falls as the other rises. ``systems`` and ``conditions`` give the number of each.
    """

    rate_share: float
    precision_share: float
    covariance_share: float
    self_knowledge_variation: float
    precision_variation: float
    rate_variation: float
    systems: int
    conditions: int


def decompose(systems: Mapping[str, Sequence[ConditionPoint]]) -> Decomposition:
    """Decompose the variance of log SK across the conditions of each system.

    Logarithms are centred on the mean of each system and pooled, so that differences between systems do not count.
    Coefficients of variation use the population standard deviation of each system and are averaged. With these choices,
    the five fine-tuned models in the paper's table reproduce its published figures.
    Source: TRIFEX, section 4.2 and Table 2.

    Raises:
        InvalidInput: there are no systems, one has fewer than two conditions, a value is not above 0, or SK does not
            vary at all.
    """
    if not systems:
        raise InvalidInput("there are no systems to decompose")
    tables = [_table(name, points) for name, points in systems.items()]
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


def _table(name: str, points: Sequence[ConditionPoint]) -> NDArray[np.float64]:
    if len(points) < 2:
        raise InvalidInput(
            f"{name or 'the system'} was measured under {len(points)} condition: at least two are needed"
        )
    for each in points:
        if min(each.self_knowledge, each.knowledge_precision, each.parametric_rate) <= 0:
            raise InvalidInput(f"{name or 'the system'}: a share of 0 has no logarithm; leave this condition out")
    return np.array([[each.self_knowledge, each.knowledge_precision, each.parametric_rate] for each in points])
