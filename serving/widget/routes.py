"""The widget's script, its parts and its styles in one file: any page may load it, pages of allowed origins may ask."""

import asyncio
import hashlib
import json
from functools import lru_cache
from pathlib import Path

from fastapi import APIRouter, Request
from fastapi.responses import Response

PATH = "/widget.js"
_HEADERS = {
    # Pages get a new version after at most this time; then they check the ETag before they load the script again.
    "cache-control": "public, max-age=300",
    "cross-origin-resource-policy": "cross-origin",
    "x-content-type-options": "nosniff",
}


_STATIC = Path(__file__).parent / "static"
# Each part depends on those before it.
_PARTS = (
    "texts", "dom", "markdown", "api_client", "readings", "refusals", "answers", "conversation", "exchange_view",
    "dialog", "start",
)  # fmt: skip


@lru_cache(maxsize=1)
def widget_script() -> tuple[bytes, str]:
    """Read the parts and join them, so that none of their names becomes global; return the script and its ETag."""
    parts = "\n".join((_STATIC / f"{name}.js").read_text(encoding="utf-8") for name in _PARTS)
    styles = (_STATIC / "widget.css").read_text(encoding="utf-8")
    script = f'(() => {{\n"use strict";\nconst STYLES = {json.dumps(styles)};\n{parts}\n}})();\n'.encode()
    return script, f'"{hashlib.sha256(script).hexdigest()[:32]}"'


def widget_router() -> APIRouter:
    """Return the script's route, open to everybody: it contains nothing from the documents."""
    router = APIRouter(tags=["widget"])

    @router.api_route(PATH, methods=["GET", "HEAD"], include_in_schema=False)
    async def script(request: Request) -> Response:
        """Return the help bot's script for other pages."""
        made, etag = await asyncio.to_thread(widget_script)
        headers = {**_HEADERS, "etag": etag}
        if etag in (each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")):
            return Response(status_code=304, headers=headers)
        return Response(made, media_type="text/javascript; charset=utf-8", headers=headers)

    return router
