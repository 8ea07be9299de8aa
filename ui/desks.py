"""What every page beside the chat is: a desk that shows a place of its own and does what a person asks of it there."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from ui.client import ApiSession
from ui.html import Safe
from ui.me import Me, read_me
from ui.words import Words

Place = Mapping[str, str]

_MAX_FIELDS = 200
_MAX_CHARACTERS = 1_000_000


class Visit:
    """One request of a browser: the API as its person may use it, the words of their language, where the pages are.

    ``prefix`` is the path under which a proxy serves the pages, "" for none: it begins the paths of pictures and links.
    """

    def __init__(self, session: ApiSession, words: Words, *, prefix: str = "") -> None:
        self.session = session
        self.words = words
        self.prefix = prefix
        self._me: Me | None = None

    async def me(self) -> Me:
        """Return who they are; asked once.

        Raises:
            ApiProblem: the server does not say.
        """
        if self._me is None:
            self._me = await read_me(self.session)
        return self._me

    def path(self, path: str) -> str:
        """Return the address of ``path``, which begins with ``/``, for the browser."""
        return f"{self.prefix}{path}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What a person did: the ``name`` of a button, what it says of itself (``values``), and the fields around it.

    All of it came from a browser and may be anything. A field is a text; a box that is ticked is "on", one that is not
    is missing; several of one name are joined by newlines.
    """

    name: str
    values: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """Return a value that is a number of our own, -1 for anything else."""
        value = self.values.get(name, "")
        return int(value) if value.isdecimal() and len(value) < 16 else -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """What a page shows now.

    ``place`` is what the address says behind ``?``, so that a reload or a link comes back here; None leaves it.
    ``notice`` is said once, in the page's status line. ``focus`` is the ``data-key`` of what gets the keyboard.
    ``title`` stands in the browser's tab before the product's name.
    """

    html: Safe
    place: Place | None = None
    notice: str = ""
    focus: str = ""
    title: str = ""


class Desk(Protocol):
    """A page. It knows no Gradio; every browser's visit is its own, and nothing is kept between them."""

    @property
    def name(self) -> str:
        """Its name in ``nav.`` of the words, and its path."""
        ...

    @property
    def scope(self) -> str:
        """The scope that it needs."""
        ...

    async def show(self, visit: Visit, place: Place) -> Shown:
        """Show ``place``, which came from an address and may be anything.

        Raises:
            ApiProblem: the server refuses it.
        """
        ...

    def act(self, visit: Visit, place: Place, action: Action) -> AsyncIterator[Shown]:
        """Do what a person asks; yield what the page shows, as often as it changes.

        Raises:
            ApiProblem: the server refuses it; the page says so, and stays as it is.
        """
        ...


def action_in(sent: Any) -> Action:
    """Return the action that a browser sent; one without a name is none of any desk."""
    told = sent if isinstance(sent, dict) else {}
    return Action(name=str(told.get("action") or "")[:100], values=texts_in(told.get("values")),
                  fields=texts_in(told.get("fields")))  # fmt: skip


def texts_in(sent: Any) -> dict[str, str]:
    """Return the texts by name that a browser sent, whatever else it sent."""
    if not isinstance(sent, dict):
        return {}
    named = [(str(name), value) for name, value in list(sent.items())[:_MAX_FIELDS] if isinstance(value, str)]
    return {name: value[:_MAX_CHARACTERS] for name, value in named}
