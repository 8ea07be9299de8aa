"""Routes of contexts: listed, described, deleted."""

from typing import Annotated

from fastapi import APIRouter, Path
from fastapi.responses import Response

from serving.access import RequestGuard
from serving.dictionary import editing
from serving.dictionary.base import DictionaryDesk, DictionaryReader
from serving.dictionary.problems import problems
from serving.dictionary.rendering import context_item
from serving.dictionary.routing import Acting, dictionary_router, in_thread
from serving.dictionary.senses import IfMatch
from serving.dictionary.wire import ContextIn, ContextItem, ContextList, DeletedContext

ContextName = Annotated[
    str, Path(max_length=400, description="The context's name, in any letter case.", examples=["Protocols"])
]


def context_routes(desk: DictionaryDesk, guard: RequestGuard) -> APIRouter:
    """Return the routes under ``/contexts``. A name may hold slashes."""
    router = dictionary_router(guard, "manage")

    @router.get("/contexts", summary="List contexts", responses=problems())
    async def list_contexts() -> ContextList:
        """List every context, by name."""
        return await in_thread(_list, desk.keeper)

    @router.get("/contexts/{name:path}", summary="Get a context", responses=problems(404))
    async def get_context(name: ContextName, response: Response) -> ContextItem:
        """Return a context with its version."""
        return _tagged(response, await in_thread(editing.context_of, desk.keeper, name))

    @router.put(
        "/contexts/{name:path}",
        summary="Describe a context",
        responses={201: {"model": ContextItem, "description": "It is new."}, **problems(400, 412, 413, 415, 428)},
    )
    async def put_context(
        name: ContextName, given: ContextIn, actor: Acting, response: Response, if_match: IfMatch = None
    ) -> ContextItem:
        """Describe a context. Without If-Match it must be a new one."""
        item, is_new = await in_thread(editing.put_context, desk.keeper.acting_as(actor.name), name, given, if_match)
        response.status_code = 201 if is_new else 200
        return _tagged(response, item)

    @router.delete("/contexts/{name:path}", summary="Delete a context", responses=problems(404, 409, 412, 428))
    async def delete_context(name: ContextName, actor: Acting, if_match: IfMatch = None) -> DeletedContext:
        """Delete a context that no meaning is bound to."""
        return await in_thread(editing.delete_context, desk.keeper.acting_as(actor.name), name, if_match)

    return router


def _list(reader: DictionaryReader) -> ContextList:
    entries = reader.context_entries()
    last = reader.latest_changes("context", [entry.id for entry in entries])
    return ContextList(items=[context_item(entry, last) for entry in entries])


def _tagged(response: Response, item: ContextItem) -> ContextItem:
    response.headers["etag"] = item.etag
    return item
