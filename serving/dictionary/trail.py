"""Routes of what happened: the history of changes and batches, undoing, corrections of readings."""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from serving.access import RequestGuard
from serving.dictionary.base import DictionaryDesk, DictionaryKeeper, DictionaryReader
from serving.dictionary.problems import problems
from serving.dictionary.rendering import batch_item, change_item, correction_item
from serving.dictionary.routing import Acting, dictionary_router, in_thread
from serving.dictionary.senses import MAX_LIMIT, MAX_NUMBER, Sought
from serving.dictionary.trail_wire import BatchItem, BatchList, ChangeList, ChangesMade, CorrectionList

ChangeNumber = Annotated[int, Path(ge=1, le=MAX_NUMBER, description="The change's number.", examples=[41])]
PageLimit = Annotated[int, Query(ge=1, le=MAX_LIMIT, description="How many items to list.")]


def trail_routes(desk: DictionaryDesk, guard: RequestGuard) -> APIRouter:
    """Return the routes under ``/history`` and ``/batches``, and ``/corrections``."""
    router = dictionary_router(guard, "manage", whole="The dictionary's history")

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
    async def undo(number: ChangeNumber, actor: Acting) -> ChangesMade:
        """Take a change back (a merge as a whole); refused where an entry has changed since. This can be undone, too.

        Send the header X-Golden-Request: 1.
        """
        return await in_thread(_undo, desk.keeper.acting_as(actor.name), number)

    @router.get("/batches", summary="List what was changed at once", responses=problems())
    async def batches(limit: PageLimit = 50) -> BatchList:
        """List imports, merges and whatever else was changed at once, the newest first, each with its counts."""
        return await in_thread(_batches, desk.keeper, limit)

    @router.get("/batches/{number}", summary="List a batch's changes", responses=problems(404))
    async def batch(number: ChangeNumber, limit: PageLimit = 50) -> ChangesMade:
        """List the changes that were made with a change, in their order."""
        return await in_thread(_batch, desk.keeper, number, limit)

    @router.post("/batches/{number}/undo", summary="Undo a batch", responses=problems(404, 409))
    async def undo_batch(number: ChangeNumber, actor: Acting) -> BatchItem:
        """Take back all that was changed at once, such as an import, or nothing of it. This can be undone, too.

        Send the header X-Golden-Request: 1.
        """
        return batch_item(await in_thread(desk.keeper.acting_as(actor.name).undo_batch, number))

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


def _batches(reader: DictionaryReader, limit: int) -> BatchList:
    return BatchList(items=[batch_item(each) for each in reader.batches(limit=limit)])


def _batch(reader: DictionaryReader, number: int, limit: int) -> ChangesMade:
    return ChangesMade(items=[change_item(each) for each in reader.batch_changes(number, limit=limit)])


def _undo(keeper: DictionaryKeeper, number: int) -> ChangesMade:
    return ChangesMade(items=[change_item(change) for change in keeper.undo(number)])


def _corrections(reader: DictionaryReader, limit: int) -> CorrectionList:
    return CorrectionList(items=[correction_item(each) for each in reader.correction_entries(limit)])
