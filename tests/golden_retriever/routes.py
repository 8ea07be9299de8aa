"""Every route of an application, those of what is mounted in it and those that no description lists, too."""

from collections.abc import Iterable, Iterator
from typing import Any


def every_route(routes: Iterable[Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """Yield each method with its path; a route of a kind that is not known here fails."""
    for route in routes:
        if hasattr(route, "effective_route_contexts"):
            # An included router, whose prefix is already in the paths.
            for context in route.effective_route_contexts():
                plain = getattr(context, "starlette_route", None) or context
                yield from _methods_of(plain, prefix)
        elif getattr(route, "routes", None):
            yield from every_route(route.routes, prefix + route.path)
        else:
            yield from _methods_of(route, prefix)


def _methods_of(route: Any, prefix: str) -> Iterator[tuple[str, str]]:
    # A mounted application, such as MCP's transport, accepts any method.
    for method in sorted(getattr(route, "methods", None) or {"GET", "POST", "DELETE"}):
        yield method, prefix + route.path
