"""The dictionary of an open bot."""

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar

from contracts.jargon import Context, Sense, SenseState

if TYPE_CHECKING:
    from jargon_db.store import JargonStore

_Parameters = ParamSpec("_Parameters")
_Result = TypeVar("_Result")


class Jargon:
    """Reads and changes a bot's dictionary; a change takes effect with the next question, in every process.

    Every method raises ``Unavailable`` if the database cannot be used right now.
    """

    def __init__(self, store: "Callable[[], JargonStore]") -> None:
        self._store = store

    def add(
        self, term: str, extended_name: str, *, context: str = "", description: str = "", aliases: Sequence[str] = ()
    ) -> Sense:
        """Add a published meaning of ``term``, or change the one with this extended name in this context.

        ``context`` "" means everywhere; an unknown context is created without a description.

        Raises:
            InvalidInput: a field is empty or too long, or contradicts another field.
        """
        return self._store().add_sense(
            term,
            extended_name,
            context=context,
            description=description,
            aliases=(aliases,) if isinstance(aliases, str) else tuple(aliases),
        )

    def look_up(self, term: str) -> tuple[Sense, ...]:
        """Return the published meanings of a term or alias, in any letter case; none for an unknown one."""
        return self._store().look_up([term])[term]

    def list(self, *, context: str | None = None, state: SenseState = "published") -> tuple[Sense, ...]:
        """Return the meanings of ``context`` ("": those that apply everywhere; None: all) in ``state``.

        Meanings that ingestion finds in the documents are in the state "draft" until they are published.
        """
        return self._store().senses(context=context, state=state)

    def publish(self, sense_id: int) -> Sense:
        """Publish the draft with this ``id`` and return it. Raises ``NotFound`` if there is no such meaning."""
        return self._store().set_state(sense_id, "published")

    def remove(self, sense_id: int) -> Sense:
        """Remove the meaning with this ``id`` and return it. Raises ``NotFound`` if there is no such meaning."""
        return self._store().remove_sense(sense_id).deleted

    def add_context(self, name: str, *, description: str = "", examples: Sequence[str] = ()) -> Context:
        """Add or change a context (a department or subject); ``examples`` are typical questions in it.

        Raises:
            InvalidInput: the name is empty, or a text is too long.
        """
        context = Context(name=name, description=description, examples=tuple(examples))
        self._store().put_context(context)
        return context

    def contexts(self) -> tuple[Context, ...]:
        """Return all contexts, sorted by name."""
        return self._store().contexts()


def _in_thread(
    method: Callable[Concatenate[Jargon, _Parameters], _Result],
) -> Callable[Concatenate["AsyncJargon", _Parameters], Coroutine[Any, Any, _Result]]:
    @wraps(method)
    async def call(self: "AsyncJargon", /, *args: _Parameters.args, **named: _Parameters.kwargs) -> _Result:
        return await asyncio.to_thread(method, self.blocking, *args, **named)

    return call


class AsyncJargon:
    """``Jargon`` with coroutines instead of methods; ``blocking`` is the underlying ``Jargon``."""

    def __init__(self, blocking: Jargon) -> None:
        self.blocking = blocking

    add = _in_thread(Jargon.add)
    look_up = _in_thread(Jargon.look_up)
    list = _in_thread(Jargon.list)
    publish = _in_thread(Jargon.publish)
    remove = _in_thread(Jargon.remove)
    add_context = _in_thread(Jargon.add_context)
    contexts = _in_thread(Jargon.contexts)
