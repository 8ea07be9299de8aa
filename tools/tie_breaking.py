"""Judgements that ask a second judge only where the first one's verdict lies close."""

from collections.abc import Awaitable, Callable
from typing import Any, TypeVar, cast

from contracts.errors import Unavailable
from contracts.provenance import Provenance
from tools.degrading import OneVerb, common_verb, explained

Judge = TypeVar("Judge")

# Asked with the verdict, and behind it with what the judge was asked.
IsClose = Callable[..., Awaitable[bool]]


def breaking_ties(first: Judge, second: Judge, is_close: IsClose, *, refuse: bool = False) -> Judge:
    """Return a judge of the same Protocol that asks ``first``, and ``second`` too where that verdict ``is_close``.

    The Protocol has one verb, awaited, whose result is a value with a ``provenance``. Where a verdict is close, the
    second one decides: its verdict is given whole, and its provenance says as ``tie`` whose verdict it was asked on.
    Where the second is unavailable the first verdict stands, which then says so as ``degraded``; with ``refuse`` the
    error is raised instead. Whatever ``is_close`` does not call close, such as what a hard rule decided, nobody
    overrules.

    Raises:
        TypeError: the two do not have exactly one public method in common.
    """
    verb = common_verb(first, second)
    settled: Callable[..., Awaitable[Any]] = getattr(first, verb)
    asked: Callable[..., Awaitable[Any]] = getattr(second, verb)

    async def judge(*arguments: Any, **named: Any) -> Any:
        verdict = await settled(*arguments, **named)
        if not await is_close(verdict, *arguments, **named):
            return verdict
        try:
            broken = await asked(*arguments, **named)
        except Unavailable as error:
            if refuse:
                raise
            return _told(explained(verdict, error), "the language model was asked in vain", 0.0)
        by = broken.provenance.model or broken.provenance.implementation
        return _told(broken, f"{by} broke the tie", verdict.provenance.milliseconds)

    # One verb, with the signature of both: the Protocol is kept, which the type checker cannot see.
    return cast(Judge, OneVerb(verb, judge, "tie-breaking"))


def _told(verdict: Any, outcome: str, waited_ms: float) -> Any:
    own: Provenance = verdict.provenance
    tie = f"the embedded verdict lay close; {outcome}"
    own = own.model_copy(update={"tie": tie, "milliseconds": waited_ms + own.milliseconds})
    return verdict.model_copy(update={"provenance": own})
