"""What every metric asks of its input before it computes: something there, of equal length, finite."""

from collections.abc import Sequence, Sized

import numpy as np
from numpy.typing import NDArray

from contracts.errors import InvalidInput

Floats = NDArray[np.float64]
Numbers = Sequence[float] | Sequence[bool] | Floats | NDArray[np.bool_]


def finite(name: str, values: Numbers) -> Floats:
    """Return ``values`` as an array, shape (n,).

    Raises:
        InvalidInput: there is none, one is NaN or infinite, or they are not one row; the text calls them ``name``.
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise InvalidInput(f"{name}: one row of numbers is needed, this has shape {array.shape}", field=name)
    if not array.size:
        raise InvalidInput(f"{name}: there is no value to measure", field=name)
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise InvalidInput(f"{name}: value {int(bad[0]) + 1} of {array.size} is {array[bad[0]]}, no number", field=name)
    return array


def same_length(first_name: str, first: Sized, second_name: str, second: Sized) -> None:
    """Check that two rows belong together.

    Raises:
        InvalidInput: they are empty or not of the same length.
    """
    if len(first) != len(second):
        raise InvalidInput(
            f"{first_name} and {second_name}: {len(first)} against {len(second)} values, each needs its partner",
            field=second_name,
        )
    if not len(first):
        raise InvalidInput(f"{first_name} and {second_name}: there is no value to measure", field=first_name)


def finite_pairs(first_name: str, first: Numbers, second_name: str, second: Numbers) -> tuple[Floats, Floats]:
    """Return both rows as arrays of the same shape (n,).

    Raises:
        InvalidInput: they are empty, not of the same length, or hold what is no number.
    """
    same_length(first_name, first, second_name, second)
    return finite(first_name, first), finite(second_name, second)


def f1_of(precision: float, recall: float) -> float:
    """Return the harmonic mean of ``precision`` and ``recall``; 0 where both are 0."""
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def share(part: float, whole: float) -> float:
    """Return ``part / whole``; 0 where there is no whole."""
    return part / whole if whole else 0.0
