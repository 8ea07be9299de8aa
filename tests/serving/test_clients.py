"""The real clients' code beyond openai's plain calls: its parse helper, and LangChain."""

import asyncio
from typing import Any

from tests.serving.running import Service

QUESTION = "What is VPP on DDR4?"
ASK: list[Any] = [{"role": "user", "content": QUESTION}]
BEGIN = "VPP is 2.5 V on DDR4 [1]."


async def test_the_clients_parse_helper_reads_the_message(service: Service) -> None:
    parsed = await service.client().chat.completions.parse(model="golden", messages=ASK)
    message = parsed.choices[0].message
    assert (message.content or "").startswith(BEGIN)
    assert message.parsed is None
    assert message.annotations is not None
    assert message.annotations[0].type == "file_citation"  # type: ignore[comparison-overlap]


async def test_langchain_asks_streams_and_counts(service: Service) -> None:
    from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
    from langchain_openai import ChatOpenAI

    def model(**options: Any) -> ChatOpenAI:
        return ChatOpenAI(model="golden", base_url=f"{service.base_url}/v1", api_key="any", max_retries=0, **options)

    messages = [SystemMessage("Be brief."), HumanMessage("Hello DDR5"), AIMessage("Yes?"), HumanMessage(QUESTION)]
    answer = await model(temperature=0.3, max_tokens=500).ainvoke(messages)
    assert str(answer.content).startswith(BEGIN)
    assert answer.response_metadata["finish_reason"] == "stop"
    assert answer.usage_metadata is not None
    assert answer.usage_metadata["total_tokens"] > 0
    blocking = await asyncio.to_thread(model().invoke, QUESTION)
    assert str(blocking.content).startswith(BEGIN)
    for stream_usage in (True, False):
        whole: Any = None
        async for chunk in model(stream_usage=stream_usage).astream(QUESTION):
            whole = chunk if whole is None else whole + chunk
        assert whole.content == blocking.content
        assert whole.response_metadata["finish_reason"] == "stop"
        assert (whole.usage_metadata is not None) == stream_usage
    pieces = await asyncio.to_thread(lambda: [chunk.content for chunk in model().stream(QUESTION)])
    assert "".join(map(str, pieces)) == blocking.content
    stopped = await model(stop_sequences=["DDR4"]).ainvoke(QUESTION)
    assert stopped.content == "VPP is 2.5 V on "
