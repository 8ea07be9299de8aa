"""Metrics of claims against cases counted by hand."""

from dataclasses import asdict

import pytest

from contracts.errors import InvalidInput
from golden_lab.triples.metrics import (
    ClaimCounts,
    ClaimMetrics,
    ConditionPoint,
    count_claims,
    decompose,
    metrics_of,
    pooled,
)

# (reference, user, context)
SUPPORTS = [
    (True, False, False),
    (True, True, False),
    (True, False, True),
    (False, True, True),
    (False, False, True),
    (True, False, False),
    (False, False, False),
    (False, False, False),
]


def test_counts_by_hand() -> None:
    assert count_claims(SUPPORTS, reference_claims=10, context_claims=3) == ClaimCounts(
        generated=8,
        reference_claims=10,
        context_claims=3,
        by_reference=4,
        by_user=2,
        by_context=3,
        parametric=4,
        parametric_right=2,
        by_none=2,
    )


def test_metrics_by_hand() -> None:
    found = metrics_of(count_claims(SUPPORTS, reference_claims=10, context_claims=3))
    assert found == ClaimMetrics(
        precision=4 / 8, recall=4 / 10, f1=pytest.approx(2 * 0.5 * 0.4 / 0.9), parametric_rate=4 / 8,
        parametric_knowledge_precision=2 / 4, self_knowledge=2 / 8, user_utilisation=2 / 8, context_utilisation=3 / 8,
        unsupported=2 / 8, any_source=6 / 8,
    )  # fmt: skip
    large = count_claims([(True, False, False)] * 9, reference_claims=9, context_claims=0)
    small = count_claims([(False, False, False)], reference_claims=1, context_claims=0)
    assert metrics_of(pooled([large, small])).precision == 0.9
    none = metrics_of(count_claims([], reference_claims=4, context_claims=2))
    assert none == ClaimMetrics(**{**dict.fromkeys(asdict(none)), "recall": 0.0})


# SK, PKP and PR in % of five fine-tuned models without context, with relevant, irrelevant and noisy context.
# Source: TRIFEX (Oestreich et al.), Table 2.
PUBLISHED = {
    "w/o context": [(43.52, 76.69, 56.75), (28.06, 74.14, 37.85), (40.45, 77.50, 52.20), (28.08, 75.79, 37.05)],
    "w/ relevant": [(41.33, 73.24, 56.43), (26.61, 74.85, 35.56), (18.03, 43.58, 41.36), (27.98, 74.65, 37.48)],
    "PA-RAG": [(41.59, 76.34, 54.47), (24.26, 75.29, 32.22), (40.75, 78.60, 51.84), (27.10, 74.96, 36.16)],
    "RAFT": [(39.85, 72.92, 54.64), (23.43, 73.71, 31.79), (45.00, 79.62, 56.52), (28.48, 78.26, 36.39)],
    "w/ all": [(43.54, 75.75, 57.47), (28.21, 73.56, 38.35), (42.29, 76.75, 55.10), (27.58, 75.81, 36.39)],
}


def point(own: float, knowledge: float, rate: float) -> ConditionPoint:
    return ConditionPoint(self_knowledge=own, knowledge_precision=knowledge, parametric_rate=rate)


def test_the_published_table_gives_the_published_figures() -> None:
    """Section 4.2: about 75 % from PR, 19 % from PKP; variation 0.239, 0.058 and 0.209."""
    systems = {name: [point(*(value / 100 for value in cell)) for cell in cells] for name, cells in PUBLISHED.items()}
    found = decompose(systems)
    assert found.rate_share == pytest.approx(0.75, abs=0.005)
    assert found.precision_share == pytest.approx(0.19, abs=0.005)
    assert 0 < found.covariance_share < 0.1
    assert found.self_knowledge_variation == pytest.approx(0.239, abs=0.001)
    assert found.precision_variation == pytest.approx(0.058, abs=0.0005)
    assert found.rate_variation == pytest.approx(0.209, abs=0.0005)
    assert (found.systems, found.conditions) == (5, 4)


def test_what_cannot_be_decomposed_is_refused(subtests: pytest.Subtests) -> None:
    for systems, what in [
        ({}, "no system"),
        ({"a": [point(0.1, 0.5, 0.2)]}, "two at least"),
        ({"a": [point(0.0, 0.5, 0.0), point(0.1, 0.5, 0.2)]}, "no logarithm"),
        ({"a": [point(0.1, 0.5, 0.2), point(0.1, 0.5, 0.2)]}, "no variance"),
    ]:
        with subtests.test(what=what), pytest.raises(InvalidInput, match=what):
            decompose(systems)
