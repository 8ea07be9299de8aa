"""Pages other than the chat, and visits: a browser's requests to these pages."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from markupsafe import Markup
from pydantic import BaseModel, ValidationError
from starlette.requests import Request

from contracts.errors import InvalidInput
from serving.access import Actor, Scope
from serving.authentication import admit
from serving.chat import ChatService
from serving.dictionary.service import DictionaryService
from serving.documents.service import DocumentsService
from serving.identity.guards import Guard
from serving.me import Me, MeService
from serving.rate_limits import RequestLimits
from serving.records.service import RecordsService
from ui.html import render
from ui.words import Words

Place = Mapping[str, str]
_Given = ParamSpec("_Given")
_Made = TypeVar("_Made")
_Model = TypeVar("_Model", bound=BaseModel)

# The channel stored with questions from these pages.
CHANNEL = "chat"
_MAX_FIELDS = 200
_MAX_CHARACTERS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """The services through which pages read and change data; each function takes the actor of the request."""

    me: MeService
    chat: ChatService
    dictionary: DictionaryService
    documents: DocumentsService
    records: RecordsService


@dataclass
class Visit:
    """One request of a browser: its caller, the services that they may use, and the texts of their language.

    ``prefix`` is the path under which a proxy serves the pages, "" for none; links and pictures need it.
    """

    services: Services
    words: Words
    request: Request
    guard: Guard
    limits: RequestLimits | None = None
    prefix: str = ""
    _me: Me | None = field(default=None, init=False)

    async def actor(self, scope: Scope) -> Actor:
        """Return the caller if they have ``scope``; checked as for a route of the API.

        Raises:
            Forbidden: they may not do that, or another web page could have sent the request.
            Unauthenticated, InvalidInput, Unavailable: as in ``Guard.authenticate``.
        """
        return await admit(self.request, self.guard, scope)

    async def call(
        self, scope: Scope, function: Callable[Concatenate[Actor, _Given], _Made], *args: _Given.args,
        **kwargs: _Given.kwargs,
    ) -> _Made:  # fmt: skip
        """Call a service's blocking function in a thread, for the caller, who needs ``scope``.

        Raises:
            GoldenError: as in ``actor`` and in the function.
        """
        actor = await self.actor(scope)
        return await asyncio.to_thread(function, actor, *args, **kwargs)

    @asynccontextmanager
    async def question(self) -> AsyncIterator[Actor]:
        """Count a question against the caller's limits while the block runs; yield the caller.

        Raises:
            TooManyRequests: they have reached a limit.
            GoldenError: as in ``actor``.
        """
        actor = await self.actor("ask")
        # If callers are not distinguished, there are no limits.
        async with self.limits.counted(actor.account) if self.limits and actor.account else nullcontext():
            yield actor

    async def me(self) -> Me:
        """Return the server's information about the visitor, fetched once. Raises the same errors as ``actor``."""
        if self._me is None:
            actor = await self.actor("ask")
            self._me = await self.services.me.describe(actor)
        return self._me

    def path(self, path: str) -> str:
        """Return the address of ``path``, which begins with ``/``, for the browser."""
        return f"{self.prefix}{path}"

    def render(self, template: str, **values: object) -> Markup:
        """Render a template with ``values``, the visitor's ``words`` and ``path``."""
        return render(template, words=self.words, path=self.path, **values)


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """An action of a person: the ``name`` of a button, its ``values``, and the fields around it.

    All of it comes from a browser and may be anything. Fields are texts: a ticked box is "on", an unticked one is
    missing, and several fields with the same name are joined by newlines.
    """

    name: str
    values: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str] = field(default_factory=dict)

    def number(self, name: str) -> int:
        """Return a value that is a number, -1 for anything else."""
        value = self.values.get(name, "")
        return int(value) if value.isdecimal() and len(value) < 16 else -1


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """The current content of a page.

    ``place`` is the query part of the address, so that a reload or a link comes back here; None keeps it. ``notice`` is
    shown once, in the page's status line. ``focus`` is the ``data-key`` of the element that gets the focus. ``title``
    is shown in the browser's tab before the product's name.
    """

    html: Markup
    place: Place | None = None
    notice: str = ""
    focus: str = ""
    title: str = ""


class Page(Protocol):
    """A page other than the chat. It does not depend on Gradio, and keeps no state between visits.

    ``name`` is its path and its name under ``nav.`` in the words; ``scope`` is the scope that it needs.
    """

    name: str
    scope: str

    async def show(self, visit: Visit, place: Place) -> Shown:
        """Show ``place``, which comes from an address and may be anything.

        Raises:
            GoldenError: it is refused.
        """

    def act(self, visit: Visit, place: Place, action: Action) -> AsyncIterator[Shown]:
        """Perform an action; yield the content of the page every time it changes.

        Raises:
            GoldenError: it is refused; the page shows the message, and stays as it is.
        """


def action_in(sent: Any) -> Action:
    """Return the action that a browser sent; without a valid name, the name is "", which no page knows."""
    told = sent if isinstance(sent, dict) else {}
    return Action(name=str(told.get("action") or "")[:100], values=texts_in(told.get("values")),
                  fields=texts_in(told.get("fields")))  # fmt: skip


def checked(model: type[_Model], values: Mapping[str, Any]) -> _Model:
    """Return a person's input as ``model``. Raises ``InvalidInput`` if a value is not valid."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise InvalidInput(f"{place}: {first['msg']}.", field=place) from error


def texts_in(sent: Any) -> dict[str, str]:
    """Return the texts that a browser sent, by name; anything else is ignored."""
    if not isinstance(sent, dict):
        return {}
    named = [(str(name), value) for name, value in list(sent.items())[:_MAX_FIELDS] if isinstance(value, str)]
    return {name: value[:_MAX_CHARACTERS] for name, value in named}
