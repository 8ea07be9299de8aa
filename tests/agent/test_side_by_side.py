"""The two checks of a draft on adapters: both requests are under way at once."""

import asyncio
from dataclasses import replace

from agent.chatbot import Chatbot
from contracts.answer import Answer
from intrinsics.certainty.adapter import AdaptedCertaintyEstimator
from intrinsics.citation.adapter import AdaptedCitationFinder
from intrinsics.faithfulness.adapter import AdaptedFaithfulnessJudge
from tests.agent.scripted import Script
from tests.conformance.checking_chats import (
    adapted_estimate_certainty,
    adapted_judge_faithfulness,
    adapted_name_sources,
)
from tests.intrinsics.adapted import published
from tools.chat.base import ChatReply, ChatRequest
from tools.chat.scripted import ScriptedChatModel

_TASKS = {
    "citation_generation": adapted_name_sources,
    "hallucination_detection": adapted_judge_faithfulness,
    "certainty": adapted_estimate_certainty,
}


def _reply(request: ChatRequest) -> str:
    return _TASKS[request.model](request)


class BarrierChatModel(ScriptedChatModel):
    """Answers the first ``number`` requests only when all of them are under way, and later ones at once."""

    def __init__(self, number: int) -> None:
        super().__init__(_reply)
        self._barrier = asyncio.Barrier(number)
        self._number = number
        self.begun = 0
        self.under_way = 0
        self.most = 0

    async def complete(self, request: ChatRequest) -> ChatReply:
        self.begun += 1
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            if self.begun <= self._number:
                await self._barrier.wait()
            return await super().complete(request)
        finally:
            self.under_way -= 1


async def _ask(chat: BarrierChatModel) -> Answer:
    services = replace(
        Script().services(),
        citation_finder=AdaptedCitationFinder(chat, published("citation")),
        faithfulness_judge=AdaptedFaithfulnessJudge(chat, published("faithfulness")),
        certainty_estimator=AdaptedCertaintyEstimator(chat, published("certainty")),
    )
    async with asyncio.timeout(20):
        return await Chatbot(services).ask("What is the supply voltage of DDR4?")


async def test_citations_and_faithfulness_are_asked_at_once_and_certainty_after_them() -> None:
    chat = BarrierChatModel(2)
    answer = await _ask(chat)
    assert (len(chat.requests), chat.most) == (3, 2)
    assert answer.outcome == "answered"
    assert [sentence.label for sentence in answer.sentences] == ["faithful"]
    assert answer.citations
    assert answer.certainty == 0.9
    judged = {step.node: step.provenance for step in answer.steps if step.provenance}
    for node in ("find_citations", "judge_faithfulness", "estimate_certainty"):
        assert judged[node].implementation == "adapter"
