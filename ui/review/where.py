"""Places on the review page: their addresses, and the fields of their forms."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from contracts.records import CONCERNS, ReviewFilter
from ui.pages import checked

TABS = ("queue", "cases", "runs")
STATES = ("open", "resolved", "ignored", "any")
PAGE = 25


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A place. ``turn``, ``case`` and ``run`` are the ids of what is open, "" for none; the rest filters the list of
    turns.

    ``new_case``: the form for a test case of ``turn`` is open.
    """

    tab: str = "queue"
    concern: str = ""
    state: str = "open"
    certainty_below: str = ""
    first_day: str = ""
    last_day: str = ""
    after: str = ""
    turn: str = ""
    new_case: str = ""
    case: str = ""
    run: str = ""

    @classmethod
    def of(cls, place: Mapping[str, str]) -> "Where":
        """Return the place that an address names; invalid parameters are ignored."""
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
        return replace(self, **changed)

    def place(self) -> dict[str, str]:
        """Return the parameters of the address, without default values."""
        return {each.name: value for each in fields(self) if (value := getattr(self, each.name)) != each.default}

    def wanted(self) -> ReviewFilter:
        """Return which turns are listed.

        Raises:
            InvalidInput: a day or the certainty is not valid.
        """
        asked: dict[str, Any] = {"first_day": self.first_day, "last_day": self.last_day}
        if self.concern:
            asked["concerns"] = (self.concern,)
        if self.certainty_below:
            asked["certainty_below"] = self.certainty_below
        return checked(ReviewFilter, {**asked, "state": None if self.state == "any" else self.state})


def _id(given: str) -> str:
    return given if given.replace("-", "").isalnum() and given.isascii() and len(given) <= 64 else ""


def sent_fields(fields: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a form, unchecked; empty ones are left out."""
    page = fields.get("page", "").strip()
    return {
        "question": fields.get("question", "").strip(),
        "history": _lines(fields.get("history", "")),
        "expect": fields.get("expect", ""),
        "answer": fields.get("answer", "").strip(),
        "accept": _lines(fields.get("accept", "")),
        "document": fields.get("document", "").strip() or None,
        "page": (int(page) if page.isdecimal() and len(page) < 8 else page) if page else None,
        "term": fields.get("term", "").strip() or None,
        "sense": fields.get("sense", "").strip() or None,
        "context": fields.get("context", "").strip() or None,
    }


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]
