"""Routes of senses: listed by filter and page, added, edited, published, rejected, deleted, merged."""

from typing import Annotated

from fastapi import APIRouter, Header, Path, Query
from fastapi.responses import Response

from contracts.jargon import SenseState
from jargon_db.pages import SenseFilter, SenseOrder
from serving.access import RequestGuard, expect_all_groups
from serving.dictionary import editing
from serving.dictionary.base import DictionaryDesk, DictionaryKeeper
from serving.dictionary.problems import problems
from serving.dictionary.rendering import counts_out, sense_item
from serving.dictionary.routing import PREFIX, Acting, dictionary_router, in_thread
from serving.dictionary.wire import (
    ChangedSenses,
    DeletedSense,
    Merged,
    MergeIn,
    SenseIn,
    SenseItem,
    SenseList,
    SensePatch,
    StatesIn,
)

MAX_LIMIT = 500
MAX_OFFSET = 100_000_000
# The largest number that a key of either database holds.
MAX_NUMBER = 2**31 - 1

SenseId = Annotated[int, Path(ge=1, le=MAX_NUMBER, description="The meaning's number.", examples=[12])]
IfMatch = Annotated[
    str | None, Header(description='The ETag of the version that you saw, such as "12.3"; * overrides knowingly.')
]
Limit = Annotated[int, Query(ge=0, le=MAX_LIMIT, description="How many items to list.")]
Offset = Annotated[int, Query(ge=0, le=MAX_OFFSET, description="How many items to pass over.")]
# Longer than any term; a longer pattern is refused by SQLite.
Sought = Annotated[str, Query(max_length=400)]


def sense_routes(desk: DictionaryDesk, guard: RequestGuard) -> APIRouter:
    """Return the routes under ``/senses``, and ``/merge``."""
    router = dictionary_router(guard, "manage")
    _looking_routes(router, desk)
    _editing_routes(router, desk)
    _several_routes(router, desk)
    _state_route(router, desk, "publish", "published", "It holds from the next question on.")
    _state_route(router, desk, "reject", "rejected", "It holds no more, and is not offered again.")
    _state_route(router, desk, "draft", "draft", "It waits among the candidates again.")
    return router


def _looking_routes(router: APIRouter, desk: DictionaryDesk) -> None:
    @router.get("/senses", summary="List meanings", responses=problems())
    async def list_senses(
        actor: Acting,
        state: Annotated[SenseState | None, Query(description="Only this state.")] = None,
        context: Annotated[Sought | None, Query(description="Only this context; empty: those of everywhere.")] = None,
        term: Annotated[Sought | None, Query(description="Only this term, in any letter case.")] = None,
        text: Annotated[Sought, Query(description="Only those that hold this text anywhere.")] = "",
        order: Annotated[SenseOrder, Query(description="By term, or the newest change first.")] = "term",
        limit: Limit = 50,
        offset: Offset = 0,
    ) -> SenseList:
        """List a page of the meanings that a filter names, with their number in each state."""
        wanted = SenseFilter(state=state, context=context, term=term, text=text)
        return await in_thread(_list, desk.keeper_for(actor), wanted, order, limit, offset)

    @router.get("/senses/{sense_id}", summary="Get a meaning", responses=problems(404))
    async def get(sense_id: SenseId, actor: Acting, response: Response) -> SenseItem:
        """Return a meaning with its version."""
        return _tagged(response, await in_thread(editing.item_of, desk.keeper_for(actor), sense_id))


def _editing_routes(router: APIRouter, desk: DictionaryDesk) -> None:
    @router.post("/senses", status_code=201, summary="Add a meaning", responses=problems(400, 409, 413, 415))
    async def add(given: SenseIn, actor: Acting, response: Response) -> SenseItem:
        """Add a meaning of a term; it holds from the next question on. One that is there already is left as it is."""
        keeper = desk.keeper_for(actor)
        return _tagged(response, await in_thread(editing.add_sense, keeper, given.term, given, given.state), new=True)

    @router.put(
        "/senses/{sense_id}", summary="Replace a meaning", responses=problems(400, 404, 409, 412, 413, 415, 428)
    )
    async def put(
        sense_id: SenseId, given: SenseIn, actor: Acting, response: Response, if_match: IfMatch = None
    ) -> SenseItem:
        """Let a meaning be as given, whatever its fields were before."""
        keeper = desk.keeper_for(actor)
        return _tagged(response, await in_thread(editing.put_sense, keeper, sense_id, given, if_match))

    @router.patch("/senses/{sense_id}", summary="Edit a meaning", responses=problems(400, 404, 409, 412, 413, 415, 428))
    async def patch(
        sense_id: SenseId, given: SensePatch, actor: Acting, response: Response, if_match: IfMatch = None
    ) -> SenseItem:
        """Change the fields that are named; the rest stays."""
        keeper = desk.keeper_for(actor)
        return _tagged(response, await in_thread(editing.patch_sense, keeper, sense_id, given, if_match))

    @router.delete("/senses/{sense_id}", summary="Delete a meaning", responses=problems(404, 412, 428))
    async def delete(sense_id: SenseId, actor: Acting, if_match: IfMatch = None) -> DeletedSense:
        """Delete a meaning; undoing the change that comes back brings it back. A mined one may be offered again."""
        return await in_thread(editing.delete_sense, desk.keeper_for(actor), sense_id, if_match)


def _several_routes(router: APIRouter, desk: DictionaryDesk) -> None:
    @router.post(
        "/senses/states", summary="Publish or reject several", responses=problems(400, 404, 412, 413, 415, 428)
    )
    async def set_states(given: StatesIn, actor: Acting) -> ChangedSenses:
        """Publish, reject or draft meanings, all that are named or none."""
        return await in_thread(editing.set_states, desk.keeper_for(actor), given)

    @router.post("/merge", summary="Merge two terms", responses=problems(400, 404, 412, 413, 415))
    async def merge(given: MergeIn, actor: Acting) -> Merged:
        """Make two terms one: meanings and aliases move, and the old spelling becomes an alias."""
        expect_all_groups(actor, "Merging terms")
        return await in_thread(editing.merge, desk.keeper_for(actor), given)


def _state_route(router: APIRouter, desk: DictionaryDesk, verb: str, state: SenseState, what: str) -> None:
    async def change(sense_id: SenseId, actor: Acting, response: Response, if_match: IfMatch = None) -> SenseItem:
        keeper = desk.keeper_for(actor)
        return _tagged(response, await in_thread(editing.set_state, keeper, sense_id, state, if_match))

    router.add_api_route(
        f"/senses/{{sense_id}}/{verb}",
        change,
        methods=["POST"],
        name=verb,
        summary=f"{verb.capitalize()} a meaning",
        description=what,
        responses=problems(404, 412, 428),
    )


def _list(keeper: DictionaryKeeper, wanted: SenseFilter, order: SenseOrder, limit: int, offset: int) -> SenseList:
    # Read first, it is never newer than the page: whoever compares it later sees each change.
    version = keeper.version()
    page = keeper.page(wanted, order=order, limit=limit, offset=offset)
    last = keeper.latest_changes("sense", [entry.sense.id for entry in page.entries])
    return SenseList(
        items=[sense_item(entry, last) for entry in page.entries],
        total=page.total,
        limit=limit,
        offset=offset,
        counts=counts_out(page.counts),
        version=version,
    )


def _tagged(response: Response, item: SenseItem, *, new: bool = False) -> SenseItem:
    response.headers["etag"] = item.etag
    if new:
        response.headers["location"] = f"{PREFIX}/senses/{item.id}"
    return item
