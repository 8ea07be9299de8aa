"""What a tab of the dictionary is: it renders its place, and does what is asked of it there."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from pydantic import BaseModel, ValidationError

from contracts.errors import InvalidInput
from serving.access import Actor
from serving.dictionary.service import DictionaryService
from ui.dictionary.place import Where
from ui.html import Safe
from ui.pages import Action, Visit
from ui.words import Words

_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")
_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class TabRequest:
    """What is asked of a tab: who visits, where they are, and what they did ("" of a mere look)."""

    visit: Visit
    where: Where
    action: Action = field(default_factory=lambda: Action(name=""))

    @property
    def dictionary(self) -> DictionaryService:
        """The dictionary."""
        return self.visit.services.dictionary

    async def call(
        self, function: Callable[Concatenate[Actor, _Given], _Made], *args: _Given.args, **kwargs: _Given.kwargs
    ) -> _Made:
        """Call a function of the dictionary, for whoever manages it."""
        return await self.visit.call("manage", function, *args, **kwargs)

    @property
    def words(self) -> Words:
        """The words of their language."""
        return self.visit.words

    def field(self, name: str) -> str:
        """Return a field that was sent, without white space around it."""
        return self.action.fields.get(name, "").strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of an action: where they are now, what they are told; ``told`` is what the tab shows this once."""

    where: Where
    notice: str = ""
    focus: str = ""
    told: object = None


TabAction = Callable[[TabRequest], Awaitable[Outcome]]


class Tab(Protocol):
    """A tab."""

    @property
    def actions(self) -> Mapping[str, TabAction]:
        """What can be asked of it, by name.

        Each raises ``GoldenError`` where it is refused.
        """
        ...

    async def render(self, request: TabRequest, told: object) -> Safe:
        """Render the tab; ``told`` is that of an outcome just before.

        Raises:
            GoldenError: it is refused.
        """
        ...


def given(model: type[_Model], fields: Mapping[str, Any]) -> _Model:
    """Return what a form sent as the service takes it; fields that it has not are passed over.

    Raises:
        InvalidInput: a field must change.
    """
    try:
        return model.model_validate({name: value for name, value in fields.items() if name in model.model_fields})
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"]))
        raise InvalidInput(f"{field}: {first['msg']}.", field=field) from error
