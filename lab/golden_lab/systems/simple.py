"""The systems that the bot is held against: no retrieval, the passage given, plain RAG."""

import time
from pathlib import Path

from agent.services import Services
from contracts.answer import Answer
from golden_lab.systems.measures import SystemAnswer, SystemQuestion
from golden_lab.systems.writing import as_asked, without_answer, write_from
from intrinsics.answer_generation import WritingBrief
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
