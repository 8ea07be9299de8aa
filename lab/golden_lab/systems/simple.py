"""Simpler systems for comparison, and four flows with and without rewriting and answerability."""

import time
from pathlib import Path

from agent.answer_assembly import compose, sentences_of
from agent.services import Services
from contracts.answer import Answer
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import Draft
from golden_lab.systems.measures import SystemAnswer, SystemQuestion
from intrinsics.answer_generation.base import WritingBrief
from tools.chat.base import ChatModel, ChatRequest
from tools.citation_marks import remove_marks
from tools.language.abstention import says_unknown
from tools.prompts import load_prompt

CLOSED_BOOK_PROMPT = Path(__file__).with_name("closed_book.toml")
_PLAIN_PASSAGES = 3
_FLOW_PASSAGES = 5
_MAX_TOKENS = 300
_AS_ASKED = Provenance(implementation="none")


def as_asked(text: str) -> AugmentedQuestion:
    """Return ``text`` as an augmented question to which nothing was added."""
    return AugmentedQuestion(question=text, text=text, provenance=_AS_ASKED)


async def write_from(services: Services, brief: WritingBrief) -> tuple[str, Answer]:
    """Write an answer from ``brief``; cite and check each sentence as the bot does, but keep unsupported ones.

    Returns the draft and the answer: "declined" if the writer says that it does not know, else "answered".
    """
    question, passages = brief.question.question, brief.passages
    (written,) = [piece async for piece in services.answer_writer.write(brief) if isinstance(piece, Draft)]
    draft = remove_marks(written.text).strip()
    if not brief.choices and says_unknown(draft):
        return draft, Answer(outcome="declined", text=draft, question=question)
    sentences = [sentence.text for sentence in sentences_of(draft)]
    cited = await services.citation_finder.find(sentences, passages, question=question)
    judged = await services.faithfulness_judge.judge(question, sentences, passages)
    most = services.policy.citations_per_sentence
    composed = compose(draft, cited.links, judged.sentences, passages, per_sentence=most)
    answer = Answer(outcome="answered", text=composed.text, question=question)
    return draft, answer.model_copy(update={"sentences": composed.sentences, "citations": composed.citations})


def without_answer(
    question: SystemQuestion, text: str, begun: float, *, passages: tuple[Passage, ...] = ()
) -> SystemAnswer:
    """Return the answer of a system that wrote nothing; ``text`` says why, ``begun`` is when it was asked."""
    answer = Answer(outcome="declined", text=text, question=question.asked)
    milliseconds = (time.perf_counter() - begun) * 1_000
    return SystemAnswer(answer=answer, draft="", passages=passages, milliseconds=milliseconds)


class ClosedBookSystem:
    """Answers from the model's own knowledge, without any document.

    The embedded engine has no such knowledge: without a chat model, it declines every question, as ``name`` states.

    Source: the "vanilla LLM" of An et al. 2024, "Golden-Retriever" (arXiv:2408.00798), section 4.1.2; the prompt is
    ours.
    """

    note = ""

    def __init__(self, chat: ChatModel | None) -> None:
        self._chat = chat
        self._prompt = load_prompt(CLOSED_BOOK_PROMPT)
        self.name = "no retrieval" if chat else "no retrieval (declines)"

    async def answer(self, question: SystemQuestion) -> SystemAnswer:
        """Answer ``question`` from the model's own knowledge.

        Raises:
            ChatUnavailable: the chat server does not answer.
        """
        begun = time.perf_counter()
        if self._chat is None:
            return without_answer(question, "There is no document to answer from.", begun)
        turns = "".join(f"{turn.role}: {turn.text}\n" for turn in question.history)
        messages = self._prompt.messages(
            conversation=f"Conversation so far:\n{turns}\n" if turns else "",
            question=question.text,
            options="\n".join(f"{choice.label}) {choice.text}" for choice in question.choices),
        )
        text = (await self._chat.complete(ChatRequest(messages=messages, max_tokens=_MAX_TOKENS))).text.strip()
        if not question.choices and says_unknown(text):
            return without_answer(question, text, begun)
        answer = Answer(outcome="answered", text=text, question=question.asked)
        milliseconds = (time.perf_counter() - begun) * 1_000
        return SystemAnswer(answer=answer, draft=text, passages=(), milliseconds=milliseconds)


