"""The overview page: the questions of recent days, their outcomes and response times."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import get_args

from contracts.answer import Outcome
from ui.pages import Action, Place, Shown, Visit

CHOICES = (7, 30, 90)
_DEFAULT = 30
_OUTCOMES = get_args(Outcome)


class OverviewPage:
    """The page that shows how the bot is used and how well it works."""

    name = "overview"
    scope = "manage"

    async def show(self, visit: Visit, place: Place) -> Shown:
        return await _shown(visit, next((each for each in CHOICES if place.get("days") == str(each)), _DEFAULT))

    async def act(self, visit: Visit, place: Place, action: Action) -> AsyncIterator[Shown]:
        if action.name == "range" and (days := action.number("days")) in CHOICES:
            yield await _shown(visit, days, focus=f"range-{days}")


async def _shown(visit: Visit, days: int, focus: str = "") -> Shown:
    last = datetime.now(UTC).date()
    first = last - timedelta(days=days - 1)
    overview = await visit.call("manage", visit.services.records.overview, str(first), str(last))
    html = visit.render(
        "overview/page.html",
        days=days,
        choices=CHOICES,
        outcomes=_OUTCOMES,
        overview=overview,
        terms=[(each.term, each.count) for each in overview.terms],
        documents=[
            (each.name if each.there else visit.words("overview.gone", name=each.name), each.count)
            for each in overview.documents
        ],
        keeps=(await visit.me()).keeps_conversations,
    )
    place = {} if days == _DEFAULT else {"days": str(days)}
    return Shown(html=html, place=place, focus=focus, title=visit.words("overview.title"))
