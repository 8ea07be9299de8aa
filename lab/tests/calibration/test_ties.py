"""Where a verdict lies close: the band of distances in which a judge is wrong too often."""

import numpy as np
import pytest

from golden_lab.calibration.ties import LEAST_ACCURACY, balanced_weights, band_of

STEPS = np.array([0.0, 1.0, 2.0, 3.0])


def measured(*accuracies: float) -> tuple[float, list[dict[str, float]]]:
    """Measure 20 cases in each step, of which so many are right."""
    distances = np.repeat([0.5, 1.5, 2.5][: len(accuracies)], 20)
    right = np.concatenate([np.arange(20) < round(20 * share) for share in accuracies]).astype(float)
    return band_of(distances, right, np.ones(len(right)), STEPS)


@pytest.mark.parametrize(
    ("accuracies", "width"),
    [((0.5, 0.6, 0.9), 2.0), ((0.9, 0.5, 0.5), 0.0), ((0.5, 0.8, 0.5), 1.0), ((0.5, 0.5, 0.5), 3.0), ((0.5, 0.6), 2.0)],
)
def test_the_band_ends_with_the_first_step_that_is_right_often_enough(
    accuracies: tuple[float, ...], width: float
) -> None:
    found, rows = measured(*accuracies)
    assert found == width
    assert [row["accuracy"] for row in rows][: len(accuracies)] == pytest.approx(list(accuracies))
    assert all(0.5 <= share <= 0.6 or share >= LEAST_ACCURACY for share in accuracies)


def test_weights_make_three_of_four_cases_answerable() -> None:
    weights = balanced_weights(np.array([1.0, 0.0, 0.0, 0.0, 0.0]))
    assert weights[0] == pytest.approx(0.75)
    assert weights.sum() == pytest.approx(1.0)
