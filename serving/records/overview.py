"""The route of the overview: what was asked by day, how it went, how long it took."""

from datetime import UTC, date, datetime, timedelta

from fastapi import APIRouter

from contracts.errors import InvalidInput
from serving.access import RequestGuard
from serving.dictionary.problems import problems
from serving.dictionary.routing import Acting, guarded_router, in_thread
from serving.records.base import RecordsDesk
from serving.records.rendering import overview_out
from serving.records.review import Day
from serving.records.wire import OverviewOut

PREFIX = "/api/overview"
MAX_DAYS = 400
_DAYS_SHOWN = 30
_FIRST_YEAR = 2000


def overview_routes(desk: RecordsDesk, guard: RequestGuard) -> APIRouter:
    """Return the route ``/api/overview``."""
    router = guarded_router(PREFIX, "overview", guard, "manage")

    @router.get("", summary="Count questions by day", responses=problems())
    async def overview(actor: Acting, first_day: Day = "", last_day: Day = "") -> OverviewOut:
        """Count what was asked, by day in UTC: the last 30 days, unless others are named (400 at most).

        What counts is what you may review; conversations that were deleted do not.
        """
        last = _day(last_day, "last_day") if last_day else datetime.now(UTC).date()
        first = _day(first_day, "first_day") if first_day else last - timedelta(days=_DAYS_SHOWN - 1)
        if not timedelta(0) <= last - first < timedelta(days=MAX_DAYS):
            raise InvalidInput(
                f"first_day: name 1 to {MAX_DAYS} days, the first before the last, not {first} to {last}.",
                field="first_day",
            )
        found = await in_thread(desk.counter.count, actor.groups, str(first), str(last))
        return overview_out(found, str(first), str(last))

    return router


def _day(given: str, field: str) -> date:
    try:
        found = date.fromisoformat(given)
    except ValueError:
        found = date.min
    if found.year < _FIRST_YEAR:
        raise InvalidInput(f"{field}: {given} is no day of ours: write 2026-01-31.", field=field)
    return found
