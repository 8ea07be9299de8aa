"""Health: is the process alive, and can it answer."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from contracts.errors import GoldenError

# What tells a load balancer whether to send requests here; it has no key.
PATHS = ("/healthz", "/readyz")


class Degraded(str):
    """Why something is not as it should be, though questions are answered all the same."""

    __slots__ = ()


# Names what is not ready, each with the reason; where that is ``Degraded``, questions are answered without it.
Readiness = Callable[[], Awaitable[Mapping[str, str]]]


def health_routes(readiness: Readiness) -> APIRouter:
    """Return ``/healthz`` and ``/readyz``.

    ``readiness`` names what is not ready, each with the reason; nothing when all is.
    """
    router = APIRouter(tags=["health"])

    @router.get("/healthz")
    async def alive() -> dict[str, str]:
        """Say that the process serves."""
        return {"status": "ok"}

    @router.get("/readyz")
    async def ready() -> JSONResponse:
        """Say whether questions can be answered, and what is missing if not (503), or done without (200)."""
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
    """Asks each of several parts whether it is there: side by side, each for ``timeout_s`` at most, not at every call.

    ``checks`` return "" where all is well, else the reason, or raise it. What they found holds for ``kept_s``, and
    while they are asked nobody asks again: however many balancers look, a part is asked once a moment. A check that
    takes longer is told as a time-out, and goes on; until it ends it is not begun anew, so that a database that hangs
    does not gather threads that wait for it. ``clock`` counts seconds.
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
        self._found: tuple[float, Mapping[str, str]] | None = None
        self._running: dict[str, asyncio.Task[str]] = {}
        self._lock = asyncio.Lock()

    async def __call__(self) -> Mapping[str, str]:
        """Return what is not there, each with the reason."""
        async with self._lock:
            if self._found is None or self._clock() >= self._found[0] + self._kept_s:
                self._found = (self._clock(), await self._ask())
            return self._found[1]

    async def close(self) -> None:
        """End the checks that still run."""
        for task in self._running.values():
            task.cancel()
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def _ask(self) -> Mapping[str, str]:
        for name, check in self._checks.items():
            if name not in self._running:
                self._running[name] = asyncio.create_task(_reason_of(check))
        await asyncio.wait(self._running.values(), timeout=self._timeout_s)
        found: dict[str, str] = {}
        for name in self._checks:
            task = self._running[name]
            if not task.done():
                found[name] = f"It did not answer within {self._timeout_s:g} s."
                continue
            del self._running[name]
            reason = task.result()
            if reason:
                found[name] = reason
        return found


async def _reason_of(check: Callable[[], Awaitable[str]]) -> str:
    try:
        return await check()
    except GoldenError as error:
        return str(error)
    except Exception as error:
        # A part that breaks is not there, whatever it breaks with.
        return f"{type(error).__name__}: {error}"
