"""The two checks of a draft, on a chat model: both requests are under way at once."""

import asyncio
from dataclasses import replace

from agent.chatbot import Chatbot
from contracts.answer import Answer
from intrinsics.certainty.llm import PromptedCertaintyEstimator
from intrinsics.citation.llm import PromptedCitationFinder
from intrinsics.faithfulness.llm import PromptedFaithfulnessJudge
from tests.agent.scripted import Script
from tests.conformance.checking_chats import estimate_certainty, judge_faithfulness, name_sources
from tools.chat.base import ChatReply, ChatRequest
from tools.chat.scripted import ScriptedChatModel

_TASKS = {
    "written from the passages": name_sources,
    "four labels": judge_faithfulness,
    "one word yes or no": estimate_certainty,
}


def _reply(request: ChatRequest) -> str:
    shown = request.messages[-1].content
    (task,) = [task for words, task in _TASKS.items() if words in shown]
    return task(request)


class MeetingChatModel(ScriptedChatModel):
    """Answers the first ``number`` requests only when all of them are under way, and later ones at once."""

    def __init__(self, number: int) -> None:
        super().__init__(_reply)
        self._met = asyncio.Barrier(number)
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
                await self._met.wait()
            return await super().complete(request)
        finally:
            self.under_way -= 1


async def _ask(chat: MeetingChatModel) -> Answer:
    services = replace(
        Script().services(),
        citation_finder=PromptedCitationFinder(chat),
        faithfulness_judge=PromptedFaithfulnessJudge(chat),
        certainty_estimator=PromptedCertaintyEstimator(chat),
    )
    async with asyncio.timeout(20):
        return await Chatbot(services).ask("What is the supply voltage of DDR4?")


async def test_citations_and_faithfulness_are_asked_at_once_and_certainty_after_them() -> None:
    chat = MeetingChatModel(2)
    answer = await _ask(chat)
    assert (len(chat.requests), chat.most) == (3, 2)
    assert answer.outcome == "answered"
    assert [sentence.label for sentence in answer.sentences] == ["faithful"]
    assert answer.citations
    assert answer.certainty == 0.8
    judged = {step.node: step.provenance for step in answer.steps if step.provenance}
    for node in ("find_citations", "judge_faithfulness", "estimate_certainty"):
        assert judged[node].implementation == "llm"


async def test_the_prompts_of_one_question_begin_alike() -> None:
    chat = MeetingChatModel(2)
    await _ask(chat)
    assert len({request.messages[0] for request in chat.requests}) == 1
    beginnings = {request.messages[1].content.partition("\n\n# Task\n")[0] for request in chat.requests}
    assert len(beginnings) == 1
    assert "<<passage 1 " in beginnings.pop()
