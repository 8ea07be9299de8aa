"""The circuit breaker of one server."""

import time
from collections.abc import Callable
from typing import Literal

BreakerState = Literal["closed", "open", "half-open"]


class CircuitBreaker:
    """Spares a dead server's time-out to the calls that follow.

    It opens after ``failures`` tries in a row that found the server unavailable: nothing is sent for ``cool_down_s``
    seconds. Then it is half-open: one call tries, and closes it or opens it again. ``clock`` counts seconds.

    Source: Nygard 2007, "Release It!", the circuit breaker.
    """

    def __init__(
        self, *, failures: int = 4, cool_down_s: float = 10.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most_failures = failures
        self._cool_down_s = cool_down_s
        self._clock = clock
        self._open_until = 0.0
        self.failures = 0
        self.trying = False
        self.last_reason = ""

    @property
    def state(self) -> BreakerState:
        """Closed: calls pass; open: none does; half-open: one may try."""
        if self.failures < self._most_failures:
            return "closed"
        return "half-open" if self._clock() >= self._open_until else "open"

    @property
    def wait_s(self) -> float:
        """How many seconds it stays open."""
        return max(0.0, self._open_until - self._clock()) if self.state == "open" else 0.0

    def begin(self) -> bool:
        """Let a call begin, and return whether it is the one that tries for the others: ``end`` its trial then."""
        trial = self.state != "closed"
        self.trying = self.trying or trial
        return trial

    def end(self) -> None:
        """End the trial, whatever came of it."""
        self.trying = False

    def succeed(self) -> None:
        """Take note that the server is well."""
        self.failures = 0

    def fail(self, reason: str) -> None:
        """Take note that the server was unavailable."""
        self.failures += 1
        self.last_reason = reason
        if self.failures >= self._most_failures:
            self._open_until = self._clock() + self._cool_down_s

    def allow_one_failure(self) -> None:
        """Close after a probe found the server there: calls pass, and the first that fails opens it again."""
        self.failures = min(self.failures, self._most_failures - 1)
