"""Health: whether the process is alive and can answer."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from contracts.errors import GoldenError

# The paths that load balancers check without a key.
PATHS = ("/healthz", "/readyz")


class Degraded(str):
    """The reason why a part does not work fully, although questions can be answered."""

    __slots__ = ()


# Names the parts that are not ready, and the reasons; if one is ``Degraded``, questions can still be answered.
Readiness = Callable[[], Awaitable[Mapping[str, str]]]


def health_routes(readiness: Readiness) -> APIRouter:
    """Return ``/healthz`` and ``/readyz``.

    ``readiness`` names the parts that are not ready, each with the reason; it is empty if all are ready.
    """
    router = APIRouter(tags=["health"])

    @router.get("/healthz")
    async def alive() -> dict[str, str]:
        """Report that the process is serving."""
        return {"status": "ok"}

    @router.get("/readyz")
    async def ready() -> JSONResponse:
        """Return whether questions can be answered (200 or 503), and name the missing parts."""
        try:
            found = dict(await readiness())
        except GoldenError as error:
            found = {"readiness": str(error)}
        degraded = {name: str(reason) for name, reason in found.items() if isinstance(reason, Degraded)}
        missing = {name: reason for name, reason in found.items() if name not in degraded}
        status = "not ready" if missing else "degraded" if degraded else "ready"
        body = {"status": status, "missing": missing, "degraded": degraded}
        return JSONResponse(body, status_code=503 if missing else 200, headers={"cache-control": "no-store"})

    return router


class HealthChecks:
    """Checks several parts at the same time, each for at most ``timeout_s``, but not on every call.

    ``checks`` return "" if all is well; otherwise they return the reason or raise an error. Results are kept for
    ``kept_s``, and only one check runs at a time, even if many load balancers ask. ``clock`` counts seconds.
    """

    def __init__(
        self,
        checks: Mapping[str, Callable[[], Awaitable[str]]],
        *,
        timeout_s: float = 3.0,
        kept_s: float = 1.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._checks = dict(checks)
        self._timeout_s = timeout_s
        self._kept_s = kept_s
        self._clock = clock
        self._found: Mapping[str, str] = {}
        self._until_s = float("-inf")
        self._lock = asyncio.Lock()

    async def __call__(self) -> Mapping[str, str]:
        async with self._lock:
            if self._clock() >= self._until_s:
                self._until_s = self._clock() + self._kept_s
                reasons = await asyncio.gather(*map(self._reason_of, self._checks.values()))
                self._found = {name: reason for name, reason in zip(self._checks, reasons, strict=True) if reason}
            return self._found

    async def _reason_of(self, check: Callable[[], Awaitable[str]]) -> str:
        try:
            async with asyncio.timeout(self._timeout_s):
                return await check()
        except TimeoutError:
            return f"It did not answer within {self._timeout_s:g} s."
        except GoldenError as error:
            return str(error)
        except Exception as error:
            # A part that raises any error is unavailable.
            return f"{type(error).__name__}: {error}"
