"""The four flows: rewriting and the answerability gate, each there or not."""

import time
from collections.abc import Sequence
from typing import TypeVar

from agent.services import Services
from contracts.answer import Answer
from contracts.text import Passage
from golden_lab.systems.measures import SystemAnswer, SystemQuestion
from golden_lab.systems.writing import as_asked, without_answer, write_from
from intrinsics.answer_generation import WritingBrief

_PASSAGES = 5
# The questions of two cases: measuring goes case by case.
_KEPT = 4
_DECLINED = "I do not know the answer."

Kept = TypeVar("Kept")


class FlowWork:
    """What flows have in common: search and writing, done once where two flows ask for the same.

    The four flows ask two questions, as it was asked and rewritten; what was found and written for the last few is
    kept. A flow's time is then that of its own work, not of what another one did before it.
    """

    def __init__(self, services: Services, passages: int = _PASSAGES) -> None:
        self.services = services
        self.passages = passages
        self._found: dict[str, tuple[Passage, ...]] = {}
        self._written: dict[str, tuple[str, Answer]] = {}

    async def find(self, text: str) -> tuple[Passage, ...]:
        """Return the passages that ``text`` finds, best first."""
        if text not in self._found:
            found = await self.services.searcher.search([text], self.passages)
            _keep(self._found, text, found)
        return self._found[text]

    async def write(self, text: str, passages: tuple[Passage, ...]) -> tuple[str, Answer]:
        """Return the draft and the answer to ``text`` from ``passages``, which it found."""
        if text not in self._written:
            brief = WritingBrief(question=as_asked(text), passages=passages)
            _keep(self._written, text, await write_from(self.services, brief))
        return self._written[text]


class FlowSystem:
    """Searches, perhaps after rewriting, perhaps stops at the gate, and writes from the best passages.

    Everything after the rewriting reads the question as the flow has it: the writer sees no conversation.

    Source: Danilevsky et al., "A Library of LLM Intrinsics for Retrieval-Augmented Generation", section 10.1: the flows
    none, query rewrite, answerability determination and both, five passages each.
    """

    def __init__(self, work: FlowWork, *, rewrite: bool, gate: bool) -> None:
        self._work = work
        self._rewrite = rewrite
        self._gate = gate

    @property
    def name(self) -> str:
        """Its name in tables."""
        if self._rewrite:
            return "rewrite and answerability" if self._gate else "rewrite"
        return "answerability" if self._gate else "none"

    @property
    def note(self) -> str:
        """What a reader of its row must know."""
        return f"{self._work.passages} passages"

    async def answer(self, question: SystemQuestion) -> SystemAnswer:
        """Answer ``question``, the last turn of its history. Raises as the searcher and the judgements do."""
        begun = time.perf_counter()
        text = question.text
        if self._rewrite and question.history:
            text = (await self._work.services.question_rewriter.rewrite(text, question.history)).text
        found = await self._work.find(text)
        if not found or (self._gate and not await self._is_answerable(text, found)):
            return without_answer(question, _DECLINED, (time.perf_counter() - begun) * 1_000, passages=found)
        draft, answer = await self._work.write(text, found)
        milliseconds = (time.perf_counter() - begun) * 1_000
        return SystemAnswer(answer=answer, draft=draft, passages=found, milliseconds=milliseconds)

    async def _is_answerable(self, text: str, passages: Sequence[Passage]) -> bool:
        services = self._work.services
        verdict = await services.answerability_judge.judge(as_asked(text), passages)
        return services.policy.is_answerable(verdict.probability)


def four_flows(services: Services, *, passages: int = _PASSAGES) -> tuple[FlowSystem, ...]:
    """Return the flows none, rewrite, answerability, and both."""
    work = FlowWork(services, passages)
    ways = ((False, False), (True, False), (False, True), (True, True))
    return tuple(FlowSystem(work, rewrite=rewrite, gate=gate) for rewrite, gate in ways)


def _keep(kept: dict[str, Kept], text: str, value: Kept) -> None:
    kept[text] = value
    while len(kept) > _KEPT:
        del kept[next(iter(kept))]
