"""The place in the dictionary, requests to a tab, and their outcome."""

import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Concatenate, ParamSpec, TypeVar

from markupsafe import Markup
from pydantic import BaseModel

from contracts.jargon import SenseState
from serving.access import Actor
from serving.dictionary.service import DictionaryService
from ui.pages import Action, Place, Visit, checked
from ui.words import Words

TABS = ("terms", "candidates", "queue", "import", "history", "contexts")
PAGE = 50
STATES: tuple[SenseState, ...] = ("published", "draft", "rejected")
_MAX_TEXT = 400
_MAX_QUESTION = 4_000
_MAX_START = 10_000_000
_BETWEEN = re.compile(r"[;\n]")
_FIELDS = ("term", "extended_name", "context", "description", "notes", "source", "aliases", "state")
_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")
_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Where:
    """A place in the dictionary.

    ``context`` is "" for any, otherwise "=" and the name ("=" alone: meanings that apply everywhere). ``start`` is the
    number of items skipped, or in the history the number before which changes are listed. ``opened`` names the open
    item of the list. ``undo`` is the last change made here. ``q`` and ``department`` are the contents of the try-box.
    """

    tab: str = "terms"
    text: str = ""
    context: str = ""
    state: str = ""
    start: int = 0
    opened: str = ""
    score: str = ""
    undo: str = ""
    q: str = ""
    department: str = ""

    @classmethod
    def of(cls, place: Place) -> "Where":
        """Return the place that an address names, even if the address is not valid."""
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
        """Return the parameters of the address, without default values."""
        told = {each.name: getattr(self, each.name) for each in fields(self)}
        return {each.name: str(told[each.name]) for each in fields(self) if told[each.name] != each.default}

    def at(self, tab: str, **changes: Any) -> "Where":
        """Return the start of a tab; the try-box and the undo offer stay."""
        start = Where(tab=tab if tab in TABS else "terms", q=self.q, department=self.department, undo=self.undo)
        return start.to(**changes)

    def to(self, **changes: Any) -> "Where":
        return replace(self, **changes)

    @property
    def context_filter(self) -> str | None:
        """The requested context, None for any."""
        return self.context[1:] if self.context.startswith("=") else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The result of an action: the new place and the notice; ``told`` is content that the tab shows only once."""

    where: Where
    notice: str = ""
    focus: str = ""
    told: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TabRequest:
    """A request to a tab: the visitor, the place, and the action ("" for just viewing)."""

    visit: Visit
    where: Where
    action: Action = field(default_factory=lambda: Action(name=""))

    @property
    def dictionary(self) -> DictionaryService:
        return self.visit.services.dictionary

    @property
    def words(self) -> Words:
        return self.visit.words

    @property
    def number(self) -> int:
        """The number of the entry that the action is about, -1 for none."""
        return self.action.number("id")

    def value(self, name: str) -> str:
        """Return a value of the button, "" if it has none."""
        return self.action.values.get(name, "")

    def field(self, name: str) -> str:
        """Return a submitted field, without surrounding white space."""
        return self.action.fields.get(name, "").strip()

    async def call(
        self, function: Callable[Concatenate[Actor, _Given], _Made], *args: _Given.args, **kwargs: _Given.kwargs
    ) -> _Made:
        """Call a function of the dictionary that needs the permission to manage it."""
        return await self.visit.call("manage", function, *args, **kwargs)

    def render(self, tab: str, **values: object) -> Markup:
        return self.visit.render(f"dictionary/{tab}.html", where=self.where, **values)

    def changed(self, notice: str, change: int | None, focus: str) -> Outcome:
        """Return the outcome of a change: nothing is open, and the change can be undone."""
        undo = str(change) if change else ""
        return Outcome(where=self.where.to(opened="", undo=undo), notice=notice, focus=focus)


RenderTab = Callable[[TabRequest, object], Awaitable[Markup]]
TabAction = Callable[[TabRequest], Awaitable[Outcome]]


def given(model: type[_Model], sent: Mapping[str, Any]) -> _Model:
    """Return a submitted form as the service expects it; unknown fields are ignored.

    Raises:
        InvalidInput: a field is not valid.
    """
    return checked(model, {name: value for name, value in sent.items() if name in model.model_fields})


def fields_in(sent: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of a meaning that a form sent, as the API expects them."""
    told: dict[str, Any] = {name: sent[name].strip() for name in _FIELDS if name in sent}
    if "aliases" in told:
        told["aliases"] = [each.strip() for each in _BETWEEN.split(told["aliases"]) if each.strip()]
    if told.get("state") not in STATES:
        told.pop("state", None)
    return told
