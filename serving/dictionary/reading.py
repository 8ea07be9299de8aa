"""Routes that show how the dictionary reads: at a glance, by spelling, for a question, and what deserves a look."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Query

from contracts.question import Asker
from jargon_db.pages import SenseFilter
from serving.access import RequestGuard, expect_all_groups
from serving.dictionary.base import DictionaryDesk, DictionaryReader
from serving.dictionary.problems import problems
from serving.dictionary.rendering import counts_out, question_reading, sense_out
from serving.dictionary.routing import Acting, dictionary_router, in_thread
from serving.dictionary.trail_wire import FindingItem, FindingList, QuestionIn, QuestionReading
from serving.dictionary.wire import LookedUp, LookupList, Overview

# Each walks the whole dictionary and asks the documents about every term.
_CHECKS_AT_ONCE = 1


def reading_routes(desk: DictionaryDesk, guard: RequestGuard) -> tuple[APIRouter, APIRouter]:
    """Return the dictionary's overview, ``/lookup`` and ``/check``; and ``/readings``, which askers may use."""
    router, asking = dictionary_router(guard, "manage"), dictionary_router(guard, "ask")
    turns = asyncio.Semaphore(_CHECKS_AT_ONCE)

    @router.get("", summary="See the dictionary at a glance", responses=problems())
    async def overview(actor: Acting) -> Overview:
        """Return the dictionary's version, which changes with each change of it, and how much it holds."""
        return await in_thread(_overview, desk.keeper_for(actor), actor.name)

    @router.get("/lookup", summary="Look spellings up", responses=problems())
    async def lookup(
        term: Annotated[
            list[Annotated[str, Query(max_length=400)]],
            Query(min_length=1, max_length=100, description="A term or an alias, in any letter case (repeatable)."),
        ],
    ) -> LookupList:
        """Look terms up as the bot does: their published meanings, the closest spelling first."""
        found = await in_thread(desk.keeper.look_up, term)
        return LookupList(
            items=[LookedUp(term=each, senses=[sense_out(sense) for sense in found[each]]) for each in found]
        )

    @router.get("/check", summary="Check the dictionary", responses=problems())
    async def check(actor: Acting) -> FindingList:
        """Say what deserves a look, such as a meaning that is there twice, or a term that no document uses."""
        expect_all_groups(actor, "Checking the dictionary")
        async with turns:
            found = await in_thread(desk.inspector.inspect)
        return FindingList(
            items=[FindingItem(kind=each.kind, text=each.text, senses=list(each.senses)) for each in found]
        )

    @asking.post("/readings", summary="Try how a question is read", responses=problems(400, 413, 415))
    async def read(given: QuestionIn, actor: Acting) -> QuestionReading:
        """Say which terms of a question are found, how each would be read and why. Nothing is answered or kept."""
        asker = Asker(department=given.department or actor.department, groups=actor.groups)
        return question_reading(await desk.previewer.preview(given.question, asker=asker))

    return router, asking


def _overview(reader: DictionaryReader, user: str) -> Overview:
    version = reader.version()
    return Overview(
        version=version,
        counts=counts_out(reader.page(SenseFilter(), limit=0).counts),
        contexts=len(reader.context_entries()),
        unknown_terms=len(reader.unknown_terms()),
        user=user,
    )
