"""Timing calls side by side, in rounds, on a machine whose speed changes under the measurement."""

import hashlib
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from contracts.errors import InvalidInput

_Argument = TypeVar("_Argument")
Rounds = Sequence[Sequence[float]]

# About a millisecond of work for the interpreter on a machine of today.
_YARDSTICK_STEPS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Timing:
    """How long one call took, in milliseconds, over ``calls`` calls in ``rounds`` rounds.

    ``spread`` is the distance between the slowest and the fastest round's median, as a share of ``median_ms``: what the
    machine alone makes of the same work.
    """

    calls: int
    rounds: int
    median_ms: float
    p95_ms: float
    spread: float


def summarise(rounds: Rounds) -> Timing:
    """Return the median, the 95th percentile (both over all calls) and the spread of ``rounds`` of milliseconds.

    Raises:
        InvalidInput: there is no round, or one without a call.
    """
    if not rounds or not all(rounds):
        raise InvalidInput("a timing needs at least one round, and a call in each", field="rounds")
    flat = np.concatenate([np.asarray(each, dtype=np.float64) for each in rounds])
    medians = [float(np.median(each)) for each in rounds]
    median = float(np.median(flat))
    return Timing(
        calls=len(flat),
        rounds=len(rounds),
        median_ms=median,
        p95_ms=float(np.percentile(flat, 95)),
        spread=(max(medians) - min(medians)) / median if median else 0.0,
    )


async def time_side_by_side(
    calls: Mapping[str, Callable[[_Argument], Awaitable[object]]],
    arguments: Sequence[_Argument],
    *,
    rounds: int,
    warm_up: int = 1,
) -> dict[str, tuple[tuple[float, ...], ...]]:
    """Time every call on every argument, ``rounds`` times: milliseconds by call, round and argument.

    The calls take turns, so that what slows the machine down for a while slows all of them, each at another place of
    ``arguments``: what one call leaves in the caches of an argument does not flatter the next one. The ``warm_up``
    rounds before are not counted.

    Raises:
        InvalidInput: there are no calls, no arguments or no rounds.
    """
    if not calls or not arguments or rounds < 1:
        raise InvalidInput("a timing needs at least one call, one argument and one round", field="rounds")
    found: dict[str, list[tuple[float, ...]]] = {name: [] for name in calls}
    apart = max(1, len(arguments) // len(calls))
    for number in range(warm_up + rounds):
        taken = {name: [0.0] * len(arguments) for name in calls}
        for at in range(len(arguments)):
            for turn, (name, call) in enumerate(calls.items()):
                place = (at + turn * apart) % len(arguments)
                started = time.perf_counter()
                await call(arguments[place])
                taken[name][place] = (time.perf_counter() - started) * 1000
        if number >= warm_up:
            for name, row in taken.items():
                found[name].append(tuple(row))
    return {name: tuple(rows) for name, rows in found.items()}


async def yardstick(_: object = None) -> str:
    """Do a fixed piece of work that no part of the product changes: timed beside, it tells how fast the machine was."""
    text = ""
    for step in range(_YARDSTICK_STEPS):
        text = hashlib.sha256(f"{step}{text}".encode()).hexdigest()
    return text


def ratio(timing: Timing, other: Timing, *, speed: float = 1.0) -> float | None:
    """Return how many times as long as ``other`` the median of ``timing`` is; None where ``other`` took no time.

    ``speed`` divides the result: for two processes, how many times as long the yardstick took in the first one.
    """
    return timing.median_ms / other.median_ms / speed if other.median_ms else None
