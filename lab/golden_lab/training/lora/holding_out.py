"""Which examples are held out of training, to stop early by and to choose the best weights by."""

import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

from contracts.errors import InvalidInput

Item = TypeVar("Item")


def hold_out(
    items: Sequence[Item], groups: Sequence[str], *, share: float, seed: int
) -> tuple[tuple[Item, ...], tuple[Item, ...]]:
    """Return the items to train on and those to validate on: of ``share`` of the groups, each whole, at least one.

    ``groups`` names the group of each item. The same groups, share and seed give the same choice, whatever the order
    of the items is; both parts keep theirs.

    Raises:
        InvalidInput: there is only one group, so that none could be held out.
    """
    if not share:
        return tuple(items), ()
    held = held_out_groups(dict.fromkeys(groups), share=share, seed=seed)
    pairs = list(zip(items, groups, strict=True))
    return tuple(item for item, group in pairs if group not in held), tuple(
        item for item, group in pairs if group in held
    )


def held_out_groups(groups: Mapping[str, object], *, share: float, seed: int) -> frozenset[str]:
    """Return the groups that are held out: ``share`` of them, at least one and not all.

    Raises:
        InvalidInput: there is only one group.
    """
    names = sorted(groups)
    if len(names) < 2:
        raise InvalidInput(
            "validation_share: all examples are of one group (one document, one conversation), so none can be held "
            "out: add examples of others, or set validation_share = 0 and patience = 0",
            field="data",
        )
    count = min(max(round(share * len(names)), 1), len(names) - 1)
    return frozenset(random.Random(seed).sample(names, count))
