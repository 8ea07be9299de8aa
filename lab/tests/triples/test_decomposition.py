"""The decomposition of self-knowledge, by hand and against the published table."""

import math

import pytest

from contracts.errors import InvalidInput
from golden_lab.triples.metrics import ConditionPoint, decompose

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


def test_shares_sum_to_one() -> None:
    found = decompose({"a": [point(0.1, 0.5, 0.2), point(0.3, 0.6, 0.5), point(0.02, 0.4, 0.05)]})
    assert found.rate_share + found.precision_share + found.covariance_share == pytest.approx(1.0)


def test_only_the_rate_moves() -> None:
    found = decompose({"a": [point(0.1, 0.5, 0.2), point(0.2, 0.5, 0.4)]})
    assert found.rate_share == pytest.approx(1.0)
    assert found.precision_share == 0.0
    assert found.precision_variation == 0.0
    # Rates 0.2 and 0.4: population deviation 0.1 over mean 0.3.
    assert found.rate_variation == pytest.approx(1 / 3)


def test_differences_between_systems_do_not_count() -> None:
    one = [point(0.1, 0.5, 0.2), point(0.2, 0.5, 0.4)]
    other = [point(0.02, 0.1, 0.2), point(0.04, 0.1, 0.4)]
    assert decompose({"a": one, "b": other}).rate_share == pytest.approx(1.0)


def test_opposite_movements_make_a_negative_covariance() -> None:
    found = decompose({"a": [point(0.08, 0.4, 0.2), point(0.06, 0.1, 0.6)]})
    whole = math.log(0.08 / 0.06) ** 2
    assert found.rate_share == pytest.approx(math.log(3) ** 2 / whole)
    assert found.precision_share == pytest.approx(math.log(4) ** 2 / whole)
    assert found.covariance_share == pytest.approx(-2 * math.log(3) * math.log(4) / whole)


@pytest.mark.parametrize(
    ("systems", "what"),
    [
        ({}, "no system"),
        ({"a": [point(0.1, 0.5, 0.2)]}, "two at least"),
        ({"a": [point(0.0, 0.5, 0.0), point(0.1, 0.5, 0.2)]}, "no logarithm"),
        ({"a": [point(0.1, 0.5, 0.2), point(0.1, 0.5, 0.2)]}, "no variance"),
    ],
)
def test_what_cannot_be_decomposed_is_refused(systems: dict[str, list[ConditionPoint]], what: str) -> None:
    with pytest.raises(InvalidInput, match=what):
        decompose(systems)
