"""Work in threads in its order: what is waited for comes first, and of that one thing after the other.

A language model takes seconds to write. What a server judges meanwhile would be in time much later than at once, while
a question that arrives, or an answer that ends, waits for every thread that computes beside it: all of them need
Python's one lock. And of several questions that are computed side by side each is ready when the last one is.
"""

import asyncio
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

# What is waited for comes in many short computations with the event loop's turns between them: so long after one has
# ended the next may still come.
_GRACE_S = 0.004
# Whatever is not needed at once is needed some time: from then on it is computed as everything else is.
_PATIENCE_S = 2.0
# What is computed in turn takes some milliseconds. What takes longer waits for something else, such as a database, for
# which nobody else's turn needs to wait.
_LONGEST_TURN_S = 0.05


class Unhurried:
    """Work that was begun before anybody waits for it; ``hurry`` says that now somebody does. Thread-safe."""

    def __init__(self, *, patience_s: float) -> None:
        self._until = time.monotonic() + patience_s
        self._hear: list[Callable[[], None]] = []

    @property
    def left_s(self) -> float:
        """How long it may still give way, in seconds; 0 or less: no longer."""
        return self._until - time.monotonic()

    def hurry(self) -> None:
        """Let it give way no longer."""
        self._until = 0.0
        for hear in tuple(self._hear):
            hear()

    def heard_by(self, hear: Callable[[], None]) -> None:
        """Let ``hear`` be called when it is to hurry."""
        if hear not in self._hear:
            self._hear.append(hear)


_UNHURRIED: ContextVar[Unhurried | None] = ContextVar("unhurried", default=None)


@contextmanager
def unhurried(*, patience_s: float = _PATIENCE_S) -> Iterator[Unhurried]:
    """Let what is begun in the block, tasks included, give way to whatever does not, for ``patience_s`` at most."""
    work = Unhurried(patience_s=patience_s)
    token = _UNHURRIED.set(work)
    try:
        yield work
    finally:
        _UNHURRIED.reset(token)


def gives_way() -> bool:
    """Say whether what runs here is unhurried, still."""
    work = _UNHURRIED.get()
    return work is not None and work.left_s > 0


# Since when whoever is in turn waits.
_IN_TURN: ContextVar[float | None] = ContextVar("in_turn", default=None)


@contextmanager
def in_turn() -> Iterator[None]:
    """Let what is begun in the block, tasks included, be computed in turn with what others began so, the oldest first.

    So of several that come at once the first is ready when its own work is done, and not when that of all is.
    """
    token = _IN_TURN.set(time.monotonic())
    try:
        yield
    finally:
        _IN_TURN.reset(token)


@dataclass(frozen=True, slots=True, eq=False)
class _Call:
    future: "Future[Any]"
    call: Callable[[], Any]

    def compute(self) -> None:
        """Compute it, unless it was cancelled; whoever waits for it is told what came of it, as by any pool."""
        if not self.future.set_running_or_notify_cancel():
            return
        try:
            result = self.call()
        except BaseException as error:
            self.future.set_exception(error)
        else:
            self.future.set_result(result)


@dataclass(frozen=True, slots=True, eq=False)
class _Waiting(_Call):
    work: Unhurried


