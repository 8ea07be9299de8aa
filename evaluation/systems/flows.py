"""The four flows: rewriting and the answerability gate, each there or not."""

import time
from collections.abc import Sequence

from agent.services import Services
from contracts.text import Passage
from evaluation.systems.values import SystemAnswer, SystemQuestion
from evaluation.systems.writing import as_asked, without_answer, write_from
from intrinsics.answer_generation import WritingBrief

_PASSAGES = 5
_DECLINED = "I do not know the answer."


class FlowSystem:
    """Searches, perhaps after rewriting, perhaps stops at the gate, and writes from the best passages.

    Everything after the rewriting reads the question as the flow has it: the writer sees no conversation.

    Source: Danilevsky et al., "A Library of LLM Intrinsics for Retrieval-Augmented Generation", section 10.1: the flows
    none, query rewrite, answerability determination and both, five passages each.
    """

    def __init__(self, services: Services, *, rewrite: bool, gate: bool, passages: int = _PASSAGES) -> None:
        self._services = services
        self._rewrite = rewrite
        self._gate = gate
        self._passages = passages

    @property
    def name(self) -> str:
        """Its name in tables."""
        if self._rewrite:
            return "rewrite and answerability" if self._gate else "rewrite"
        return "answerability" if self._gate else "none"

    @property
    def note(self) -> str:
        """What a reader of its row must know."""
        return f"{self._passages} passages"

    async def answer(self, question: SystemQuestion) -> SystemAnswer:
        """Answer ``question``, the last turn of its history. Raises as the searcher and the judgements do."""
        begun = time.perf_counter()
        text = question.text
        if self._rewrite and question.history:
            text = (await self._services.question_rewriter.rewrite(text, question.history)).text
        asked = as_asked(text)
        found = await self._services.searcher.search([text], self._passages)
        if not found or (self._gate and not await self._is_answerable(text, found)):
            return without_answer(question, _DECLINED, (time.perf_counter() - begun) * 1_000, passages=found)
        draft, answer = await write_from(self._services, WritingBrief(question=asked, passages=found))
        milliseconds = (time.perf_counter() - begun) * 1_000
        return SystemAnswer(answer=answer, draft=draft, passages=found, milliseconds=milliseconds)

    async def _is_answerable(self, text: str, passages: Sequence[Passage]) -> bool:
        verdict = await self._services.answerability_judge.judge(as_asked(text), passages)
        return verdict.probability >= self._services.policy.answerability_threshold


def four_flows(services: Services, *, passages: int = _PASSAGES) -> tuple[FlowSystem, ...]:
    """Return the flows none, rewrite, answerability, and both."""
    ways = ((False, False), (True, False), (False, True), (True, True))
    return tuple(FlowSystem(services, rewrite=rewrite, gate=gate, passages=passages) for rewrite, gate in ways)
