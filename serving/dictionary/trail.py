"""Routes of what happened: the history of changes, undoing, corrections of readings."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from serving.access import RequestGuard
from serving.dictionary.base import DictionaryDesk, DictionaryKeeper, DictionaryReader
from serving.dictionary.problems import problems
from serving.dictionary.rendering import change_item, correction_item
from serving.dictionary.routing import Acting, dictionary_router, in_thread
from serving.dictionary.senses import MAX_LIMIT, MAX_NUMBER, Sought
from serving.dictionary.trail_wire import ChangeList, CorrectionList, Undone

ChangeNumber = Annotated[int, Path(ge=1, le=MAX_NUMBER, description="The change's number.", examples=[41])]
PageLimit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many items to list.")]


def trail_routes(desk: DictionaryDesk, guard: RequestGuard) -> APIRouter:
    """Return the routes under ``/history``, and ``/corrections``."""
    router = dictionary_router(guard, "manage")

    @router.get("/history", summary="List changes", responses=problems())
    async def history(
        term: Annotated[
            Sought | None, Query(description="A term's or a context's spelling, now or formerly; all without one.")
        ] = None,
        before: Annotated[
            int | None, Query(ge=1, le=MAX_NUMBER, description="Only changes with a smaller number: the next page.")
        ] = None,
        limit: PageLimit = 50,
    ) -> ChangeList:
        """List who changed what when, the newest first."""
        return await in_thread(_history, desk.keeper, term, before, limit)

    @router.post("/history/{number}/undo", summary="Undo a change", responses=problems(404, 409))
    async def undo(number: ChangeNumber, actor: Acting) -> Undone:
        """Take a change back (a merge as a whole); refused where an entry has changed since. This can be undone, too.

        Send the header X-Golden-Request: 1.
        """
        return await in_thread(_undo, desk.keeper.acting_as(actor.name), number)

    @router.get("/corrections", summary="List corrections", responses=problems())
    async def corrections(limit: PageLimit = 50) -> CorrectionList:
        """List the meanings that askers chose for terms in their questions, the newest first."""
        return await in_thread(_corrections, desk.keeper, limit)

    return router


def _history(reader: DictionaryReader, term: str | None, before: int | None, limit: int) -> ChangeList:
    # One more than is shown tells whether there is another page.
    found = reader.history(term, limit=limit + 1, before=before)
    shown = found[:limit]
    more = len(found) > limit
    return ChangeList(items=[change_item(each) for each in shown], next_before=shown[-1].number if more else None)


def _undo(keeper: DictionaryKeeper, number: int) -> Undone:
    return Undone(items=[change_item(change) for change in keeper.undo(number)])


def _corrections(reader: DictionaryReader, limit: int) -> CorrectionList:
    return CorrectionList(items=[correction_item(each) for each in reader.correction_entries(limit)])
