"""The real OpenAI client against the real server."""

import asyncio
import itertools
from collections.abc import AsyncGenerator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, Mock

import httpx
import openai
import pytest
from openai.types.chat import ChatCompletionChunk

from agent.chatbot import Chatbot
from contracts.answer import AnswerEvent
from contracts.errors import ChatUnavailable, Unavailable
from serving.event_stream import DONE
from tests.agent.judges import ScriptedWriter
from tests.agent.scripted import Script
from tests.serving.running import Service, serve

QUESTION = "What is VPP on DDR4?"
ASK: list[Any] = [{"role": "user", "content": QUESTION}]
ANSWER = (
    "VPP is 2.5 V on DDR4 [1].\n\n**Interpreted as**\n\n- **VPP** → Pump Voltage, the only meaning in the dictionary."
    "\n\n**Sources**\n\n- [1] bus.pdf, page 3"
)


def extension(value: Any) -> dict[str, Any]:
    """Return ``golden`` of a message or chunk."""
    return dict((value.model_extra or {}).get("golden") or {})


async def collect(service: Service) -> list[ChatCompletionChunk]:
    return [chunk async for chunk in await service.ask(QUESTION, stream=True)]


def text_of(chunks: list[ChatCompletionChunk]) -> str:
    return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


async def test_completion_has_the_answer_and_its_metadata(service: Service) -> None:
    completion = await service.ask(QUESTION, temperature=0.2, seed=1)
    choice = completion.choices[0]
    assert (completion.object, completion.id.startswith("chatcmpl-")) == ("chat.completion", True)
    assert (choice.finish_reason, choice.message.role, choice.message.content) == ("stop", "assistant", ANSWER)
    assert completion.usage is not None
    assert completion.usage.total_tokens == completion.usage.prompt_tokens + completion.usage.completion_tokens > 10
    golden = extension(choice.message)
    assert golden["outcome"] == "answered"
    assert golden["readings"][0]["sense"]["extended_name"] == "Pump Voltage"
    (cited,) = golden["citations"]
    assert (cited["document"], cited["page"], cited["quote"]) == ("bus.pdf", 3, "VPP is 2.5 V on DDR4.")
    assert cited["boxes"][0]["page"] == 3
    assert (golden["sentences"][0]["label"], golden["sentences"][0]["citations"]) == ("faithful", [1])
    assert (golden["answerability"], golden["certainty"]) == (0.9, 1.0)
    last = golden["steps"][-1]
    assert (last["node"], last["provenance"]["implementation"]) == ("estimate_certainty", "scripted")
    parsed = (await service.client().chat.completions.parse(model="golden", messages=ASK)).choices[0].message
    assert (parsed.content, parsed.parsed) == (ANSWER, None)


async def test_stream_shows_steps_and_draft_and_ends_with_the_same_text(service: Service) -> None:
    chunks = await collect(service)
    assert text_of(chunks) == ANSWER
    plain = await service.ask(QUESTION)
    assert extension(chunks[-1]).keys() == extension(plain.choices[0].message).keys()
    assert extension(chunks[-1])["citations"] == extension(plain.choices[0].message)["citations"]
    progress = [extension(chunk) for chunk in chunks[:-1]]
    started = [each["started"] for each in progress if "started" in each]
    assert sorted(started) == sorted(each["step"]["node"] for each in progress if "step" in each)
    phases = [phase for phase, _ in itertools.groupby(each["phase"] for each in progress if "phase" in each)]
    assert phases == ["read_question", "search", "read_passages", "write", "check"]
    assert "".join(each["draft"] for each in progress if "draft" in each) == "VPP is 2.5 V on DDR4."


async def test_unchecked_text_is_never_in_the_content() -> None:
    script = Script(writer=ScriptedWriter(["It is 7 V. Everybody knows."]))
    async with serve(script) as service:
        chunks = await collect(service)
    assert "7 V" not in text_of(chunks)
    assert any("draft_withdrawn" in extension(chunk) for chunk in chunks)
    assert extension(chunks[-1])["outcome"] == "closest_passages"


async def test_long_silence_is_filled_with_empty_chunks() -> None:
    script = Script(writer=ScriptedWriter(["VPP is 2.5 V on DDR4."], pause_s=0.1))
    async with serve(script, keep_alive_s=0.02) as service:
        chunks = await collect(service)
    idle = [chunk for chunk in chunks[1:-1] if not chunk.choices[0].delta.content and not extension(chunk)]
    assert len(idle) >= 3
    assert text_of(chunks) == ANSWER


