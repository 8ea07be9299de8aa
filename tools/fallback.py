"""Judges with two implementations: the second takes over if the first fails."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from typing import Any, TypeVar, cast

from contracts.errors import Unavailable
from contracts.provenance import Provenance

Judge = TypeVar("Judge")


def with_fallback(first: Judge, fallback: Judge, *, refuse: bool = False) -> Judge:
    """Return a judge with the same Protocol that asks ``first``, and asks ``fallback`` if ``first`` is unavailable.

    The Protocol has one public method. It returns a value with a ``provenance``, or streams text that ends with such a
    value. After a failure, ``degraded`` in the provenance is the reason why ``first`` did not answer. Text that
    ``first`` had already streamed is not part of the fallback's value, so the caller must replace it. If ``refuse`` is
    true, the error of ``first`` is raised instead.
    """
    (verb,) = _public_methods(first) & _public_methods(fallback)
    method = getattr(first, verb)
    make = _streamed if inspect.isasyncgenfunction(method) else _awaited
    # The wrapper has one method with the same signature, and so implements the Protocol, but type checkers cannot see
    # this.
    return cast(Judge, _OneVerb(verb, make(method, getattr(fallback, verb), refuse)))


class _OneVerb:
    """Has one public method, ``verb``."""

    def __init__(self, verb: str, method: Callable[..., Any]) -> None:
        self._verb = verb
        setattr(self, verb, method)

    def __repr__(self) -> str:
        return f"<degrading {self._verb}>"


def _public_methods(judge: object) -> set[str]:
    names = {name for each in type(judge).__mro__ for name in vars(each)} | set(vars(judge))
    return {
        name for name in names if not name.startswith("_") and inspect.isfunction(inspect.getattr_static(judge, name))
    }


def _awaited(
    first: Callable[..., Awaitable[Any]], fallback: Callable[..., Awaitable[Any]], refuse: bool
) -> Callable[..., Awaitable[Any]]:
    async def judge(*arguments: Any, **named: Any) -> Any:
        try:
            return await first(*arguments, **named)
        except Unavailable as error:
            if refuse:
                raise
            return explained(await fallback(*arguments, **named), error)

    return judge


def _streamed(
    first: Callable[..., AsyncIterator[Any]], fallback: Callable[..., AsyncIterator[Any]], refuse: bool
) -> Callable[..., AsyncIterator[Any]]:
    async def judge(*arguments: Any, **named: Any) -> AsyncIterator[Any]:
        streamed = False
        try:
            async with aclosing(cast(Any, first(*arguments, **named))) as pieces:
                async for piece in pieces:
                    streamed = streamed or isinstance(piece, str)
                    yield piece
            return
        except Unavailable as error:
            if refuse:
                raise
            reason = error
        gap = "\n\n" if streamed else ""
        async with aclosing(cast(Any, fallback(*arguments, **named))) as pieces:
            async for piece in pieces:
                if isinstance(piece, str):
                    yield gap + piece
                    gap = ""
                else:
                    yield explained(piece, reason)

    return judge


def explained(value: Any, error: Unavailable) -> Any:
    """Return ``value``; ``degraded`` in its provenance is set to the reason why the language model did not make it."""
    reason = f"the language model did not answer ({error})"
    provenance: Provenance = value.provenance.model_copy(update={"degraded": reason})
    return value.model_copy(update={"provenance": provenance})
