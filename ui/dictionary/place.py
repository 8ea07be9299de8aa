"""Where in the dictionary somebody is: what the address says, and nothing else is remembered."""

from dataclasses import dataclass, fields, replace
from typing import Any

from ui.pages import Place

TABS = ("terms", "candidates", "queue", "import", "history", "contexts", "corrections")
_MAX_TEXT = 400
_MAX_QUESTION = 4_000
_MAX_START = 10_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A place in the dictionary.

    ``context`` is "" for any, else the name behind "=" ("=" alone: what holds everywhere). ``start`` is how many
    items are passed over; of the history it is the number before which changes are listed. ``opened`` names what is
    open in the list, and ``evidence`` which of its evidence is looked at. ``undo`` is the last change made here, with
    a "b" in front where it was a batch. ``q`` and ``department`` stand in the try-box.
    """

    tab: str = "terms"
    text: str = ""
    context: str = ""
    state: str = ""
    start: int = 0
    opened: str = ""
    evidence: int = 0
    score: str = ""
    undo: str = ""
    q: str = ""
    department: str = ""

    @classmethod
    def of(cls, place: Place) -> "Where":
        """Return the place that an address names, whatever stands in it."""
        known: dict[str, Any] = {}
        for each in fields(cls):
            told = place.get(each.name, "")
            if isinstance(each.default, int):
                known[each.name] = min(int(told), _MAX_START) if told.isdecimal() and len(told) < 10 else 0
            else:
                known[each.name] = told[: _MAX_QUESTION if each.name == "q" else _MAX_TEXT]
        where = cls(**known)
        return where if where.tab in TABS else replace(where, tab="terms")

    def place(self) -> Place:
        """Return what the address says of it; what is as usual is left out."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        return {each.name: str(told[each.name]) for each in fields(self) if told[each.name] != each.default}

    def at(self, tab: str, **changes: Any) -> "Where":
        """Return a tab's own start; the try-box and what can be undone stay."""
        start = Where(tab=tab if tab in TABS else "terms", q=self.q, department=self.department, undo=self.undo)
        return start.to(**changes)

    def to(self, **changes: Any) -> "Where":
        return replace(self, **changes)

    @property
    def context_filter(self) -> str | None:
        """The context that is wanted, None for any."""
        return self.context[1:] if self.context.startswith("=") else None
