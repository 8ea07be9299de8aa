"""Routing: each route of the dictionary asks the guard first, answers errors in one form, and is kept by no cache."""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Annotated, ParamSpec, TypeVar

from fastapi import APIRouter, Depends, Request
from fastapi.responses import Response

from serving.access import Actor, RequestGuard, Scope, expect_all_groups, sends_json
from serving.authentication import Handler, admit
from serving.dictionary.problems import answer_error, problems, refuse_kind
from serving.problems import request_id_of
from serving.scopes import scoped_route

PREFIX = "/api/dictionary"
JSON = "application/json"
FORM = "multipart/form-data"

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")


def dictionary_router(guard: RequestGuard, scope: Scope, *, reads: str = JSON, whole: str = "") -> APIRouter:
    """Return a router whose routes need ``scope`` and read bodies of the content type ``reads``.

    ``whole`` names what would tell of every document ("The history"): then only those who may read them all are let in.
    """
    return guarded_router(PREFIX, "dictionary", guard, scope, reads=reads, whole=whole)


def guarded_router(
    prefix: str, tag: str, guard: RequestGuard, scope: Scope, *, reads: str = JSON, whole: str = ""
) -> APIRouter:
    """Return a router for the routes below ``prefix``; the rest is as of ``dictionary_router``."""

    class GuardedRoute(scoped_route(scope)):  # type: ignore[misc]  # a class of its own for each scope
        """A route that lets nobody in whom the guard does not."""

        def get_route_handler(self) -> Handler:
            """Return what serves a request."""
            serve: Handler = super().get_route_handler()
            has_body = self.body_field is not None

            async def handle(request: Request) -> Response:
                try:
                    # Before anything of the body is read.
                    request.state.actor = actor = await admit(request, guard, scope)
                    if whole:
                        expect_all_groups(actor, whole)
                    given = request.headers.get("content-type", "")
                    if has_body and given and not _is(given, reads):
                        response: Response = refuse_kind(reads, given)
                    else:
                        response = await serve(request)
                except Exception as error:
                    response = answer_error(error, request_id_of(request))
                # Unless the route says how long a browser may keep what it sends.
                response.headers.setdefault("cache-control", "no-store")
                response.headers["x-content-type-options"] = "nosniff"
                return response

            return handle

    return APIRouter(prefix=prefix, tags=[tag], route_class=GuardedRoute, responses=problems())


async def in_thread(call: Callable[_Given, _Made], *args: _Given.args, **kwargs: _Given.kwargs) -> _Made:
    """Call what blocks in a thread."""
    return await asyncio.to_thread(partial(call, *args, **kwargs))


def _is(given: str, wanted: str) -> bool:
    return sends_json(given) if wanted == JSON else given.partition(";")[0].strip().lower() == wanted


def _actor(request: Request) -> Actor:
    actor = request.state.actor
    assert isinstance(actor, Actor)
    return actor


# Who makes the request, as a route's parameter.
Acting = Annotated[Actor, Depends(_actor)]
