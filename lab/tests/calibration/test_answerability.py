"""The operating point of answerability."""

import numpy as np
import pytest

from golden_lab.calibration.answerability import best_gate

LOGITS = np.array([-3.0, -2.0, -1.0, 0.0, 1.0, 4.0])


def test_the_gate_stands_in_the_middle_of_what_parts_the_kinds() -> None:
    assert best_gate([(LOGITS, np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0]))], 0.5) == 2.5


def test_the_gate_falls_as_more_questions_are_answerable() -> None:
    mixed = np.array([0.0, 1.0, 0.0, 0.0, 1.0, 1.0])
    assert best_gate([(LOGITS, mixed)], 0.25) == 0.5
    assert best_gate([(LOGITS, mixed)], 0.9) == -2.5


def test_sets_count_alike_whatever_their_size() -> None:
    small = (LOGITS, np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]))
    large = (np.tile(LOGITS, 50), np.tile(small[1], 50))
    other = (LOGITS, np.array([0.0, 0.0, 0.0, 0.0, 0.0, 1.0]))
    assert best_gate([small, other], 0.6) == best_gate([large, other], 0.6)


def test_a_set_of_one_kind_sets_no_gate() -> None:
    with pytest.raises(ValueError, match="one kind is missing"):
        best_gate([(LOGITS, np.ones(6))], 0.5)
