"""The harness: medians by hand, calls in turn, memory of this process, a process of its own."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from contracts.errors import InvalidInput, NotFound, Unavailable
from golden_lab.speed.child import run_in_child
from golden_lab.speed.timing import ratio, summarise, time_side_by_side, yardstick

ROOT = Path(__file__).resolve().parents[3]


def test_a_summary_is_what_a_hand_counts() -> None:
    timing = summarise([(1.0, 2.0, 3.0), (4.0, 5.0, 6.0)])
    # All six: median 3.5, 95th percentile at rank 0.95 * 5 = 4.75; the rounds' medians are 2 and 5.
    assert (timing.calls, timing.rounds, timing.median_ms) == (6, 2, 3.5)
    assert timing.p95_ms == pytest.approx(5.75)
    assert timing.spread == pytest.approx(3.0 / 3.5)


def test_a_summary_of_nothing_is_refused() -> None:
    for rounds in ([], [()], [(1.0,), ()]):
        with pytest.raises(InvalidInput, match="at least one round"):
            summarise(rounds)


def test_ratios_are_of_medians_and_the_yardstick_divides_them() -> None:
    slow, fast, none = summarise([(6.0,)]), summarise([(2.0,)]), summarise([(0.0,)])
    assert ratio(slow, fast) == pytest.approx(3.0)
    # The slow one ran while the machine took twice as long for everything.
    assert ratio(slow, fast, speed=2.0) == pytest.approx(1.5)
    assert ratio(slow, none) is None


async def test_calls_take_turns_at_different_places_after_the_warm_up() -> None:
    log: list[str] = []

    async def first(argument: str) -> None:
        log.append(f"first {argument}")

    async def second(argument: str) -> None:
        log.append(f"second {argument}")
        await asyncio.sleep(0.05 if argument == "b" else 0.0)

    times = await time_side_by_side({"first": first, "second": second}, ["a", "b"], rounds=2, warm_up=1)
    assert log == ["first a", "second b", "first b", "second a"] * 3
    # Each time stands at its argument's place, in whichever order they were taken.
    assert all(b > 45 for _, b in times["second"])
    assert {name: [len(row) for row in rows] for name, rows in times.items()} == {"first": [2, 2], "second": [2, 2]}
    assert all(value >= 0 for rows in times.values() for row in rows for value in row)
    with pytest.raises(InvalidInput):
        await time_side_by_side({"first": first}, [], rounds=1)


async def test_the_yardstick_is_the_same_work_every_time() -> None:
    assert await yardstick() == await yardstick("whatever is asked")


def test_memory_grows_with_what_is_held() -> None:
    # In a process of its own: one that held much before fills what it was given back.
    code = (
        "import os; from golden_lab.speed.memory import peak_resident_mb, resident_mb; before = resident_mb(); "
        "held = bytearray(os.urandom(1_000_000) * 60); "
        "print(resident_mb() - before, peak_resident_mb() - resident_mb(), len(held))"
    )
    result = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    grown, above, held = map(float, result.stdout.split())
    assert grown > 40
    assert above >= -1
    assert held == 60_000_000


def test_a_child_is_another_process_and_tells_what_went_wrong() -> None:
    assert run_in_child(os.getpid) != os.getpid()
    with pytest.raises(NotFound, match="nothing there"):
        run_in_child(_fail)
    with pytest.raises(Unavailable, match="ended before"):
        run_in_child(os._exit, 3)


def _fail() -> None:
    raise NotFound("nothing there")
