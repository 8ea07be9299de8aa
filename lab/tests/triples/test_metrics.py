"""Metrics of claims against cases counted by hand."""

import pytest

from golden_lab.triples.metrics import ClaimCounts, count_claims, metrics_of, pooled

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
    assert found.precision == 4 / 8
    assert found.recall == 4 / 10
    assert found.f1 == pytest.approx(2 * 0.5 * 0.4 / 0.9)
    assert found.parametric_rate == 4 / 8
    assert found.parametric_knowledge_precision == 2 / 4
    assert found.self_knowledge == 2 / 8
    assert found.user_utilisation == 2 / 8
    assert found.context_utilisation == 3 / 8
    assert found.unsupported == 2 / 8
    assert found.any_source == 6 / 8


def test_pooled_counts_weigh_claims_not_responses() -> None:
    large = count_claims([(True, False, False)] * 9, reference_claims=9, context_claims=0)
    small = count_claims([(False, False, False)], reference_claims=1, context_claims=0)
    assert metrics_of(pooled([large, small])).precision == 0.9


def test_no_claims_leave_nothing_to_share() -> None:
    found = metrics_of(count_claims([], reference_claims=4, context_claims=2))
    assert found.recall == 0.0
    for name in (
        "precision",
        "f1",
        "parametric_knowledge_precision",
        "parametric_rate",
        "self_knowledge",
        "unsupported",
    ):
        assert getattr(found, name) is None


def test_nothing_parametric_is_none_and_not_zero() -> None:
    found = metrics_of(count_claims([(True, True, False)], reference_claims=1, context_claims=1))
    assert found.parametric_knowledge_precision is None
    assert found.parametric_rate == 0.0
    assert found.self_knowledge == 0.0
