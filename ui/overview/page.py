"""The overview's page: which days are shown."""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime

from ui.overview.rendering import render_overview
from ui.overview.spans import CHOICES, Chosen
from ui.pages import Action, Place, Shown, Visit


class OverviewPage:
    """The page that shows how the bot is used and how it does."""

    @property
    def name(self) -> str:
        """Its name, and its path."""
        return "overview"

    @property
    def scope(self) -> str:
        """Looking at what people asked."""
        return "manage"

    async def show(self, visit: Visit, place: Place) -> Shown:
        """Show the days that an address names, or the last 30."""
        return await _shown(visit, Chosen.of_place(place, _today()))

    async def act(self, visit: Visit, place: Place, action: Action) -> AsyncIterator[Shown]:
        """Choose other days."""
        if action.name == "range" and (days := action.number("days")) in CHOICES:
            yield await _shown(visit, Chosen.of_place({"days": str(days)}, _today()), focus=f"range-{days}")
        elif action.name == "days":
            yield await _shown(visit, Chosen.of_place(action.fields, _today()), focus="days")


async def _shown(visit: Visit, chosen: Chosen, focus: str = "") -> Shown:
    days = (str(chosen.first), str(chosen.last))
    overview = await visit.call("manage", visit.services.records.overview, *days)
    keeps = (await visit.me()).keeps_conversations
    html = render_overview(overview, chosen, visit.words, path=visit.path, keeps=keeps)
    return Shown(html=html, place=chosen.place, focus=focus, title=visit.words("overview.title"))


def _today() -> date:
    return datetime.now(UTC).date()
