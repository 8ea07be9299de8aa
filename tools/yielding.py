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
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

from tools.precedence import Unhurried, in_turn_since, unhurried_work

# What is waited for comes in many short computations with the event loop's turns between them: so long after one has
# ended the next may still come.
_GRACE_S = 0.004
# What is computed in turn takes some milliseconds. What takes longer waits for something else, such as a database, for
# which nobody else's turn needs to wait.
_LONGEST_TURN_S = 0.05


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

    ``tell`` is called with the number of calls that are waited for, under way or in turn, whenever it changes, by
    whichever thread changes it; it must not block.
    """

    def __init__(
        self, max_workers: int | None = None, *, turns: int = 1, tell: Callable[[int], None] | None = None
    ) -> None:
        super().__init__(max_workers or min(32, (os.cpu_count() or 1) + 4), thread_name_prefix="golden")
        self._changed = threading.Condition()
        self._waiting: deque[_Waiting] = deque()
        self._turns = turns
        self._tell = tell
        self._in_turn: list[tuple[float, int, _Call]] = []
        self._submitted = count()
        self._turn_began_at = 0.0
        self._taking_turns = 0
        self._turns_under_way = 0
        self._hurried = 0
        self._ended_at = 0.0
        self._ends = False
        self._thread: threading.Thread | None = None

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> "Future[Any]":
        """Compute ``fn`` in a thread, at once or when nothing is waited for. Raises RuntimeError after its end."""
        work, since = unhurried_work(), in_turn_since()
        if work is None:
            if since is not None:
                return self._submit_in_turn(_Call(Future(), lambda: fn(*args, **kwargs)), since)
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

    def _submit_in_turn(self, call: _Call, since: float) -> "Future[Any]":
        with self._changed:
            if self._ends:
                raise RuntimeError("cannot schedule new futures after shutdown")
            heappush(self._in_turn, (since, next(self._submitted), call))
            waits = self._taking_turns == self._turns
            self._taking_turns += not waits
            self._tell_number()
        if not waits:
            self._submit_hurried(self._take_turns)
        else:
            with suppress(RuntimeError):
                loop = asyncio.get_running_loop()
                loop.call_later(_LONGEST_TURN_S, self._look_after, call, loop)
        return call.future

    def _take_turns(self) -> None:
        while (call := self._next_in_turn()) is not None:
            # The same thread goes on with the next: to wake another one up takes longer than many a turn.
            call.compute()
            with self._changed:
                self._turns_under_way -= 1
                self._tell_number()

    def _next_in_turn(self) -> _Call | None:
        with self._changed:
            if not self._in_turn:
                self._taking_turns -= 1
                return None
            _, _, call = heappop(self._in_turn)
            self._turns_under_way += 1
            self._turn_began_at = time.monotonic()
            return call

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
            self._tell_number()
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
            self._tell_number()
            if self._waiting and not self._hurried:
                self._changed.notify()

    def _tell_number(self) -> None:
        if self._tell is not None:
            # A thread that takes turns, or is just about to, is no call, but what it computes is.
            by_themselves = max(0, self._hurried - self._taking_turns)
            self._tell(by_themselves + self._turns_under_way + len(self._in_turn))

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
            # Whoever hurries it says since when it is waited for.
            self._submit_in_turn(each, in_turn_since() or 0.0)

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


def yield_in_threads(*, turns: int = 1, tell: Callable[[int], None] | None = None) -> None:
    """Let the running loop's threads (``asyncio.to_thread``) give way as ``YieldingExecutor`` does.

    The first call for a loop holds.
    """
    loop = asyncio.get_running_loop()
    if loop not in _EXECUTORS:
        _EXECUTORS[loop] = YieldingExecutor(turns=turns, tell=tell)
        loop.set_default_executor(_EXECUTORS[loop])
