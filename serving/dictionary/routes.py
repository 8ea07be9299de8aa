"""All routes of the dictionary."""

from collections.abc import Sequence

from fastapi import APIRouter, Request
from fastapi.responses import Response
from fastapi.routing import APIRoute

from contracts.errors import NotFound
from serving.access import RequestGuard
from serving.areas import Area
from serving.dictionary.base import DictionaryDesk
from serving.dictionary.contexts import context_routes
from serving.dictionary.exchange import MAX_UPLOAD_BYTES, exchange_routes
from serving.dictionary.problems import refuse_method
from serving.dictionary.queue import candidate_routes, queue_routes
from serving.dictionary.reading import reading_routes
from serving.dictionary.routing import PREFIX, dictionary_router
from serving.dictionary.senses import sense_routes
from serving.dictionary.trail import trail_routes
from serving.dictionary.wanting import wanting_routes
from serving.requests import MAX_BODY_BYTES

_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def dictionary_area(desk: DictionaryDesk, guard: RequestGuard) -> Area:
    """Return everything under ``/api/dictionary``; ``guard`` lets requests in."""
    routers = (
        *reading_routes(desk, guard),
        sense_routes(desk, guard),
        context_routes(desk, guard),
        candidate_routes(desk, guard),
        queue_routes(desk, guard),
        wanting_routes(desk, guard),
        *exchange_routes(desk, guard),
        trail_routes(desk, guard),
    )
    return Area(
        routers=(*routers, _nowhere(routers, guard)),
        bounds={PREFIX: MAX_BODY_BYTES, f"{PREFIX}/import": MAX_UPLOAD_BYTES},
        scoped=(PREFIX,),
    )


def _nowhere(routers: Sequence[APIRouter], guard: RequestGuard) -> APIRouter:
    """Return what answers under the prefix where no other route does: nothing else may, such as a page at ``/``."""
    router = dictionary_router(guard, "manage")
    known = [route for each in routers for route in each.routes if isinstance(route, APIRoute)]

    @router.api_route("", methods=list(_METHODS), include_in_schema=False)
    @router.api_route("/{rest:path}", methods=list(_METHODS), include_in_schema=False)
    async def refuse(request: Request) -> Response:
        rest = request.path_params.get("rest")
        address = PREFIX if rest is None else f"{PREFIX}/{rest}"
        allowed = {method for route in known if route.path_regex.match(address) for method in route.methods or ()}
        if allowed:
            return refuse_method(request.method, allowed)
        raise NotFound(f"There is nothing at {address}: /openapi.json lists every address.")

    return router
