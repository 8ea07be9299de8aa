"""The path prefix of a proxy."""

from starlette.types import ASGIApp, Receive, Scope, Send


class PathPrefix:
    """Removes ``prefix`` ("/golden"; "" for none) from the paths of requests that have it; others stay unchanged.

    So a proxy may pass the prefix on or remove it itself. Routes and path checks never see it.
    """

    def __init__(self, app: ASGIApp, *, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        if self._prefix and (path == self._prefix or path.startswith(f"{self._prefix}/")):
            raw = scope.get("raw_path") or b""
            scope = {**scope, "path": path[len(self._prefix) :] or "/"}
            if raw.startswith(self._prefix.encode()):
                scope["raw_path"] = raw[len(self._prefix) :] or b"/"
        await self._app(scope, receive, send)
