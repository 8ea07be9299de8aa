"""An answer writer with a chat model, which may use only the passages."""

from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from contracts.errors import MalformedReply
from contracts.text import Passage
from contracts.verdicts import Draft
from intrinsics.answer_generation.base import WritingBrief
from intrinsics.answer_generation.reply_cleaner import ReplyCleaner
from tools.chat.base import ChatModel, ChatRequest
from tools.prompt_delimiters import make_code
from tools.prompt_prefix import prefix_variables
from tools.prompted_model import PromptedModel

_MAX_TOKENS = 600


class PromptedAnswerWriter:
    """Streams an answer from a chat model, which gets the numbered passages and the definitions of the jargon.

    The prompt has the same beginning as the prompts of other judges for the same passages (``tools.prompt_prefix``).
    For a brief with a critique, a different task, which shows the draft, follows this beginning. Passages, question and
    draft are between delimiters that a document cannot know. If passages do not fit into the model's context window,
    the last ones are left out, and the draft contains the number of passages that were read.

    The model is asked to name the source of each sentence. The asker never sees these marks: they are removed from the
    stream and added to the draft as unverified claims. The prompts are read on first use.
    """

    def __init__(self, chat: ChatModel, *, model: str = "") -> None:
        folder = Path(__file__).parent
        self._first = PromptedModel(chat, folder / "llm.toml", model=model, max_tokens=_MAX_TOKENS)
        self._again = PromptedModel(chat, folder / "rewrite.toml", model=model, max_tokens=_MAX_TOKENS)

    async def write(self, brief: WritingBrief) -> AsyncIterator[str | Draft]:
        """Write the answer using only the passages in ``brief``; yield pieces of text, then one complete ``Draft``.

        Raises:
            ChatUnavailable: the chat server does not answer, or stops before the end of the answer.
            MalformedReply: the model's answer is empty.
        """
        inquiry = (self._again if brief.critique else self._first).begin()
        task = _task(brief)

        def request_of(number: int) -> ChatRequest:
            request = inquiry.request({**prefix_variables(brief.passages[:number]), **task})
            return replace(request, stop=_stops(task["task_code"]))

        stream, shown = await inquiry.stream_fitting(request_of, len(brief.passages))
        cleaner = _cleaner(brief, brief.passages[:shown], task["task_code"])
        # If the caller stops early, the server must stop generating.
        async with aclosing(stream) as pieces:
            async for piece in pieces:
                clean = cleaner.feed(piece)
                if clean:
                    yield clean
        rest = cleaner.finish()
        if rest:
            yield rest
        if not cleaner.text.strip():
            raise MalformedReply("The chat model's answer is empty. Ask again, or choose another model.")
        yield Draft(
            text=cleaner.text, provenance=inquiry.provenance(), claims=tuple(cleaner.claims), passages_read=shown
        )


def _stops(code: str) -> tuple[str, ...]:
    """Return the strings that end an answer: delimiters of the question and of the next speaker; at most four.

    Source: ChatML, as written by Qwen and SmolLM.
    """
    return (f"<<end {code}", f"<<question {code}", "<|im_end|>", "<|im_start|>")


def _task(brief: WritingBrief) -> dict[str, str]:
    """Return the prompt variables after the passages; ``task_code`` depends on them, so no text can contain it."""
    values = {
        "question": brief.question.question,
        "context": brief.question.context or "none",
        "definitions": _definitions(brief) or "none",
        "options": "\n".join(f"{choice.label}) {choice.text}" for choice in brief.choices) or "none",
        "draft": brief.draft,
        "critique": brief.critique,
    }
    return {**values, "task_code": make_code(*values.values())}


def _cleaner(brief: WritingBrief, passages: Sequence[Passage], code: str) -> ReplyCleaner:
    source = "\n".join([brief.question.question, *(passage.text for passage in passages)])
    counts = [len(passage.sentences) for passage in passages]
    return ReplyCleaner(sentences=counts, source=source, codes=(prefix_variables(passages)["code"], code))


def _definitions(brief: WritingBrief) -> str:
    lines = []
    for reading in brief.question.readings:
        sense = reading.sense
        if sense is not None:
            more = " ".join(part for part in (sense.description, sense.notes) if part)
            lines.append(f"{sense.term}: {sense.extended_name}" + (f". {more}" if more else ""))
    return "\n".join(lines)
