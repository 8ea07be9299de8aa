"""Ahead of the gate: the draft is begun while it is still judged whether the passages hold the answer."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import replace

from langgraph.runtime import Runtime

from agent.services import Services
from contracts.answer import DraftAhead
from intrinsics.answer_generation import BegunDraft, StartingAnswerWriter, WritingBrief


class _Ahead:
    """The draft that was begun for one question, if any."""

    def __init__(self) -> None:
        self.begun: tuple[WritingBrief, BegunDraft] | None = None

    async def end(self) -> bool:
        """End it, unless its writer has handed it out; say whether there was one to end."""
        begun, self.begun = self.begun, None
        if begun is None:
            return False
        await begun[1].end()
        return True


# That of the question in this task. It is no part of the state: whichever way the question ends, it ends with it.
_AHEAD: ContextVar[_Ahead | None] = ContextVar("ahead", default=None)


@asynccontextmanager
async def drafting_ahead() -> AsyncIterator[None]:
    """Let drafts of the question in this task be begun ahead; what is under way of one at the end is ended."""
    ahead = _Ahead()
    _AHEAD.set(ahead)
    try:
        yield
    finally:
        await ahead.end()


async def begin_ahead(brief: WritingBrief, runtime: Runtime[Services]) -> None:
    """Begin the draft for ``brief`` where the writer can, in the place of one that was begun before."""
    ahead, writer = _AHEAD.get(), runtime.context.answer_writer
    if ahead is None or not brief.passages or not isinstance(writer, StartingAnswerWriter):
        return
    await drop_ahead(runtime)
    ahead.begun = brief, writer.begin(brief)
    runtime.stream_writer(DraftAhead(state="begun"))


async def drop_ahead(runtime: Runtime[Services]) -> None:
    """End the draft that was begun, if any: it is not wanted."""
    ahead = _AHEAD.get()
    if ahead is not None and await ahead.end():
        runtime.stream_writer(DraftAhead(state="dropped"))


def is_ahead() -> bool:
    """Say whether a draft was begun, so that what is judged of its passages is not waited for yet."""
    ahead = _AHEAD.get()
    return ahead is not None and ahead.begun is not None


async def take_ahead(brief: WritingBrief, runtime: Runtime[Services]) -> WritingBrief:
    """Return ``brief`` with the draft that was begun for it; one that was begun for another brief is ended."""
    ahead = _AHEAD.get()
    if ahead is None or ahead.begun is None:
        return brief
    foreseen, draft = ahead.begun
    if foreseen != brief:
        await drop_ahead(runtime)
        return brief
    # It stays with the question until its writer has handed it out: the question may end before.
    runtime.stream_writer(DraftAhead(state="used"))
    return replace(brief, begun=draft)
