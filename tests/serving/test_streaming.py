"""What a stream gives out where its bot breaks."""

from collections.abc import AsyncGenerator
from typing import Any

from agent.chatbot import Chatbot
from contracts.answer import AnswerEvent, AnswerReady
from contracts.errors import Unavailable
from serving.event_stream import DONE
from tests.agent.scripted import Script
from tests.servers import OneModel
from tests.serving.running import serve

QUESTION = "What is VPP on DDR4?"


class BreakingBot:
    """Tells events, then breaks."""

    def __init__(self, *events: AnswerEvent) -> None:
        self.events = events

    async def stream(self, question: str, **_: Any) -> AsyncGenerator[AnswerEvent, None]:
        for event in self.events:
            yield event
        raise Unavailable("away")


async def streamed(*events: AnswerEvent) -> str:
    bot: Any = BreakingBot(*events)
    body = {"messages": [{"role": "user", "content": QUESTION}], "stream": True}
    text = ""
    async with (
        serve(Script(), models=OneModel(bot)) as service,
        service.http() as http,
        http.stream("POST", "/v1/chat/completions", json=body) as reply,
    ):
        async for line in reply.aiter_lines():
            text += f"{line}\n"
            if line == DONE.strip():
                break
    return text


async def test_what_breaks_behind_a_whole_answer_is_not_told_to_its_client() -> None:
    chatbot = Chatbot(Script().services())
    ready = [each async for each in chatbot.stream(QUESTION) if isinstance(each, AnswerReady)]
    text = await streamed(*ready)
    assert '"finish_reason": "stop"' in text
    assert text.count(DONE.strip()) == 1
    assert "away" not in text
