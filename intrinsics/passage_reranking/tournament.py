"""The order of play: which passages are compared, and what order their comparisons make. Passages are their indexes."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

# A pair whose first member is shown first.
Pair = tuple[int, int]

# So many are compared each with each; from here on the field is halved first.
# Source: passage reranking of IBM's library of LLM intrinsics for RAG (arXiv 2504.11704, section 6.1).
FIRST_TOURNAMENT = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """A pair and the probability, in [0, 1], that its first passage is the better one; 0.5 where nobody can say."""

    pair: Pair
    first_is_better: float


def all_pairs(standing: Sequence[int]) -> tuple[Pair, ...]:
    """Return each pair of ``standing`` once; each passage is shown first in half of its pairs.

    Models prefer a place, the first or the second; over all pairs of a passage that cancels out, at no further call.
    Of an even number, those in the better half are shown first once more than those in the other.
    """
    number = len(standing)
    return tuple(
        (standing[low], standing[high]) if 2 * (high - low) <= number else (standing[high], standing[low])
        for low, high in combinations(range(number), 2)
    )


def round_pairs(standing: Sequence[int]) -> tuple[Pair, ...]:
    """Pair the first of ``standing`` with the last, and so on inwards; of an odd number the first has a bye.

    ``standing`` is in the original order, so that those which the search found best meet late. The better placed one
    is shown first in every other pair.
    """
    playing = standing[len(standing) % 2 :]
    pairs = [(playing[place], playing[-1 - place]) for place in range(len(playing) // 2)]
    return tuple(pair if place % 2 == 0 else pair[::-1] for place, pair in enumerate(pairs))


def losers(compared: Sequence[Compared]) -> tuple[int, ...]:
    """Return the one of each pair that falls out, in the original order; undecided, that is the one placed lower."""
    out = []
    for each in compared:
        first, second = each.pair
        if each.first_is_better == 0.5:
            out.append(max(each.pair))
        else:
            out.append(second if each.first_is_better > 0.5 else first)
    return tuple(sorted(out))


def by_wins(standing: Sequence[int], compared: Sequence[Compared]) -> tuple[int, ...]:
    """Order ``standing`` by wins, an undecided comparison being half a win for both.

    Equal ones are ordered by the sum of their probabilities, and then as the search had them.
    """
    wins = dict.fromkeys(standing, 0.0)
    sums = dict.fromkeys(standing, 0.0)
    for each in compared:
        shares = (each.first_is_better, 1.0 - each.first_is_better)
        for index, share in zip(each.pair, shares, strict=True):
            wins[index] += 0.5 if share == 0.5 else float(share > 0.5)
            sums[index] += share
    # Rounded, since sums of the same numbers in another order differ in the last digits.
    return tuple(sorted(standing, key=lambda index: (-wins[index], -round(sums[index], 9), index)))
