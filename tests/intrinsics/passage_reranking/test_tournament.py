"""Who is compared with whom, and what order that makes."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from intrinsics.passage_reranking.tournament import Compared, all_pairs, by_wins, losers, round_pairs


def test_each_pair_stands_once_and_each_passage_first_in_half_of_its_pairs() -> None:
    pairs = all_pairs((3, 5, 6, 8, 9, 11, 12, 14, 20))
    assert len(pairs) == len({frozenset(pair) for pair in pairs}) == 36
    assert set(Counter(first for first, _ in pairs).values()) == {4}
    assert all_pairs((7,)) == all_pairs(()) == ()
    assert all_pairs((1, 2)) == ((1, 2),)
    assert Counter(first for first, _ in all_pairs((3, 5, 6, 8))) == {3: 2, 5: 2, 6: 1, 8: 1}


def test_a_round_pairs_the_first_with_the_last_and_gives_an_odd_one_a_bye() -> None:
    assert round_pairs((0, 1, 4, 6, 7, 9)) == ((0, 9), (7, 1), (4, 6))
    assert round_pairs((0, 1, 4, 6, 7)) == ((1, 7), (6, 4))


@given(st.integers(0, 60))
def test_nobody_plays_twice_in_a_round(number: int) -> None:
    pairs = round_pairs(tuple(range(number)))
    playing = [index for pair in pairs for index in pair]
    assert sorted(playing) == list(range(number))[number % 2 :]


def test_those_who_fall_out_are_in_the_original_order_and_draws_go_to_the_better_placed() -> None:
    compared = [
        Compared(pair=(0, 9), first_is_better=0.2),
        Compared(pair=(7, 1), first_is_better=0.9),
        Compared(pair=(6, 4), first_is_better=0.5),
    ]
    assert losers(compared) == (0, 1, 6)


@pytest.mark.parametrize(
    ("shares", "order"),
    [
        # Every passage wins once: the sums of 1.2, 1.0 and 0.8 decide.
        ({(0, 1): 0.6, (2, 0): 0.6, (1, 2): 0.8}, (1, 0, 2)),
        # One win each, and equal sums: as they stood.
        ({(0, 1): 0.8, (2, 0): 0.8, (1, 2): 0.8}, (0, 1, 2)),
        # A win and two draws.
        ({(0, 1): 0.5, (2, 0): 0.5, (1, 2): 0.2}, (2, 0, 1)),
        # Two narrow wins before one that is clear.
        ({(0, 1): 0.49, (2, 0): 0.01, (1, 2): 0.51}, (1, 0, 2)),
    ],
)
def test_wins_count_then_the_sum_of_the_probabilities_then_the_search(
    shares: dict[tuple[int, int], float], order: tuple[int, ...]
) -> None:
    compared = [Compared(pair=pair, first_is_better=share) for pair, share in shares.items()]
    assert by_wins((0, 1, 2), compared) == order