class YieldingExecutor(ThreadPoolExecutor):
    """A pool of threads in which unhurried work is computed by one thread, and only while nothing else is.

    Whose context (``unhurried``, ``in_turn``) a call is submitted from decides. Where other work never pauses,
    unhurried work is begun all the same once its time is up; what has begun is not interrupted. Of what is computed in
    turn ``turns`` calls are under way at a time, those of whoever has waited longest first; where one takes longer than
    a turn does, the next is computed beside it. Everything else is as in the pool of an event loop.
    """

    def __init__(self, max_workers: int | None = None, *, turns: int = 1) -> None:
        super().__init__(max_workers or min(32, (os.cpu_count() or 1) + 4), thread_name_prefix="golden")
        self._changed = threading.Condition()
        self._waiting: deque[_Waiting] = deque()
        self._turns = turns
        self._in_turn: list[tuple[float, int, _Call]] = []
        self._submitted = count()
        self._turn_began_at = 0.0
        self._taking_turns = 0
        self._hurried = 0
        self._ended_at = 0.0
        self._ends = False
        self._thread: threading.Thread | None = None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Compute ``fn`` in a thread, at once or when nothing is waited for. Raises RuntimeError after its end."""
        work = _UNHURRIED.get()
        if work is None or work.left_s <= 0:
            if _IN_TURN.get() is not None:
                return self._submit_in_turn(_Call(Future(), lambda: fn(*args, **kwargs)))
            return self._submit_hurried(fn, *args, **kwargs)
        future: Future[Any] = Future()
        work.heard_by(self._take_hurried)
        with self._changed:
            if self._ends:
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._waiting.append(_Waiting(future, lambda: fn(*args, **kwargs), work))
            if self._thread is None:
                self._thread = threading.Thread(target=self._compute_waiting, name="golden-unhurried", daemon=True)
                self._thread.start()
            self._changed.notify()
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End when everything that was submitted has been computed, or cancelled where it had not begun."""
        with self._changed:
            self._ends = True
            if cancel_futures:
                for each in (*self._waiting, *(call for _, _, call in self._in_turn)):
                    each.future.cancel()
            self._changed.notify()
            thread = self._thread
        if wait and thread is not None:
            thread.join()
        super().shutdown(wait=wait, cancel_futures=cancel_futures)

    def _submit_in_turn(self, call: _Call) -> "Future[Any]":
        with self._changed:
            if self._ends:
                raise RuntimeError("cannot schedule new futures after shutdown")
            heappush(self._in_turn, (_IN_TURN.get() or 0.0, next(self._submitted), call))
            waits = self._taking_turns == self._turns
            self._taking_turns += not waits
        if not waits:
            self._submit_hurried(self._take_turns)
        else:
            with suppress(RuntimeError):
                loop = asyncio.get_running_loop()
                loop.call_later(_LONGEST_TURN_S, self._look_after, call, loop)
        return call.future

    def _take_turns(self) -> None:
        while True:
            with self._changed:
                if not self._in_turn:
                    self._taking_turns -= 1
                    return
                _, _, call = heappop(self._in_turn)
                self._turn_began_at = time.monotonic()
            # The same thread goes on with the next: to wake another one up takes longer than many a turn.
            call.compute()

    def _look_after(self, call: _Call, loop: asyncio.AbstractEventLoop) -> None:
        """While ``call`` waits, let the next be computed beside a turn that has not ended for too long."""
        beside: _Call | None = None
        with self._changed:
            if self._ends or all(each is not call for _, _, each in self._in_turn):
                return
            left_s = self._turn_began_at + _LONGEST_TURN_S - time.monotonic()
            if left_s <= 0:
                _, _, beside = heappop(self._in_turn)
                self._turn_began_at, left_s = time.monotonic(), _LONGEST_TURN_S
        if beside is not None:
            self._submit_hurried(beside.compute)
        if beside is not call:
            loop.call_later(left_s, self._look_after, call, loop)

    def _submit_hurried(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        with self._changed:
            self._hurried += 1
        try:
            future = super().submit(fn, *args, **kwargs)
        except BaseException:
            self._end_hurried(None)
            raise
        future.add_done_callback(self._end_hurried)
        return future

    def _end_hurried(self, _: "Future[Any] | None") -> None:
        with self._changed:
            self._hurried -= 1
            self._ended_at = time.monotonic()
            if self._waiting and not self._hurried:
                self._changed.notify()

    def _take_hurried(self) -> None:
        """Let those that wait no longer be computed beside what the one thread computes just now."""
        with self._changed:
            due = [each for each in self._waiting if each.work.left_s <= 0]
            for each in due:
                self._waiting.remove(each)
            if self._ends:
                # The pool may have ended, the one thread has not.
                self._waiting.extendleft(due)
                return
        for each in due:
            self._submit_in_turn(each)

    def _compute_waiting(self) -> None:
        while (next_ := self._next()) is not None:
            next_.compute()

    def _next(self) -> _Waiting | None:
        """Return what is to be computed next, when its time has come; None: there will be nothing any more."""
        with self._changed:
            while True:
                if not self._waiting:
                    if self._ends:
                        return None
                    self._changed.wait()
                    continue
                # Of those that wait, the first whose time is up goes first.
                at, left_s = min(enumerate(each.work.left_s for each in self._waiting), key=lambda pair: pair[1])
                quiet_s = self._ended_at + _GRACE_S - time.monotonic() if not self._hurried else left_s
                if self._ends or left_s <= 0 or quiet_s <= 0:
                    if left_s > 0:
                        at = 0
                    found = self._waiting[at]
                    del self._waiting[at]
                    return found
                self._changed.wait(min(left_s, quiet_s))


_EXECUTORS: WeakKeyDictionary[asyncio.AbstractEventLoop, YieldingExecutor] = WeakKeyDictionary()


def yield_in_threads(*, turns: int = 1) -> None:
    """Let the running loop's threads (``asyncio.to_thread``) give way as ``YieldingExecutor`` does."""
    loop = asyncio.get_running_loop()
    if loop not in _EXECUTORS:
        _EXECUTORS[loop] = YieldingExecutor(turns=turns)
        loop.set_default_executor(_EXECUTORS[loop])
