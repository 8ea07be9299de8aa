"""Unhurried work in threads: it gives way, is not forgotten, and hurries when it is told to."""

import asyncio
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextvars import copy_context
from typing import Any

import pytest

from tools.precedence import Unhurried, in_turn, unhurried
from tools.yielding import YieldingExecutor, yield_in_threads


@pytest.fixture
def executor() -> Iterator[YieldingExecutor]:
    """Return a pool, ended after the test."""
    pool = YieldingExecutor(max_workers=4)
    yield pool
    pool.shutdown()


def test_what_is_waited_for_is_computed_before_what_is_not(executor: YieldingExecutor) -> None:
    order: list[str] = []
    holds = threading.Event()
    first = executor.submit(holds.wait, 5)
    with unhurried(patience_s=60):
        later = executor.submit(order.append, "unhurried")
    executor.submit(order.append, "hurried").result(5)
    assert order == ["hurried"]
    assert not later.done()
    holds.set()
    assert first.result(5)
    later.result(5)
    assert order == ["hurried", "unhurried"]


def test_unhurried_work_is_computed_where_other_work_never_pauses(executor: YieldingExecutor) -> None:
    ends = threading.Event()
    busy = executor.submit(ends.wait, 20)
    with unhurried():
        assert executor.submit(lambda: "in its time").result(10) == "in its time"
    assert not busy.done()
    ends.set()


def test_work_that_is_told_to_hurry_waits_no_longer(executor: YieldingExecutor) -> None:
    ends = threading.Event()
    executor.submit(ends.wait, 20)
    with unhurried(patience_s=60) as work:
        waiting = [executor.submit(lambda number=number: number) for number in range(3)]
        started = time.monotonic()
        work.hurry()
        assert [each.result(10) for each in waiting] == [0, 1, 2]
        # What follows of it does not wait either.
        assert executor.submit(lambda: 3).result(10) == 3
    assert time.monotonic() - started < 30
    ends.set()


def test_one_unhurried_computation_runs_at_a_time(executor: YieldingExecutor) -> None:
    at_once: list[int] = []
    under_way = 0
    lock = threading.Lock()

    def compute() -> None:
        nonlocal under_way
        with lock:
            under_way += 1
            at_once.append(under_way)
        time.sleep(0.005)
        with lock:
            under_way -= 1

    with unhurried():
        for each in [executor.submit(compute) for _ in range(8)]:
            each.result(10)
    assert max(at_once) == 1


def test_what_is_computed_in_turn_comes_one_after_the_other(executor: YieldingExecutor) -> None:
    order: list[str] = []
    holds = threading.Event()
    with in_turn():
        first = executor.submit(holds.wait, 20)
        turns = [executor.submit(order.append, f"turn {number}") for number in range(3)]
    # What is none of them waits for none of them.
    executor.submit(order.append, "beside").result(5)
    with unhurried(patience_s=60):
        executor.submit(order.append, "unhurried")
    assert order == ["beside"]
    holds.set()
    assert first.result(5)
    for each in turns:
        each.result(5)
    assert order[1:4] == ["turn 0", "turn 1", "turn 2"]


def test_whoever_has_waited_longest_has_the_next_turn(executor: YieldingExecutor) -> None:
    order: list[str] = []
    holds = threading.Event()
    asked = []
    for name in ("first", "second"):
        with in_turn():
            asked.append((name, copy_context()))
    with in_turn():
        executor.submit(holds.wait, 20)
    waiting = [
        context.run(executor.submit, order.append, f"{name} {step}")
        for step in range(2)
        for name, context in asked[::-1]
    ]
    holds.set()
    for each in waiting:
        each.result(5)
    assert order == ["first 0", "first 1", "second 0", "second 1"]


def test_as_many_turns_are_taken_at_a_time_as_are_wanted() -> None:
    pool = YieldingExecutor(max_workers=8, turns=2)
    meeting = threading.Barrier(2)
    with in_turn():
        met = [pool.submit(meeting.wait, 5) for _ in range(4)]
    assert sorted(each.result(10) for each in met) == [0, 0, 1, 1]
    pool.shutdown()


