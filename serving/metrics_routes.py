"""The route of the metrics, and who may read them."""

import asyncio
import hmac
from collections.abc import Callable, Mapping

from fastapi import APIRouter, Request
from fastapi.responses import Response
from prometheus_client import CONTENT_TYPE_LATEST

from serving.access import RequestGuard
from serving.areas import Area
from serving.authentication import admit
from serving.metrics import Metrics

PATH = "/metrics"
Gauges = Callable[[], Mapping[str, Mapping[str, float]]]


def metrics_area(metrics: Metrics, gauges: Gauges, token: str, guard: RequestGuard) -> Area:
    """Return ``/metrics``: for who brings ``token`` ("": none) or may do what needs "admin".

    ``gauges`` reads what others keep; it blocks. On loopback without keys every program of this machine may do that.
    """
    router = APIRouter(tags=["metrics"])

    @router.get(PATH, response_class=Response)
    async def read_metrics(request: Request) -> Response:
        """Return the metrics in Prometheus' text form."""
        if not _brings(request, token):
            await admit(request, guard, "admin")
        text = await asyncio.to_thread(lambda: metrics.exposition(gauges()))
        return Response(text, media_type=CONTENT_TYPE_LATEST, headers={"cache-control": "no-store"})

    return Area(routers=(router,), open=(PATH,))


def _brings(request: Request, token: str) -> bool:
    kind, _, brought = request.headers.get("authorization", "").partition(" ")
    return bool(token) and kind.lower() == "bearer" and hmac.compare_digest(brought.strip().encode(), token.encode())
