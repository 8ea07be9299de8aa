"""The widget's script, parts and styles in one file; any page may load it, but only allowed origins may ask."""

import asyncio
import json
from functools import lru_cache
from pathlib import Path

from fastapi import APIRouter
from fastapi.responses import Response

PATH = "/widget.js"
_HEADERS = {
    # Pages get a new version after at most this time.
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
def widget_script() -> bytes:
    """Read the parts and join them, so that none of their names becomes global."""
    parts = "\n".join((_STATIC / f"{name}.js").read_text(encoding="utf-8") for name in _PARTS)
    styles = (_STATIC / "widget.css").read_text(encoding="utf-8")
    return f'(() => {{\n"use strict";\nconst STYLES = {json.dumps(styles)};\n{parts}\n}})();\n'.encode()


def widget_router() -> APIRouter:
    """Return the script's route, open to everybody: it contains nothing from the documents."""
    router = APIRouter(tags=["widget"])

    @router.api_route(PATH, methods=["GET", "HEAD"], include_in_schema=False)
    async def script() -> Response:
        """Return the help bot's script for other pages."""
        made = await asyncio.to_thread(widget_script)
        return Response(made, media_type="text/javascript; charset=utf-8", headers=_HEADERS)

    return router