async def test_messages_are_used_as_history_without_footers(service: Service) -> None:
    messages = [
        {"role": "system", "content": "You are a pirate."},
        *ASK,
        {"role": "assistant", "content": ANSWER},
        {"role": "user", "content": [{"type": "text", "text": "And on"}, {"type": "text", "text": "DDR5?"}]},
    ]
    golden = extension((await service.ask(messages)).choices[0].message)
    assert golden["standalone_question"] == "And on\nDDR5? (after: What is VPP on DDR4?)"
    (history,) = service.script.rewriter.histories
    assert [turn.text for turn in history] == ["What is VPP on DDR4?", "VPP is 2.5 V on DDR4."]


async def test_clarifying_question_and_its_reply_need_no_state(service: Service) -> None:
    messages: list[Any] = [{"role": "user", "content": "How many cycles does the DLL need?"}]
    back = await service.ask(messages)
    golden = extension(back.choices[0].message)
    assert golden["outcome"] == "clarify"
    number = next(each["number"] for each in golden["options"] if each["sense"]["context"] == "Memory")
    messages += [
        {"role": "assistant", "content": back.choices[0].message.content},
        {"role": "user", "content": str(number)},
    ]
    answer = await service.ask(messages)
    assert (answer.choices[0].message.content or "").startswith("The DLL locks in 512 clock cycles [1].")


async def test_department_and_picks_are_used_and_only_a_new_pick_is_stored(service: Service) -> None:
    pick = {"term": "DLL", "extended_name": "Dynamic-Link Library"}
    for question, extra, name in (
        ("How many cycles does the DLL need?", {"department": "Memory"}, "Delay-Locked Loop"),
        ("When is the DLL loaded?", {"picks": [{**pick, "kept": True}]}, "Dynamic-Link Library"),
        ("What is a DLL?", {"picks": [pick]}, "Dynamic-Link Library"),
    ):
        completion = await service.ask(question, extra_body={"golden": extra})
        assert extension(completion.choices[0].message)["readings"][0]["sense"]["extended_name"] == name
    assert [each.question for each in service.script.dictionary.corrected] == ["What is a DLL?"]


async def test_models_are_listed(service: Service) -> None:
    client = service.client()
    assert [model.id async for model in client.models.list()] == ["golden"]
    assert (await client.models.retrieve("golden")).owned_by == "golden-retriever"
    with pytest.raises(openai.NotFoundError) as caught:
        await client.models.retrieve("gpt-4o")
    assert (caught.value.code, "'golden'" in str(caught.value)) == ("model_not_found", True)


async def test_unavailable_part_is_a_503_and_a_bug_a_500_without_traceback() -> None:
    for error, status, told in (
        (ChatUnavailable("http://llm.example: no answer within 3 s"), 503, "no answer within 3 s"),
        (ZeroDivisionError("secret detail"), 500, "Something broke"),
    ):
        # No other judge takes over.
        broken = Mock(judge=AsyncMock(side_effect=error))
        async with serve(Script(answerability=broken)) as service:
            with pytest.raises(openai.InternalServerError, match=told) as caught:
                await service.ask(QUESTION)
            assert caught.value.status_code == status
            assert caught.value.code == ("chat_unavailable" if status == 503 else "internal_error")
            assert not {"secret", "Traceback"} & set(caught.value.response.text.replace('"', " ").split())
            if status == 500:
                assert caught.value.response.headers["x-request-id"] in caught.value.response.text
            with pytest.raises(openai.APIError, match=told):
                await collect(service)


@pytest.mark.parametrize("stream", [True, False])
async def test_disconnected_client_stops_the_work(stream: bool) -> None:
    script = Script(writer=ScriptedWriter(["word " * 400], pause_s=0.02))
    async with serve(script, keep_alive_s=0.1) as service:
        body = {"messages": ASK, "stream": stream}
        async with service.http() as http:
            if stream:
                async with http.stream("POST", "/v1/chat/completions", json=body) as response:
                    async for line in response.aiter_lines():
                        if '"draft"' in line:
                            break
            else:
                asking = asyncio.create_task(http.post("/v1/chat/completions", json=body))
                async with asyncio.timeout(60):
                    await script.writer.begun.wait()
                asking.cancel()
        async with asyncio.timeout(60):
            await script.writer.stopped.wait()
        assert script.writer.finished == 0


async def test_error_after_a_complete_answer_is_not_sent_to_the_client() -> None:
    async def stream(question: str, **_: Any) -> AsyncGenerator[AnswerEvent, None]:
        async for event in Chatbot(Script().services()).stream(question):
            yield event
        raise Unavailable("away")

    text = ""
    async with (
        serve(Script(), chatbot=SimpleNamespace(stream=stream)) as service,
        service.http() as http,
        http.stream("POST", "/v1/chat/completions", json={"messages": ASK, "stream": True}) as reply,
    ):
        # The server ends the connection, for its log to tell of the error.
        with suppress(httpx.RemoteProtocolError):
            async for line in reply.aiter_lines():
                text += f"{line}\n"
    assert '"finish_reason": "stop"' in text
    assert text.count(DONE.strip()) == 1
    assert "away" not in text
