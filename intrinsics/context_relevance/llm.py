"""Context relevance on a chat model: one word a passage, and how probable that word is."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import cast

from contracts.errors import MalformedReply, Unavailable
from contracts.text import Passage
from contracts.verdicts import PassageRelevance, RelevanceLabel, RelevanceVerdict
from intrinsics.context_relevance.base import RelevanceJudge
from intrinsics.context_relevance.filling import fill_gaps
from tools.chat.base import ChatModel
from tools.chat.refusal import ChatRefused
from tools.grounding import place_of
from tools.prompting import Inquiry, PromptedModel
from tools.reading.fencing import fence_alone
from tools.side_by_side import run_side_by_side

LABELS: tuple[RelevanceLabel, ...] = ("relevant", "partial", "irrelevant", "misleading")
_MAX_PASSAGE_CHARACTERS = 4_000


class PromptedRelevanceJudge:
    """Asks a chat model about each passage by itself, for one of four words.

    One call a passage (two where the first reply cannot be read), of a few tokens, ``at_once`` of them side by side; a
    passage without text is irrelevant and not asked about. Prompts about one question are the same up to the passage,
    and the prompt about a pair of question and passage is always the same, whatever else was found.

    A passage on which the model gives no readable verdict, or which its server refuses, must not spoil those on the
    others: ``second`` judges it, and the provenance says so. Without a second judge, and where the model gave no
    verdict at all, the error is raised.

    Source: the four classes are those of the context relevance intrinsic of IBM's library of LLM intrinsics for RAG
    (arXiv 2504.11704, section 2), which judges each passage alone too.
    """

    def __init__(
        self,
        chat: ChatModel,
        *,
        second: RelevanceJudge | None = None,
        model: str = "",
        max_tokens: int = 16,
        at_once: int = 16,
        prompt_path: Path | None = None,
    ) -> None:
        """Ask ``chat``; a model that writes its thoughts in front of the word needs a larger ``max_tokens``."""
        path = prompt_path or Path(__file__).with_name("llm.toml")
        self._prompted = PromptedModel(chat, path, model=model, max_tokens=max_tokens)
        self._second = second
        self._at_once = at_once

    async def judge(self, question: str, passages: Sequence[Passage]) -> RelevanceVerdict:
        """Judge each passage's relevance to ``question``: one verdict a passage, in their order.

        ``probability`` is what the model gives "relevant" and "partial" together.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies on a passage named no label, and there is no second judge, or no passage at all
                got one.
        """
        inquiry = self._prompted.begin()
        judged = await run_side_by_side(
            [partial(_judge, inquiry, question, passage) for passage in passages], self._at_once
        )
        return await fill_gaps(judged, question, passages, self._second, inquiry.provenance)


async def _judge(inquiry: Inquiry, question: str, passage: Passage) -> PassageRelevance | Unavailable:
    """Return the verdict on a passage, or why there is none, where that lies at this passage."""
    text = passage.text[:_MAX_PASSAGE_CHARACTERS]
    if not text.strip():
        return PassageRelevance(label="irrelevant", probability=0.0)
    request = inquiry.request(
        {
            "question": fence_alone("question", question),
            "passage": fence_alone("passage", text, question, label=place_of(passage)),
        }
    )
    try:
        reply = await inquiry.choose(request, LABELS)
    except (MalformedReply, ChatRefused) as error:
        return error
    return PassageRelevance(
        label=cast(RelevanceLabel, reply.label),
        probability=reply.probability_of("relevant") + reply.probability_of("partial"),
    )
