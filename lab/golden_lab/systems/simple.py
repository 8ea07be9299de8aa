"""Simpler systems, and the four flows of rewriting and answerability."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from agent.services import Services
from contracts.answer import Answer
from contracts.text import Passage
from golden_lab.systems.measures import SystemAnswer, SystemQuestion
from golden_lab.systems.writing import as_asked, without_answer, write_from
from intrinsics.answer_generation.base import WritingBrief
from tools.chat.base import ChatModel, ChatRequest
from tools.language.abstention import says_unknown
from tools.prompts import load_prompt

_PLAIN_PASSAGES = 3
_MAX_TOKENS = 300


class ClosedBookSystem:
    """Answers from what the model remembers, without any document.

    The embedded engine has no memory of the world: without a chat model every question is declined.

    Source: the "vanilla LLM" of An et al. 2024, "Golden-Retriever" (arXiv:2408.00798), section 4.1.2; the prompt is
    ours.
    """

    def __init__(self, chat: ChatModel | None) -> None:
        self._chat = chat
        self._prompt = load_prompt(Path(__file__).parent / "closed_book.toml")

    @property
    def name(self) -> str:
        """Its name in tables, which says so where it knows nothing."""
        return "no retrieval" if self._chat else "no retrieval (declines)"

    @property
    def note(self) -> str:
        """Say what it knows."""
        return "" if self._chat else "the embedded engine remembers nothing of the world: it declines every question"

    async def answer(self, question: SystemQuestion) -> SystemAnswer:
        """Answer ``question`` from memory.

        Raises:
            ChatUnavailable: the chat server does not answer.
        """
        begun = time.perf_counter()
        if self._chat is None:
            return without_answer(question, "There is no document to answer from.", 0.0)
        turns = "".join(f"{turn.role}: {turn.text}\n" for turn in question.history)
        messages = self._prompt.messages(
            conversation=f"Conversation so far:\n{turns}\n" if turns else "",
            question=question.text,
            options="\n".join(f"{choice.label}) {choice.text}" for choice in question.choices),
        )
        reply = await self._chat.complete(ChatRequest(messages=messages, max_tokens=_MAX_TOKENS))
        text, milliseconds = reply.text.strip(), (time.perf_counter() - begun) * 1_000
        if not question.choices and says_unknown(text):
            return without_answer(question, text, milliseconds)
        answer = Answer(outcome="answered", text=text, question=question.asked)
        return SystemAnswer(answer=answer, draft=text, passages=(), milliseconds=milliseconds)


class PassageGivenSystem:
    """Writes from the passages that hold the answer: what the writer can do where nothing has to be found.

    A question without such passages is declined: there is nothing to give.

    Source: Saxena and Owyang 2025, "A Passage-Based Question Answering (PBQA) System on Domain-Specific Data", section
    3.1, Table 1, control group; the writer is the engine's own.
    """

    name = "passage given"
    note = "reads the passages of the page that holds the answer; where there is none, nothing is given and it declines"

    def __init__(self, services: Services) -> None:
        self._services = services

    async def answer(self, question: SystemQuestion) -> SystemAnswer:
        """Answer ``question`` from its gold passages. Raises as the writer does."""
        begun = time.perf_counter()
        if not question.gold:
            return without_answer(question, "No passage is given.", 0.0)
        asked = as_asked(question.text)
        brief = WritingBrief(question=asked, passages=question.gold, choices=question.choices)
        draft, answer = await write_from(self._services, brief)
        milliseconds = (time.perf_counter() - begun) * 1_000
        return SystemAnswer(answer=answer, draft=draft, passages=question.gold, milliseconds=milliseconds)


class PlainRagSystem:
    """Searches with the user's own words and writes from the best passages.

    No jargon, no context, no rewriting, no reranking, no gate, no refinement. Its answers are cited and checked like
    the bot's, so that they can be measured alike.

    Source: the "RAG" of An et al. 2024, "Golden-Retriever" (arXiv:2408.00798), section 4.1.2; three passages as in
    Saxena and Owyang 2025, "A Passage-Based Question Answering (PBQA) System", section 3.1, Table 1, group 2.
    """

    name = "plain RAG"

    def __init__(self, services: Services, *, passages: int = _PLAIN_PASSAGES) -> None:
        """``passages``: how many go to the writer."""
        self._services = services
        self._passages = passages

    @property
    def note(self) -> str:
        """Say what it reads."""
        return f"the user's words, the best {self._passages} passages, the same writer"

    async def answer(self, question: SystemQuestion) -> SystemAnswer:
        """Answer ``question`` from what its own words find. Raises as the searcher and the writer do."""
        begun = time.perf_counter()
        found = await self._services.searcher.search([question.asked], self._passages)
        if not found:
            return without_answer(question, "Nothing was found.", (time.perf_counter() - begun) * 1_000)
        asked = as_asked(question.text)
        brief = WritingBrief(question=asked, passages=found, choices=question.choices)
        draft, answer = await write_from(self._services, brief)
        milliseconds = (time.perf_counter() - begun) * 1_000
        return SystemAnswer(answer=answer, draft=draft, passages=found, milliseconds=milliseconds)


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
