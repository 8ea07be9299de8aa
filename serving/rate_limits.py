"""Limits on the requests of an account (a key or a person), so that no client starves the others."""

import logging
import math
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from limits import RateLimitItemPerMinute
from limits.aio.strategies import MovingWindowRateLimiter
from limits.errors import ConfigurationError as BadStorage
from limits.errors import StorageError
from limits.storage import storage_from_string

from contracts.errors import ConfigurationError
from serving.access import TooManyRequests

_LOG = logging.getLogger(__name__)
_NAMESPACE = "golden"


class RequestLimits:
    """Limits the requests of each account, per minute and concurrently. 0 means no limit.

    Not thread-safe: use it in one event loop. ``redis_url`` names the Redis server in which all replicas count requests
    per minute together; "": each process counts separately. Concurrent requests are counted in each process. While
    Redis does not answer, nobody is refused.

    Raises:
        ConfigurationError: ``redis_url`` cannot be used, or its extra is not installed.
    """

    def __init__(self, *, a_minute: int, at_once: int, redis_url: str = "") -> None:
        self._a_minute = a_minute
        self._rate = RateLimitItemPerMinute(a_minute) if a_minute else None
        self._at_once = at_once
        self._requests: Counter[str] = Counter()
        try:
            address = f"async+{redis_url}" if redis_url else "async+memory://"
            options = {"implementation": "redispy"} if redis_url else {}
            storage = storage_from_string(address, wrap_exceptions=True, **options)
        except BadStorage as error:
            raise ConfigurationError(
                f"GOLDEN_LIMITS_URL cannot be used ({error}): give redis://HOST:PORT/NUMBER, and install its extra: "
                "pip install 'golden-retriever-bot[redis]'"
            ) from error
        self._window = MovingWindowRateLimiter(storage)

    @asynccontextmanager
    async def counted(self, account: str) -> AsyncIterator[None]:
        """Count a request of an account for as long as the block runs.

        Raises:
            TooManyRequests: the account has reached a limit.
        """
        if self._at_once and self._requests[account] >= self._at_once:
            raise TooManyRequests(
                f"You already have {self._requests[account]} requests in progress, the maximum: wait until one is "
                "answered.",
                retry_after_s=1,
            )
        self._requests[account] += 1
        try:
            await self._count(account)
            yield
        finally:
            self._requests[account] -= 1
            if not self._requests[account]:
                del self._requests[account]

    async def _count(self, account: str) -> None:
        if self._rate is None:
            return
        try:
            if await self._window.hit(self._rate, _NAMESPACE, account):
                return
            stats = await self._window.get_window_stats(self._rate, _NAMESPACE, account)
        except StorageError as error:
            _LOG.warning("the Redis for rate limits does not respond, so nobody is refused: %s", error)
            return
        wait_s = max(1, math.ceil(stats.reset_time - time.time()))
        raise TooManyRequests(
            f"You have used up your {self._a_minute} requests per minute: try again in {wait_s} s.",
            retry_after_s=wait_s,
        )
