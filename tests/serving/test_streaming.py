"""What a stream gives out, and in which order."""

import json
from collections.abc import AsyncGenerator, AsyncIterator

import pytest

from agent.chatbot import Chatbot
from contracts.answer import AnswerEvent, AnswerReady, StepStarted, TextDelta
from contracts.errors import Unavailable
from contracts.question import Asker
from serving.asking import Asked
from serving.finishing import Finisher
from serving.offers import Offer, OneModel, ServedModel
from serving.streaming import DONE, ChunkWriter, stream_completion
from tests.agent.scripted import Script

QUESTION = "What is VPP on DDR4?"


def completed(events: AsyncGenerator[AnswerEvent, None]) -> AsyncIterator[str]:
    asked = Asked(question=QUESTION, history=(), asker=Asker(), model=ServedModel(id="golden", name="golden"))
    offer = Offer(models=OneModel(Chatbot(Script().services()), "golden"))
    return stream_completion(
        events,
        ChunkWriter("id", 1, "golden", with_usage=False),
        Finisher(asked, offer),
        request_id="r",
        progress=True,
        with_usage=False,
        keep_alive_s=60.0,
    )


async def told(*events: AnswerEvent, error: Exception | None = None) -> AsyncGenerator[AnswerEvent, None]:
    for event in events:
        yield event
    if error is not None:
        raise error


async def test_events_are_written_in_their_order() -> None:
    events = [StepStarted(node="write_answer"), TextDelta(text="It is "), TextDelta(text="2.5 V.")]
    writes = [each async for each in completed(told(*events, error=Unavailable("away")))]
    said = [json.loads(each.removeprefix("data: ")) for each in "".join(writes).split("\n\n")[:-2]]
    told_of = [each["golden"] for each in said[1:-1]]
    assert told_of == [{"started": "write_answer"}, {"draft": "It is "}, {"draft": "2.5 V."}]
    assert "away" in said[-1]["error"]["message"]
    assert writes[-1].endswith(f"\n\n{DONE}")


async def test_an_answer_and_its_end_are_one_write() -> None:
    events = [each async for each in Chatbot(Script().services()).stream(QUESTION)]
    writes = [each async for each in completed(told(*events))]
    last = writes[-1]
    assert last.count(DONE) == 1
    assert last.endswith(DONE)
    assert '"finish_reason": "stop"' in last
    assert "".join(writes).count(DONE) == 1


async def test_what_breaks_behind_a_whole_answer_is_not_told_to_its_client() -> None:
    ready = [each async for each in Chatbot(Script().services()).stream(QUESTION) if isinstance(each, AnswerReady)]
    writes: list[str] = []

    async def read() -> None:
        async for each in completed(told(*ready, error=Unavailable("away"))):
            writes.append(each)

    with pytest.raises(Unavailable):
        await read()
    assert "".join(writes).count(DONE) == 1
    assert "away" not in "".join(writes)
