"""Health: is the process alive, and can it answer."""

from collections.abc import Awaitable, Callable, Mapping

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from contracts.errors import GoldenError

# What tells a load balancer whether to send requests here; it has no key.
PATHS = ("/healthz", "/readyz")
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
        """Say whether questions can be answered, and what is missing if not (503)."""
        try:
            missing = dict(await readiness())
        except GoldenError as error:
            missing = {"readiness": str(error)}
        body = {"status": "not ready" if missing else "ready", "missing": missing}
        return JSONResponse(body, status_code=503 if missing else 200)

    return router
