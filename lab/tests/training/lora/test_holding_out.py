"""What is held out is whole groups, the same ones by seed whatever the order, and never everything."""

import pytest

from contracts.errors import InvalidInput
from golden_lab.training.lora.formatting import hold_out

ITEMS = tuple(range(60))
GROUPS = tuple(f"document {number % 20}" for number in ITEMS)


def test_groups_are_never_torn_apart() -> None:
    learned, held = hold_out(ITEMS, GROUPS, share=0.1, seed=3)
    assert sorted(learned + held) == list(ITEMS)
    assert len(held) == 6
    assert not {GROUPS[each] for each in learned} & {GROUPS[each] for each in held}
    assert list(learned) == sorted(learned), "both parts keep their order"


def test_the_choice_is_the_seed_s_and_not_the_order_s() -> None:
    held = hold_out(ITEMS, GROUPS, share=0.1, seed=3)[1]
    backwards = hold_out(ITEMS[::-1], GROUPS[::-1], share=0.1, seed=3)[1]
    assert set(backwards) == set(held)
    assert {hold_out(ITEMS, GROUPS, share=0.1, seed=seed)[1] for seed in range(5)} != {held}


def test_a_single_group_cannot_be_divided() -> None:
    with pytest.raises(InvalidInput, match="all examples are of one group"):
        hold_out((1, 2), ("a", "a"), share=0.5, seed=0)
