"""Work on single sentences that is begun before it is asked for, while the rest is still being written."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from contracts.text import Passage
from tools.precedence import Unhurried, unhurried

_Verdict = TypeVar("_Verdict")
_MOST_BEGUN = 64


@dataclass(frozen=True, slots=True)
class _Begun(Generic[_Verdict]):
    # They are held so that no other passage gets their identity.
    passages: tuple[Passage, ...]
    task: "asyncio.Task[_Verdict]"
    work: Unhurried


class BegunWork(Generic[_Verdict]):
    """Keeps the verdicts that were begun, 64 at most, each until it is taken once; until then they give way.

    A verdict is for one question, one sentence and these very passages: for any other it is not there. Use it on one
    event loop.
    """

    def __init__(self) -> None:
        self._begun: OrderedDict[tuple[str, str, tuple[int, ...]], _Begun[_Verdict]] = OrderedDict()

    def begin(
        self,
        question: str,
        sentence: str,
        passages: Sequence[Passage],
        work: Callable[[], Coroutine[Any, Any, _Verdict]],
    ) -> None:
        """Begin ``work``, which judges ``sentence``, unless it is begun already."""
        key = _key(question, sentence, passages)
        if key in self._begun:
            return
        with unhurried() as pace:
            task = asyncio.create_task(work())
        # What went wrong is seen where the sentence is judged again; nobody else is to be told.
        task.add_done_callback(lambda done: done.cancelled() or done.exception())
        self._begun[key] = _Begun(tuple(passages), task, pace)
        while len(self._begun) > _MOST_BEGUN:
            self._begun.popitem(last=False)

    async def take(self, question: str, sentence: str, passages: Sequence[Passage]) -> _Verdict | None:
        """Return the verdict that was begun, once it is there; None where none was, or where it failed."""
        begun = self._begun.pop(_key(question, sentence, passages), None)
        if begun is None:
            return None
        begun.work.hurry()
        await asyncio.wait([begun.task])
        if begun.task.cancelled() or begun.task.exception() is not None:
            return None
        return begun.task.result()


def _key(question: str, sentence: str, passages: Sequence[Passage]) -> tuple[str, str, tuple[int, ...]]:
    return question, sentence, tuple(id(passage) for passage in passages)
