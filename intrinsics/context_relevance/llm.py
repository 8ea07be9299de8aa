"""Context relevance on a chat model: one word a passage, and how probable that word is."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import cast

from contracts.errors import MalformedReply, Unavailable
from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import PassageRelevance, RelevanceLabel, RelevanceVerdict
from intrinsics.context_relevance.base import RelevanceJudge
from tools.chat.base import ChatModel
from tools.chat.refusal import ChatRefused
from tools.fences import fence_alone
from tools.grounding import place_of
from tools.judges import PromptedJudge
from tools.prompting import Inquiry
from tools.side_by_side import run_side_by_side


async def fill_gaps(
    judged: Sequence[PassageRelevance | Unavailable],
    question: str,
    passages: Sequence[Passage],
    second: RelevanceJudge | None,
    provenance: Callable[[], Provenance],
) -> RelevanceVerdict:
    """Return the verdict made of ``judged``, one a passage, with those of ``second`` where there is an error.

    The provenance then says of how many passages.

    Raises:
        Unavailable: the first error, where there is no second judge, or no passage with text has a verdict.
    """
    failed = {index: each for index, each in enumerate(judged) if isinstance(each, Unavailable)}
    verdicts = tuple(each for each in judged if not isinstance(each, Unavailable))
    if not failed:
        return RelevanceVerdict(passages=verdicts, provenance=provenance())
    error = next(iter(failed.values()))
    asked = sum(bool(passage.text.strip()) for passage in passages)
    if second is None or len(failed) == asked:
        raise error
    # Whole, since a judge may hold passages against one another.
    instead = (await second.judge(question, passages)).passages
    return RelevanceVerdict(
        passages=tuple(instead[index] if isinstance(each, Unavailable) else each for index, each in enumerate(judged)),
        provenance=provenance().model_copy(
            update={"degraded": f"the language model gave no verdict on {len(failed)} of {asked} passages ({error})"}
        ),
    )


LABELS: tuple[RelevanceLabel, ...] = ("relevant", "partial", "irrelevant", "misleading")
_MAX_PASSAGE_CHARACTERS = 4_000
# Requests that run side by side.
AT_ONCE = 16


class PromptedRelevanceJudge(PromptedJudge):
    """Asks a chat model about each passage by itself, for one of four words.

    One call a passage (two where the first reply cannot be read), of a few tokens, some of them side by side; a
    passage without text is irrelevant and not asked about. Prompts about one question are the same up to the passage,
    and the prompt about a pair of question and passage is always the same, whatever else was found.

    A passage on which the model gives no readable verdict, or which its server refuses, must not spoil those on the
    others: ``second`` judges it, and the provenance says so. Without a second judge, and where the model gave no
    verdict at all, the error is raised.

    Source: the four classes are those of the context relevance intrinsic of IBM's library of LLM intrinsics for RAG
    (arXiv 2504.11704, section 2), which judges each passage alone too.
    """

    max_tokens = 16

    def __init__(
        self,
        chat: ChatModel,
        *,
        second: RelevanceJudge | None = None,
        model: str = "",
        prompt_path: Path | None = None,
    ) -> None:
        super().__init__(chat, model=model, prompt_path=prompt_path)
        self._second = second

    async def judge(self, question: str, passages: Sequence[Passage]) -> RelevanceVerdict:
        """Judge each passage's relevance to ``question``: one verdict a passage, in their order.

        ``probability`` is what the model gives "relevant" and "partial" together.

        Raises:
            ChatUnavailable: the chat server does not answer.
            MalformedReply: two replies on a passage named no label, and there is no second judge, or no passage at all
                got one.
        """
        inquiry = self._prompted.begin()
        judged = await run_side_by_side([partial(_judge, inquiry, question, passage) for passage in passages], AT_ONCE)
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
