"""What a tab of the desk is: it renders its place, and does what is asked of it there."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from ui.client import ApiProblem
from ui.dictionary.api import DictionaryApi
from ui.dictionary.where import Where
from ui.html import Safe
from ui.pages import Action, Visit
from ui.words import Words

PRECONDITION_FAILED = 412


@dataclass(frozen=True, slots=True, kw_only=True)
class Errand:
    """What a tab works with: who visits, where they are, and what they did ("" of a mere look)."""

    visit: Visit
    where: Where
    action: Action = field(default_factory=lambda: Action(name=""))

    @property
    def api(self) -> DictionaryApi:
        """The dictionary as they may use it."""
        return DictionaryApi(self.visit.session)

    @property
    def words(self) -> Words:
        """The words of their language."""
        return self.visit.words

    def field(self, name: str) -> str:
        """Return a field that was sent, without white space around it."""
        return self.action.fields.get(name, "").strip()


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of an errand: where they are now, what they are told; ``told`` is what the tab shows this once."""

    where: Where
    notice: str = ""
    focus: str = ""
    told: object = None


Doing = Callable[[Errand], Awaitable[Outcome]]


class Tab(Protocol):
    """A tab."""

    @property
    def actions(self) -> Mapping[str, Doing]:
        """What can be asked of it, by name.

        Each raises ``ApiProblem`` where the server refuses it.
        """
        ...

    async def render(self, errand: Errand, told: object) -> Safe:
        """Render the tab; ``told`` is that of an outcome just before.

        Raises:
            ApiProblem: the server refuses to say what there is.
        """
        ...


def is_stale(problem: ApiProblem) -> bool:
    """Say whether a change was refused because somebody changed the entry since."""
    return problem.status == PRECONDITION_FAILED
