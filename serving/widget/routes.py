"""The widget's route: the script, which any page may load; asking is for the pages of allowed origins only."""

import asyncio

from fastapi import APIRouter, Request
from fastapi.responses import Response

from serving.access import RequestGuard
from serving.areas import Area
from serving.widget.script import widget_script

PATH = "/widget.js"
_HEADERS = {
    # A page that is opened sees a new version after at most this long, and asks by the tag before it loads it again.
    "cache-control": "public, max-age=300",
    "cross-origin-resource-policy": "cross-origin",
    "vary": "Accept-Encoding",
    "x-content-type-options": "nosniff",
}


def widget_area(guard: RequestGuard) -> Area:
    """Return the script's area, open to everybody: it holds no word of the documents. ``guard`` is not asked."""
    router = APIRouter(tags=["widget"])

    @router.api_route(PATH, methods=["GET", "HEAD"], include_in_schema=False)
    async def script(request: Request) -> Response:
        """Return the script of the help bot for other pages."""
        made = await asyncio.to_thread(widget_script)
        headers = {**_HEADERS, "etag": made.etag}
        if made.etag in (each.strip() for each in request.headers.get("if-none-match", "").split(",")):
            return Response(status_code=304, headers=headers)
        zipped = "gzip" in (each.partition(";")[0].strip() for each in _accepted(request))
        if zipped:
            headers["content-encoding"] = "gzip"
        return Response(
            made.gzipped if zipped else made.plain, media_type="text/javascript; charset=utf-8", headers=headers
        )

    return Area(routers=(router,), open=(PATH,))


def _accepted(request: Request) -> list[str]:
    return request.headers.get("accept-encoding", "").split(",")
