"""Visits of pages in tests: services, and the request of a browser on this machine."""

from types import SimpleNamespace
from typing import Any, cast

from starlette.requests import Request

from serving.access import Actor, Guard, LoopbackGuard
from serving.rate_limits import RequestLimits
from ui.pages import Services, Visit
from ui.words import words_in


def services_of(**named: Any) -> Services:
    """Return services of which only those ``named`` are there."""
    return cast(Services, SimpleNamespace(**named))


def visit_of(
    services: Services,
    actor: Actor | None = None,
    *,
    language: str = "en",
    prefix: str = "",
    guard: Guard | None = None,
    limits: RequestLimits | None = None,
    **headers: str,
) -> Visit:
    """Return a visit of ``actor``, None for whom ``guard`` recognises by the request's ``headers``."""
    sent = {"host": "127.0.0.1:7860", "content-type": "application/json", **headers}
    scope = {
        "type": "http",
        "method": "POST",
        "path": "/",
        "query_string": b"",
        "headers": [(name.replace("_", "-").encode(), value.encode()) for name, value in sent.items()],
        "state": {} if actor is None else {"actor": actor},
    }
    guard = guard or LoopbackGuard()
    return Visit(services, words_in(language), request=Request(scope), guard=guard, limits=limits, prefix=prefix)
