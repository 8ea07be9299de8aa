"""The circuit breaker of one server."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

BreakerState = Literal["closed", "open", "half-open"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """A call that a breaker let pass: whether it tries for the others, and how many failures were noted before it."""

    trial: bool
    noted: int


class CircuitBreaker:
    """Spares a dead server's time-out to the calls that follow.

    It opens after ``failures`` tries in a row that found the server unavailable: nothing is sent for ``cool_down_s``
    seconds. Then it is half-open: one call tries, and closes it or opens it again. Calls that fail side by side count
    as one: a server that is busy for a moment is not taken for dead because many were asking. A time-out counts
    twice, for what it costs. ``clock`` counts seconds.

    Source: Nygard 2007, "Release It!", the circuit breaker.
    """

    def __init__(
        self, *, failures: int = 4, cool_down_s: float = 10.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most_failures = failures
        self._cool_down_s = cool_down_s
        self._clock = clock
        self._open_until = 0.0
        self._noted = 0
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

    def begin(self) -> "Admission":
        """Let a call begin; ``end`` it, whatever comes of it. Where the breaker is not closed, it is the trial."""
        trial = self.state != "closed"
        self.trying = self.trying or trial
        return Admission(trial=trial, noted=self._noted)

    def end(self, admission: "Admission") -> None:
        """End a call."""
        if admission.trial:
            self.trying = False

    def succeed(self) -> None:
        """Take note that the server is well."""
        self.failures = 0

    def fail(self, admission: "Admission", reason: str, *, weight: int = 1) -> None:
        """Take note that the server was unavailable to a call."""
        self.last_reason = reason
        if admission.noted != self._noted and not admission.trial:
            return
        self._noted += 1
        self.failures += weight
        if self.failures >= self._most_failures:
            self._open_until = self._clock() + self._cool_down_s

    def allow_one_failure(self) -> None:
        """Close after a probe found the server there: calls pass, and the first that fails opens it again."""
        self.failures = min(self.failures, self._most_failures - 1)
