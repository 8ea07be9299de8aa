"""Self-refinement: a chat model criticises the draft in its own words. A baseline, not a way that helps grounding."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from contracts.text import Passage
from contracts.verdicts import RefinementVerdict
from intrinsics.refinement.overlap import S3, passage_overlap
from intrinsics.refinement.templates import stored_template
from tools.chat.base import ChatModel, ChatReply, ChatRequest
from tools.grounding import ground
from tools.prompting import PromptedModel
from tools.reading.fencing import fence_alone
from tools.structured import without_thoughts

_MOST_CHARACTERS = 1_200
_REASON = "the writer criticised its own draft; this policy is a baseline to compare with"


class SelfCritiquingAnswerRefiner:
    """Has a chat model criticise each draft, and sends every one back under that critique; S3 is reported.

    The critique is one paragraph of at most 1 200 characters: it stands in the writer's prompt.
    Source: Madaan et al. 2023, "Self-Refine: Iterative Refinement with Self-Feedback". The report on refinement
    policies for retrieval-augmented answers measures what it does to grounded answers of small models: -9.37 points of
    citation precision over clean passages, +2.37 over noisy ones, answers 39 % longer (sections 3.7.2 and 3.8).
    """

    def __init__(
        self, chat: ChatModel, *, model: str = "", max_tokens: int = 300, prompt_path: Path | None = None
    ) -> None:
        path = prompt_path or Path(__file__).with_name("self_critique.toml")
        self._chat = chat
        self._prompted = PromptedModel(chat, path, model=model, max_tokens=max_tokens)

    async def review(self, question: str, draft: str, passages: Sequence[Passage]) -> RefinementVerdict:
        """Criticise ``draft``; an empty one, or one without passages to write from, is kept, and nothing is asked.

        Raises:
            ChatUnavailable: the chat server does not answer.
        """
        inquiry = self._prompted.begin()
        critique = ""
        if draft.strip() and passages:
            more = {"question": fence_alone("question", question), "draft": fence_alone("draft", draft)}

            def request_of(number: int) -> ChatRequest:
                return inquiry.request({**ground(passages[:number]), **more})

            async def asked(request: ChatRequest) -> ChatReply:
                return await self._chat.complete(request)

            reply = await inquiry.fitting(request_of, len(passages), asked)
            critique = " ".join(without_thoughts(reply.text).split())[:_MOST_CHARACTERS]
        return RefinementVerdict(
            rewrite=bool(critique),
            critique=critique,
            policy="self_refine",
            signal_name=S3,
            signal=round(await asyncio.to_thread(passage_overlap, draft, passages), 4),
            threshold=stored_template().threshold,
            reasons=(_REASON,),
            provenance=inquiry.provenance(),
        )
