"""Security headers for every response of the server."""

import base64
import hashlib
import re

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# A response that is not a page loads nothing, runs nothing and is not shown in a frame.
_ALONE = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
# For the chat page. It compiles templates of its parts into functions, hence 'unsafe-eval'; scripts must still come
# from this server or be inline in the page as sent. {scripts} are the hashes of the inline scripts.
_PAGE = (
    "default-src 'self'; script-src 'self' 'unsafe-eval'{scripts}; style-src 'self' 'unsafe-inline'; "
    "img-src 'self' data: blob:; font-src 'self' data:; connect-src 'self'; media-src 'self' blob:; "
    "worker-src 'self' blob:; frame-src 'none'; object-src 'none'; base-uri 'self'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_ALWAYS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}
# Not cached: a response for one person must not reach somebody else.
_PERSONAL = (
    "application/json",
    "application/jsonl",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "text/csv",
    "text/event-stream",
    "text/html",
    "text/markdown",
    "text/plain",
)
_SCRIPT = re.compile(rb"<script(\s[^>]*)?>(.*?)</script\s*>", re.IGNORECASE | re.DOTALL)
_SOURCE = re.compile(rb"\ssrc\s*=", re.IGNORECASE)


class SecurityHeaders:
    """Adds to each response the headers that it does not set itself, and a policy for what its page may load and run.

    A page's inline scripts are allowed by their hashes, so a page is buffered until it is complete. Text is not cached
    unless its response states for how long it may be ("max-age"). HSTS is left to the proxy that terminates TLS.

    Source: https://www.w3.org/TR/CSP3/, https://owasp.org/www-project-secure-headers/
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        held: Message | None = None
        page = bytearray()

        async def send_guarded(message: Message) -> None:
            nonlocal held
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                _guard(headers)
                if _is_page(headers):
                    held = message
                    return
            elif held is not None and message["type"] == "http.response.body":
                page.extend(message.get("body", b""))
                if message.get("more_body"):
                    return
                MutableHeaders(scope=held).setdefault("content-security-policy", page_policy(bytes(page)))
                start, held = held, None
                await send(start)
                message = {**message, "body": bytes(page)}
            await send(message)

        await self._app(scope, receive, send_guarded)


def page_policy(page: bytes) -> str:
    """Return the policy of an HTML page: it loads only from its own server, and runs the scripts sent with it."""
    inline = (each[2] for each in _SCRIPT.finditer(page) if not _SOURCE.search(each[1] or b""))
    hashes = dict.fromkeys(base64.b64encode(hashlib.sha256(each).digest()).decode() for each in inline if each)
    return _PAGE.format(scripts="".join(f" 'sha256-{each}'" for each in hashes))


def _guard(headers: MutableHeaders) -> None:
    for name, value in _ALWAYS.items():
        headers.setdefault(name, value)
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    kept = headers.get("cache-control", "")
    if kind in _PERSONAL and "max-age" not in kept:
        headers["cache-control"] = "no-store"
    if not _is_page(headers):
        headers.setdefault("content-security-policy", _ALONE)


def _is_page(headers: MutableHeaders) -> bool:
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    # A page in another encoding cannot be parsed here; it gets the policy of responses that are not pages.
    return kind == "text/html" and "content-encoding" not in headers
