"""Limits: how much one key may ask, so that no client starves the others."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from serving.access import TooManyRequests

_SECONDS_A_MINUTE = 60.0


@dataclass(slots=True)
class _Account:
    left: float
    seen_s: float
    under_way: int = 0


class RequestLimits:
    """Bounds the requests of each key, a minute and at once (0: no bound). Not thread-safe: for one event loop.

    The count is in this process's memory: several server processes each allow as much, and a restart forgets it.
    A minute's worth may come at once; then requests are let in at the rate at which the minute fills again.
    ``clock`` tells seconds that only grow.
    """

    def __init__(self, *, a_minute: int, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._a_minute = a_minute
        self._at_once = at_once
        self._clock = clock
        self._accounts: dict[str, _Account] = {}

    @contextmanager
    def counted(self, key_id: str) -> Iterator[None]:
        """Count a request of a key for as long as the block runs.

        Raises:
            TooManyRequests: the key has as many under way, or has used its minute up.
        """
        account = self._account(key_id)
        if self._at_once and account.under_way >= self._at_once:
            raise TooManyRequests(
                f"This key has {account.under_way} requests under way, as many as it may: wait until one is answered.",
                retry_after_s=1,
            )
        if self._a_minute:
            if account.left < 1:
                wait_s = (1 - account.left) * _SECONDS_A_MINUTE / self._a_minute
                raise TooManyRequests(
                    f"This key has used its {self._a_minute} requests a minute up: try again in {math.ceil(wait_s)} s.",
                    retry_after_s=max(1, math.ceil(wait_s)),
                )
            account.left -= 1
        account.under_way += 1
        try:
            yield
        finally:
            account.under_way -= 1

    def _account(self, key_id: str) -> _Account:
        now_s = self._clock()
        account = self._accounts.setdefault(key_id, _Account(left=float(self._a_minute), seen_s=now_s))
        filled = (now_s - account.seen_s) * self._a_minute / _SECONDS_A_MINUTE
        account.left, account.seen_s = min(float(self._a_minute), account.left + filled), now_s
        return account