def test_it_tells_how_many_calls_are_waited_for() -> None:
    told: list[int] = []
    pool = YieldingExecutor(max_workers=4, tell=told.append)
    ends = threading.Event()
    with in_turn():
        waited_for = [pool.submit(ends.wait, 5) for _ in range(3)]
    assert told[-1] == 3
    with unhurried(patience_s=60):
        ahead = pool.submit(abs, -1)
    assert told[-1] == 3, "nobody waits for it"
    ends.set()
    assert [each.result(5) for each in waited_for] == [True] * 3
    assert ahead.result(5) == 1
    pool.shutdown()
    assert told[-1] == 0
    assert max(told) == 3


def test_a_turn_that_waits_for_something_else_holds_nobody_up(executor: YieldingExecutor) -> None:
    ends = threading.Event()

    async def run() -> None:
        asyncio.get_running_loop().set_default_executor(executor)
        with in_turn():
            stuck = asyncio.create_task(asyncio.to_thread(ends.wait, 20))
            await asyncio.sleep(0)
            assert [await asyncio.to_thread(abs, n) for n in range(3)] == [0, 1, 2]
            assert not stuck.done()
            ends.set()
            await stuck

    asyncio.run(run())


def test_errors_and_cancellations_reach_whoever_waits(executor: YieldingExecutor) -> None:
    def fail() -> None:
        raise ValueError("wrong")

    ends = threading.Event()
    executor.submit(ends.wait, 20)
    with unhurried(patience_s=60):
        failing, cancelled = executor.submit(fail), executor.submit(lambda: "never")
        assert cancelled.cancel()
    ends.set()
    with pytest.raises(ValueError, match="wrong"):
        failing.result(10)
    assert cancelled.cancelled()


def test_the_end_computes_what_waits_or_cancels_it() -> None:
    finishing, leaving = YieldingExecutor(max_workers=1), YieldingExecutor(max_workers=1)
    ends = threading.Event()
    for pool in (finishing, leaving):
        pool.submit(ends.wait, 20)
    with unhurried(patience_s=60) as work:
        kept, left = finishing.submit(lambda: "kept"), leaving.submit(lambda: "left")
        leaving.shutdown(wait=False, cancel_futures=True)
        threading.Timer(0.05, ends.set).start()
        finishing.shutdown()
        assert kept.result(0) == "kept"
        assert left.cancelled()
        work.hurry()
        for pool in (finishing, leaving):
            with pytest.raises(RuntimeError):
                pool.submit(lambda: None)
    for context in (unhurried, in_turn):
        with context(), pytest.raises(RuntimeError):
            finishing.submit(lambda: None)


def test_the_end_computes_whose_turn_has_not_come_or_cancels_it() -> None:
    finishing, leaving = YieldingExecutor(max_workers=4), YieldingExecutor(max_workers=4)
    ends = threading.Event()
    kept: list[Future[Any]] = []
    left: list[Future[Any]] = []
    for pool, waiting in ((finishing, kept), (leaving, left)):
        with in_turn():
            pool.submit(ends.wait, 20)
            waiting += [pool.submit(abs, number) for number in range(3)]
    leaving.shutdown(wait=False, cancel_futures=True)
    ends.set()
    finishing.shutdown()
    assert [each.result(0) for each in kept] == [0, 1, 2]
    assert all(each.cancelled() for each in left)


def test_tasks_that_are_begun_unhurried_stay_so_on_their_own_loop() -> None:
    order: list[str] = []

    async def judge() -> None:
        await asyncio.to_thread(order.append, "judged")

    async def run() -> None:
        yield_in_threads()
        yield_in_threads()
        ends = threading.Event()
        busy = asyncio.create_task(asyncio.to_thread(ends.wait, 20))
        await asyncio.sleep(0)
        with unhurried(patience_s=60):
            judging = asyncio.create_task(judge())
        await asyncio.to_thread(order.append, "asked")
        ends.set()
        await asyncio.gather(busy, judging)

    asyncio.run(run())
    assert order == ["asked", "judged"]


def test_hurry_is_for_good() -> None:
    work = Unhurried(patience_s=60)
    assert work.left_s > 50
    work.hurry()
    assert work.left_s <= 0
