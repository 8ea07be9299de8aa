"""Limits: how much one account, a key or a person, may ask, so that no client starves the others."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from serving.access import TooManyRequests

_SECONDS_A_MINUTE = 60.0
# Uploads take seconds to minutes: less would only be asked in vain.
_UPLOAD_RETRY_S = 10


@dataclass(slots=True)
class _Account:
    left: float
    seen_s: float
    under_way: int = 0
    bytes_under_way: int = 0


class RequestLimits:
    """Bounds the requests of each account, a minute and at once, and the bytes that it has in bodies under way.

    0 is no bound. Not thread-safe: for one event loop.

    The count is in this process's memory: several server processes each allow as much, and a restart forgets it.
    A minute's worth may come at once; then requests are let in at the rate at which the minute fills again.
    ``clock`` tells seconds that only grow.
    """

    def __init__(
        self, *, a_minute: int, at_once: int, body_bytes: int = 0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._a_minute = a_minute
        self._at_once = at_once
        self._body_bytes = body_bytes
        self._clock = clock
        self._accounts: dict[str, _Account] = {}
        self._swept_s = clock()

    @contextmanager
    def counted(self, account: str) -> Iterator[None]:
        """Count a request of an account for as long as the block runs.

        Raises:
            TooManyRequests: it has as many under way, or has used its minute up.
        """
        kept = self._account(account)
        if self._at_once and kept.under_way >= self._at_once:
            raise TooManyRequests(
                f"You have {kept.under_way} requests under way, as many as you may: wait until one is answered.",
                retry_after_s=1,
            )
        if self._a_minute:
            if kept.left < 1:
                wait_s = (1 - kept.left) * _SECONDS_A_MINUTE / self._a_minute
                raise TooManyRequests(
                    f"You have used your {self._a_minute} requests a minute up: try again in {math.ceil(wait_s)} s.",
                    retry_after_s=max(1, math.ceil(wait_s)),
                )
            kept.left -= 1
        kept.under_way += 1
        try:
            yield
        finally:
            kept.under_way -= 1

    @contextmanager
    def carried(self, account: str) -> Iterator[Callable[[int], None]]:
        """Give what counts a body's bytes, by their number, for an account; they are let go when the block ends.

        It raises ``TooManyRequests`` where the bodies under way would be more than the account may have.
        """
        kept, own = self._account(account), 0

        def count(size: int) -> None:
            nonlocal own
            if self._body_bytes and kept.bytes_under_way + size > self._body_bytes:
                others = kept.bytes_under_way - own
                raise TooManyRequests(
                    f"You have {_mib(others)} MiB in other uploads under way, and this one would make it more than the "
                    f"{_mib(self._body_bytes)} MiB that you may have at once: send it when they have ended, or less.",
                    retry_after_s=_UPLOAD_RETRY_S,
                )
            own += size
            kept.bytes_under_way += size

        try:
            yield count
        finally:
            kept.bytes_under_way -= own

    @property
    def accounts(self) -> int:
        """How many accounts are remembered: those of the last minutes, however many people there are."""
        return len(self._accounts)

    def _account(self, named: str) -> _Account:
        now_s = self._clock()
        if now_s - self._swept_s > _SECONDS_A_MINUTE:
            self._sweep(now_s)
        kept = self._accounts.setdefault(named, _Account(left=float(self._a_minute), seen_s=now_s))
        filled = (now_s - kept.seen_s) * self._a_minute / _SECONDS_A_MINUTE
        kept.left, kept.seen_s = min(float(self._a_minute), kept.left + filled), now_s
        return kept

    def _sweep(self, now_s: float) -> None:
        """Forget whose minute is full again and who has nothing under way: to them nothing changes."""
        self._swept_s = now_s
        self._accounts = {
            named: kept
            for named, kept in self._accounts.items()
            if kept.under_way or kept.bytes_under_way or now_s - kept.seen_s <= _SECONDS_A_MINUTE
        }


def _mib(size: int) -> int:
    return math.ceil(size / 1_048_576)
