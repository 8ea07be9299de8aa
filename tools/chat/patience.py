"""Patience: a limit on each of many waits in a row, with one timer for all of them."""

import asyncio
from types import TracebackType
from typing import Self


class Patience:
    """Bounds waits that follow one another: ``with patience.until(limit): await …`` for each.

    A timer set and cut off for each piece of a stream costs as much as the piece itself. Here the first wait sets one;
    when it rings, it looks how long the wait that it finds may still last. Make it on the event loop; ``close`` it.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._limit = 0.0
        self._task: asyncio.Task[object] | None = None
        self._cancelling = 0
        self._expired = False

    def until(self, limit: float) -> Self:
        """Let the next wait last until ``limit``, in seconds of the loop's clock."""
        self._limit = limit
        return self

    def __enter__(self) -> None:
        """Begin to wait, in the current task."""
        task = asyncio.current_task()
        assert task is not None
        self._task, self._cancelling, self._expired = task, task.cancelling(), False
        if self._timer is not None and self._timer.when() > self._limit:
            self.close()
        if self._timer is None:
            self._timer = self._loop.call_at(self._limit, self._look)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """End the wait.

        Raises:
            TimeoutError: it was cut off at its limit.
        """
        task, self._task = self._task, None
        if task is None or not self._expired:
            return
        # Whoever else cancelled the task meanwhile is obeyed, as asyncio.timeout does.
        if task.uncancel() <= self._cancelling and kind is not None and issubclass(kind, asyncio.CancelledError):
            raise TimeoutError from error

    def close(self) -> None:
        """Let the timer go."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._timer = None
        if self._task is None:
            # Nobody waits just now: the next wait sets a timer again.
            return
        if self._loop.time() < self._limit:
            self._timer = self._loop.call_at(self._limit, self._look)
            return
        self._expired = True
        self._task.cancel()
