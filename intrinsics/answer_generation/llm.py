"""An answer writer on a chat model, held to the passages."""

from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

from contracts.errors import MalformedReply
from contracts.text import Passage
from contracts.verdicts import Draft
from intrinsics.answer_generation.base import WritingBrief
from intrinsics.answer_generation.cleaning import ReplyCleaner
from tools.chat.base import ChatModel
from tools.prompting import PromptedModel
from tools.reading.fencing import fence_texts, make_fence

_MAX_PASSAGES = 10
_MAX_PASSAGE_CHARACTERS = 4_000


class PromptedAnswerWriter:
    """Streams an answer from a chat model that is given the numbered passages and the definitions of the jargon.

    The passages stand between marks that a document cannot know, and the prompt says that they are data. A brief with a
    critique is written with another prompt, which shows the draft. Passages that the model's window does not take are
    left out, the last ones first. The prompts are read at the first use.
    """

    def __init__(
        self, chat: ChatModel, *, model: str = "", max_tokens: int = 600, prompt_folder: Path | None = None
    ) -> None:
        folder = prompt_folder or Path(__file__).parent
        self._first = PromptedModel(chat, folder / "llm.toml", model=model, max_tokens=max_tokens)
        self._again = PromptedModel(chat, folder / "rewrite.toml", model=model, max_tokens=max_tokens)

    async def write(self, brief: WritingBrief) -> AsyncIterator[str | Draft]:
        """Write the answer from the brief's passages only: text as it comes, then one ``Draft``, the whole.

        Raises:
            ChatUnavailable: the chat server does not answer, before the first piece or between two.
            MalformedReply: its answer is empty.
        """
        inquiry = (self._again if brief.critique else self._first).begin()
        passages = min(len(brief.passages), _MAX_PASSAGES)
        pieces = inquiry.stream_fitting(lambda number: inquiry.request(_variables(brief, number)), passages)
        cleaner = ReplyCleaner(passages=passages)
        text = ""
        # A reader who stops early must not leave the server writing.
        async with aclosing(pieces) as stream:
            async for piece in stream:
                clean = cleaner.feed(piece)
                if clean:
                    text += clean
                    yield clean
        rest = cleaner.finish()
        if rest:
            text += rest
            yield rest
        if not text.strip():
            raise MalformedReply("The chat model's answer is empty. Ask again, or choose another model.")
        yield Draft(text=text, provenance=inquiry.provenance())


def _variables(brief: WritingBrief, number: int) -> dict[str, object]:
    passages = brief.passages[:number]
    texts = [passage.text[:_MAX_PASSAGE_CHARACTERS] for passage in passages]
    fence = make_fence(brief.question.question, brief.draft, *texts)
    return {
        "question": brief.question.question,
        "context": brief.question.context or "none",
        "definitions": _definitions(brief) or "none",
        "options": "\n".join(f"{choice.label}) {choice.text}" for choice in brief.choices) or "none",
        "passages": fence_texts(texts, fence, labels=[_place(passage) for passage in passages]) or "none",
        "fence": fence,
        "draft": brief.draft,
        "critique": brief.critique,
    }


def _definitions(brief: WritingBrief) -> str:
    lines = []
    for reading in brief.question.readings:
        sense = reading.sense
        if sense is not None:
            more = " ".join(part for part in (sense.description, sense.notes) if part)
            lines.append(f"{sense.term}: {sense.extended_name}" + (f". {more}" if more else ""))
    return "\n".join(lines)


def _place(passage: Passage) -> str:
    parts = [passage.document_title or passage.document_name, *passage.chunk.heading_path, f"page {passage.chunk.page}"]
    return " > ".join(part for part in parts if part)
