"""Limits the total time that language models may work on one question."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from contracts.errors import ChatUnavailable


class QuestionTime:
    """Counts the time during which requests for a question are in progress; ``limit_s`` is the maximum.

    Time during which several requests run is counted once. Time before a request is sent does not count.
    """

    def __init__(self, limit_s: float = math.inf, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._limit_s = limit_s
        self._clock = clock
        self._spent_s = 0.0
        self._under_way = 0
        self._since = 0.0

    @property
    def left_s(self) -> float:
        """The remaining time in seconds, 0 or more."""
        running_s = self._clock() - self._since if self._under_way else 0.0
        return max(0.0, self._limit_s - self._spent_s - running_s)

    def check(self) -> None:
        """Raise ``ChatUnavailable`` if no time is left for another request."""
        if self.left_s <= 0:
            raise ChatUnavailable(
                f"This question has used the {self._limit_s:g} s that it may keep the language model busy "
                "(GOLDEN_LLM_QUESTION_TIMEOUT_S)."
            )

    @contextmanager
    def sent(self) -> Iterator[None]:
        """Count the duration of the block, during which a request is in progress. Raises the errors of ``check``."""
        self.check()
        if not self._under_way:
            self._since = self._clock()
        self._under_way += 1
        try:
            yield
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._spent_s += self._clock() - self._since

    @contextmanager
    def counted(self) -> Iterator[None]:
        """Count the calls to chat models in the block, and in tasks that the block starts."""
        before = _CURRENT.set(self)
        try:
            yield
        finally:
            _CURRENT.reset(before)


def current_question_time() -> QuestionTime:
    """Return the time of the current question; if there is none, as during ingestion, the time is unlimited."""
    return _CURRENT.get(None) or QuestionTime()


_CURRENT: ContextVar[QuestionTime] = ContextVar("question_time")