class PlainRagSystem:
    """Searches with the user's own words and writes the answer from the best passages.

    It does not use jargon, contexts, rewriting, reranking, the gate or refinement. Its answers are cited and checked
    like those of the bot, so that they can be measured in the same way.

    Source: the "RAG" of An et al. 2024, "Golden-Retriever" (arXiv:2408.00798), section 4.1.2; three passages as in
    Saxena and Owyang 2025, "A Passage-Based Question Answering (PBQA) System", section 3.1, Table 1, group 2.
    """

    name = "plain RAG"

    def __init__(self, services: Services, *, passages: int = _PLAIN_PASSAGES) -> None:
        """``passages`` is the number of passages that the writer gets."""
        self._services = services
        self._passages = passages
        self.note = f"the user's words, the best {passages} passages, the same writer"

    async def answer(self, question: SystemQuestion) -> SystemAnswer:
        """Answer ``question`` from a search with its own words. Raises what the searcher and the writer raise."""
        begun = time.perf_counter()
        found = await self._services.searcher.search([question.asked], self._passages)
        if not found:
            return without_answer(question, "Nothing was found.", begun)
        brief = WritingBrief(question=as_asked(question.text), passages=found, choices=question.choices)
        draft, answer = await write_from(self._services, brief)
        milliseconds = (time.perf_counter() - begun) * 1_000
        return SystemAnswer(answer=answer, draft=draft, passages=found, milliseconds=milliseconds)


class FlowSystem:
    """Optionally rewrites the question, searches, optionally stops at the gate, and writes from the best passages.

    The later steps get only the question, rewritten or not; the writer does not get the conversation. The flows share
    ``written``: a flow reuses what another flow wrote from the same question and passages.

    Source: Danilevsky et al., "A Library of LLM Intrinsics for Retrieval-Augmented Generation", section 10.1: the flows
    none, query rewrite, answerability determination and both, five passages each.
    """

    note = f"{_FLOW_PASSAGES} passages"

    def __init__(
        self, services: Services, written: dict[str, tuple[str, Answer]], *, name: str, rewrite: bool, gate: bool
    ) -> None:
        self._services = services
        self._written = written
        self.name = name
        self._rewrite = rewrite
        self._gate = gate

    async def answer(self, question: SystemQuestion) -> SystemAnswer:
        """Answer ``question``, the last turn of its history. Raises what the searcher and the judgements raise."""
        begun = time.perf_counter()
        text = question.text
        if self._rewrite and question.history:
            text = (await self._services.question_rewriter.rewrite(text, question.history)).text
        found = await self._services.searcher.search([text], _FLOW_PASSAGES)
        if not found or (self._gate and not await self._is_answerable(text, found)):
            return without_answer(question, "I do not know the answer.", begun, passages=found)
        if text not in self._written:
            brief = WritingBrief(question=as_asked(text), passages=found)
            self._written[text] = await write_from(self._services, brief)
        draft, answer = self._written[text]
        milliseconds = (time.perf_counter() - begun) * 1_000
        return SystemAnswer(answer=answer, draft=draft, passages=found, milliseconds=milliseconds)

    async def _is_answerable(self, text: str, passages: tuple[Passage, ...]) -> bool:
        verdict = await self._services.answerability_judge.judge(as_asked(text), passages)
        return self._services.policy.is_answerable(verdict.probability)


def four_flows(services: Services) -> tuple[FlowSystem, ...]:
    """Return the flows none, rewrite, answerability, and both."""
    written: dict[str, tuple[str, Answer]] = {}
    ways = {
        "none": (False, False),
        "rewrite": (True, False),
        "answerability": (False, True),
        "rewrite and answerability": (True, True),
    }
    return tuple(
        FlowSystem(services, written, name=name, rewrite=rewrite, gate=gate) for name, (rewrite, gate) in ways.items()
    )
