"""Where on the review desk somebody is: what the page's address says."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

TABS = ("queue", "cases", "runs")
CONCERNS = ("thumbs_down", "declined", "unknown_term", "low_certainty", "degraded")
STATES = ("open", "resolved", "ignored", "any")
PAGE = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A place. ``turn``, ``case`` and ``run`` are what is open, "" for none; the rest says which turns are listed.

    ``making``: the form for a test case of ``turn`` is open.
    """

    tab: str = "queue"
    concern: str = ""
    state: str = "open"
    certainty_below: str = ""
    first_day: str = ""
    last_day: str = ""
    after: str = ""
    turn: str = ""
    making: str = ""
    case: str = ""
    run: str = ""

    @classmethod
    def of(cls, place: Mapping[str, str]) -> "Where":
        """Return the place that an address names; what it should not say counts for nothing."""
        known = {each.name for each in fields(cls)}
        where = cls(**{name: value[:1_000] for name, value in place.items() if name in known})
        return replace(
            where,
            tab=where.tab if where.tab in TABS else "queue",
            concern=where.concern if where.concern in CONCERNS else "",
            state=where.state if where.state in STATES else "open",
            turn=_id(where.turn),
            case=_id(where.case),
            run=_id(where.run),
        )

    def to(self, **changed: str) -> "Where":
        """Return this place with changes."""
        return replace(self, **changed)

    def place(self) -> dict[str, str]:
        """Return what the address says; what goes without saying is left out."""
        return {each.name: value for each in fields(self) if (value := getattr(self, each.name)) != each.default}

    def asked(self) -> dict[str, Any]:
        """Return the parameters of the list, without those of paging and concern."""
        return {
            "state": self.state,
            "certainty_below": self.certainty_below or None,
            "first_day": self.first_day or None,
            "last_day": self.last_day or None,
        }


def _id(given: str) -> str:
    return given if given.replace("-", "").isalnum() and given.isascii() and len(given) <= 64 else ""
