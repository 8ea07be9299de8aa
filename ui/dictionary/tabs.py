"""What is asked of a tab of the dictionary, and what comes of it."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, TypeVar

from markupsafe import Markup
from pydantic import BaseModel

from serving.access import Actor
from serving.dictionary.service import DictionaryService
from ui.dictionary.place import Where
from ui.pages import Action, Visit, checked
from ui.words import Words

PAGE = 50
_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")
_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of an action: where they are now, what they are told; ``told`` is what the tab shows this once."""

    where: Where
    notice: str = ""
    focus: str = ""
    told: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TabRequest:
    """What is asked of a tab: who visits, where they are, and what they did ("" of a mere look)."""

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
        """Return what a button says of itself, "" for nothing."""
        return self.action.values.get(name, "")

    def field(self, name: str) -> str:
        """Return a field that was sent, without white space around it."""
        return self.action.fields.get(name, "").strip()

    async def call(
        self, function: Callable[Concatenate[Actor, _Given], _Made], *args: _Given.args, **kwargs: _Given.kwargs
    ) -> _Made:
        """Call a function of the dictionary, for whoever manages it."""
        return await self.visit.call("manage", function, *args, **kwargs)

    def render(self, tab: str, **values: object) -> Markup:
        return self.visit.render(f"dictionary/{tab}.html", where=self.where, **values)

    def changed(self, notice: str, change: int | None, focus: str, *, is_batch: bool = False) -> Outcome:
        """Return the outcome of a change: nothing is open any more, and the change can be undone."""
        undo = f"{'b' if is_batch else ''}{change}" if change else ""
        return Outcome(where=self.where.to(opened="", evidence=0, undo=undo), notice=notice, focus=focus)


RenderTab = Callable[[TabRequest, object], Awaitable[Markup]]
TabAction = Callable[[TabRequest], Awaitable[Outcome]]


def given(model: type[_Model], fields: Mapping[str, Any]) -> _Model:
    """Return what a form sent as the service takes it; fields that it has not are passed over.

    Raises:
        InvalidInput: a field must change.
    """
    return checked(model, {name: value for name, value in fields.items() if name in model.model_fields})
