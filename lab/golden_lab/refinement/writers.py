"""The writers of a study: the product's writer and prompts, at a given temperature and seed; all calls are counted."""

import tomllib
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import cache
from pathlib import Path

from contracts.errors import MalformedReply
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from contracts.verdicts import ClaimedSource, Draft
from golden_lab.systems.simple import CLOSED_BOOK_PROMPT
from intrinsics.answer_generation.base import WritingBrief
from intrinsics.answer_generation.llm import PromptedAnswerWriter
from tools.chat.base import ChatModel, ChatReply, ChatRequest
from tools.chat.reply_limits import RepeatingReply, TruncatedReply
from tools.citation_marks import remove_marks
from tools.judges import ask_grounded
from tools.prompt_delimiters import delimit_text
from tools.prompted_model import PromptedModel
from tools.prompts import load_prompt
from tools.structured import without_thoughts

_SELF_CRITIQUE = Path(__file__).with_name("self_critique.toml")
_WORDINGS = Path(__file__).with_name("wordings.toml")
_LONGEST_CRITIQUE = 1_200
# Source: the report on refinement policies for retrieval-augmented answers, section 3.3.
TEMPERATURE = 0.7
_NOBODY = Provenance(implementation="none")


class SeededChatModel:
    """Sends every request with ``TEMPERATURE`` and ``seed``.

    It counts ``calls``, the ``characters`` of replies, and the replies that were stopped because they repeated
    themselves (``repeating``) or reached the maximum number of tokens (``cut``).
    """

    def __init__(self, inner: ChatModel, *, seed: int) -> None:
        self._inner = inner
        self._seed = seed
        self.calls = 0
        self.characters = 0
        self.repeating = 0
        self.cut = 0

    @property
    def model(self) -> str:
        """The default model's name."""
        return self._inner.model

    async def complete(self, request: ChatRequest) -> ChatReply:
        """Return the whole reply. It is streamed, to stop a model that repeats itself. Raises as ``stream`` does."""
        return ChatReply(text="".join([piece async for piece in self.stream(request)]), model=self.model)

    async def stream(self, request: ChatRequest) -> AsyncGenerator[str, None]:
        """Yield the reply's text as it arrives. Raises as the inner model does."""
        try:
            async with aclosing(self._inner.stream(self._drawn(request))) as pieces:
                async for piece in pieces:
                    self.characters += len(piece)
                    yield piece
        except RepeatingReply:
            self.repeating += 1
            raise
        except TruncatedReply:
            self.cut += 1
            raise

    async def window(self, model: str = "") -> int | None:
        """Return how many tokens the prompt and reply may have together; None if unknown."""
        return await self._inner.window(model)

    async def check(self) -> None:
        """Check that the server answers. Raises as the inner model does."""
        await self._inner.check()

    async def close(self) -> None:
        """Do nothing: the inner model is shared."""

    def _drawn(self, request: ChatRequest) -> ChatRequest:
        self.calls += 1
        return replace(request, temperature=TEMPERATURE, seed=self._seed)


async def write_draft(
    chat: ChatModel, question: str, passages: Sequence[Passage], *, critique: str = "", draft: str = ""
) -> Draft:
    """Write an answer, or rewrite ``draft`` with ``critique``, as the product does.

    The text is "" if the reply is empty, repeats itself or is cut off, because the product shows none of these.

    Raises:
        ChatUnavailable: the chat server does not answer.
    """
    asked = AugmentedQuestion(question=question, text=question, provenance=_NOBODY)
    brief = WritingBrief(question=asked, passages=tuple(passages), critique=critique, draft=draft)
    try:
        async for piece in PromptedAnswerWriter(chat).write(brief):
            if isinstance(piece, Draft):
                return _without_markers(piece)
    except MalformedReply:
        pass
    return Draft(text="", provenance=_NOBODY)


@cache
def _wordings() -> dict[str, str]:
    return {name: " ".join(text.split()) for name, text in tomllib.loads(_WORDINGS.read_text("utf-8")).items()}


def fixed_critique(wording: str, passages: Sequence[int] = ()) -> str:
    """Return the critique called ``wording`` in ``wordings.toml``; ``passages`` are the passage indexes it names."""
    numbers = [str(each + 1) for each in passages]
    listed = " and ".join(filter(None, (", ".join(numbers[:-1]), *numbers[-1:])))
    return _wordings()[wording].replace("{passages}", f"passage{'' if len(numbers) == 1 else 's'} {listed}")


async def criticise(chat: ChatModel, question: str, draft: str, passages: Sequence[Passage]) -> str:
    """Return a critique of a draft by ``chat``, in one paragraph.

    It is "" for an empty draft (no request is sent), and for a critique that repeats itself or is cut off.

    Source: Madaan et al. 2023, "Self-Refine: Iterative Refinement with Self-Feedback". The report on refinement
    policies for retrieval-augmented answers measures its effect on grounded answers of small models: -9.37 points of
    citation precision with clean passages, +2.37 with noisy ones, and answers 39% longer (sections 3.7.2 and 3.8).

    Raises:
        ChatUnavailable: the chat server does not answer.
    """
    if not draft.strip():
        return ""
    inquiry = PromptedModel(chat, _SELF_CRITIQUE, max_tokens=300).begin()
    texts = {"question": delimit_text("question", question), "draft": delimit_text("draft", draft)}
    try:
        reply = await ask_grounded(inquiry, passages, texts, chat.complete)
    except MalformedReply:
        return ""
    return " ".join(without_thoughts(reply.text).split())[:_LONGEST_CRITIQUE]


async def write_from_memory(chat: ChatModel, question: str) -> Draft:
    """Answer ``question`` without any passage; the text is "" if the reply repeats itself or is cut off.

    Raises:
        ChatUnavailable: the chat server does not answer.
    """
    try:
        messages = load_prompt(CLOSED_BOOK_PROMPT).messages(conversation="", question=question, options="")
        reply = await chat.complete(ChatRequest(messages=messages, max_tokens=600))
    except MalformedReply:
        return Draft(text="", provenance=_NOBODY)
    return Draft(text=reply.text.strip(), provenance=_NOBODY)


def marked_text(draft: Draft) -> str:
    """Return the draft with its writer's marks, such as "[2]", in their original places."""
    text = draft.text
    for claim in sorted(draft.claims, key=_place, reverse=True):
        text = f"{text[: claim.position].rstrip()} [{claim.passage + 1}]{text[claim.position :]}"
    return text


def _place(claim: ClaimedSource) -> tuple[int, int]:
    return claim.position, -claim.passage


def _without_markers(draft: Draft) -> Draft:
    text = remove_marks(draft.text).strip()
    return draft if text == draft.text else draft.model_copy(update={"text": text, "claims": ()})
