"""The OpenAI chat model against a real HTTP server that behaves well and badly."""

import asyncio
import re
from collections.abc import AsyncIterator
from dataclasses import replace

import pytest

from contracts.errors import ChatUnavailable, MalformedReply
from tests.tools.chat.server import CARD, NO_COMPLETIONS, REQUEST, TOO_LONG, ChatServer
from tools.chat.base import ChatMessage, ChatRequest, ReplyToken, TokenOption
from tools.chat.errors import ChatLocked, ChatRefused, ChatTooLong, ChatWithout
from tools.chat.openai import OpenAIChatModel
from tools.chat.resilient import ResilientChatModel

SCHEMA = {"type": "object", "properties": {"answer": {"type": "string"}}, "required": ["answer"]}


async def collected_until_error(pieces: AsyncIterator[str], came: list[str]) -> None:
    async for piece in pieces:
        came.append(piece)


async def collected(model: OpenAIChatModel, request: ChatRequest = REQUEST) -> list[str]:
    return [piece async for piece in model.stream(request)]


async def test_reply_has_token_counts_and_says_whether_it_was_truncated(server: ChatServer) -> None:
    reply = await server.chat("good").complete(REQUEST)
    assert (reply.text, reply.model) == ("The program time is 700 µs.", "good")
    assert (reply.prompt_tokens, reply.completion_tokens, reply.truncated) == (11, 7, False)
    assert (await server.chat("cut-short").complete(REQUEST)).truncated


async def test_request_fields_reach_the_server(server: ChatServer) -> None:
    request = ChatRequest(
        messages=(ChatMessage(role="system", content="Be brief."), *REQUEST.messages),
        max_tokens=17,
        temperature=0.5,
        json_schema=SCHEMA,
        model="an-adapter",
        stop=("END",),
        seed=7,
    )
    await server.chat("good").complete(request)
    (body,) = server.bodies
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert (body["model"], body["max_tokens"], body["temperature"], body["stop"]) == ("an-adapter", 17, 0.5, ["END"])
    assert body["seed"] == 7
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    # Extra fields are sent with every chat.
    server.bodies.clear()
    opened = server.chat("good", extra_body={"chat_template_kwargs": {"enable_thinking": False}})
    await opened.complete(REQUEST)
    await collected(opened)
    assert [body["chat_template_kwargs"] for body in server.bodies] == [{"enable_thinking": False}] * 2


@pytest.mark.parametrize(
    ("model", "says"),
    [
        ("broken", "failed with status 500"),
        ("unknown", "does not know the model 'unknown'.*GOLDEN_LLM"),
        ("busy", "is busy"),
        ("locked", "refused the key.*GOLDEN_LLM_API_KEY"),
        ("too-long", "refused the request with status 400"),
        ("moved", "another address, which is not followed.*GOLDEN_LLM"),
    ],
)
async def test_refusal_has_advice(server: ChatServer, model: str, says: str, caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ChatUnavailable, match=says):
        await server.chat(model, api_key="wrong-secret").complete(REQUEST)
    caplog.clear()
    with pytest.raises(ChatUnavailable, match=says) as caught:
        await collected(server.chat(model, api_key="wrong-secret"))
    # The server's message is only logged.
    assert not re.search("wrong-secret|says no", str(caught.value))
    assert ("says no" in caplog.text) == (model not in ("moved", "locked"))
    assert len(server.bodies) == 2
    assert isinstance(caught.value, ChatRefused) == (model == "too-long")
    if model == "locked":
        assert (await server.chat(model, api_key="right").complete(REQUEST)).text


async def test_unparsable_model_output_is_not_a_server_failure(server: ChatServer) -> None:
    behind = server.chat("unreadable")
    model = ResilientChatModel(behind, failures=2)
    for _ in range(3):
        with pytest.raises(ChatRefused, match="cannot read what its model wrote"):
            await model.complete(REQUEST)
    assert len(server.bodies) == 3
    assert model.breaker == "closed"
    with pytest.raises(ChatRefused, match="cannot read what its model wrote"):
        await collected(behind)


@pytest.mark.parametrize("model", NO_COMPLETIONS)
async def test_invalid_or_too_long_response_is_refused(server: ChatServer, model: str) -> None:
    with pytest.raises(MalformedReply, match="longer than 8 MB" if model == "huge" else server.url):
        await server.chat(model).complete(REQUEST)


@pytest.mark.parametrize(
    ("model", "error", "says"),
    [
        ("breaks-off", ChatUnavailable, "broke off"),
        ("stops", ChatUnavailable, "broke off"),
        ("garbles", MalformedReply, "not a chat completion"),
        ("reports", ChatUnavailable, "reported an error"),
    ],
)
async def test_stream_that_fails_half_way_yields_its_text_then_the_error(
    server: ChatServer, model: str, error: type[Exception], says: str
) -> None:
    came: list[str] = []
    with pytest.raises(error, match=says):
        await collected_until_error(server.chat(model).stream(REQUEST), came)
    assert "".join(came) == "The program time "


async def test_busy_server_is_retried_as_often_as_configured(server: ChatServer) -> None:
    never, once = (server.chat("once-broken", retries=retries) for retries in (0, 1))
    with pytest.raises(ChatUnavailable):
        await never.complete(REQUEST)
    assert len(server.bodies) == 1
    server.bodies.clear()
    assert (await once.complete(REQUEST)).text
    assert len(server.bodies) == 2


def test_one_model_serves_several_event_loops(server: ChatServer) -> None:
    model = OpenAIChatModel(server.url, "", "good")
    assert asyncio.run(model.complete(REQUEST)).text == asyncio.run(model.complete(REQUEST)).text


async def sent_with(server: ChatServer, model: OpenAIChatModel, request: ChatRequest) -> list[tuple[bool, bool]]:
    """Return of each request that it took whether it had a schema, and whether log-probabilities were asked for."""
    server.bodies.clear()
    assert (await model.complete(request)).text
    return [("response_format" in body, "logprobs" in body) for body in server.bodies]


async def test_log_probabilities_of_the_reply_with_alternatives(server: ChatServer) -> None:
    reply = await server.chat("good").complete(replace(REQUEST, top_logprobs=5))
    assert (server.bodies[0]["logprobs"], server.bodies[0]["top_logprobs"]) == (True, 5)
    yes, no = TokenOption(text="yes", logprob=-0.1), TokenOption(text="no", logprob=-2.4)
    assert reply.tokens == (ReplyToken(text="yes", logprob=-0.1, options=(yes, no)),)
    assert (await server.chat("good").complete(REQUEST)).tokens is None
    assert (await server.chat("another").complete(replace(REQUEST, top_logprobs=5))).tokens is None


async def test_missing_server_features_are_detected_once(server: ChatServer) -> None:
    everything = replace(REQUEST, json_schema=SCHEMA, top_logprobs=5)
    for name, tried in {
        "no-logprobs": [(True, True), (True, False)],
        "no-schema": [(True, True), (False, True)],
        "plain": [(True, True), (False, True), (True, False), (False, False)],
    }.items():
        model = server.chat(name)
        assert await sent_with(server, model, everything) == tried
        assert await sent_with(server, model, everything) == tried[-1:]
    # A schema that the server refuses does not mean that it refuses others.
    model = server.chat("one-schema")
    hard = replace(REQUEST, json_schema={"type": "string", "pattern": "^a(?=b)"})
    easy = replace(REQUEST, json_schema=SCHEMA)
    assert await sent_with(server, model, easy) == [(True, False)]
    assert await sent_with(server, model, hard) == [(True, False), (False, False)]
    assert await sent_with(server, model, hard) == [(False, False)]
    assert await sent_with(server, model, easy) == [(True, False)]


async def test_model_with_max_completion_tokens_gets_that_parameter(server: ChatServer) -> None:
    model = server.chat("thinker")
    request = replace(REQUEST, stop=("END",))
    assert (await model.complete(request)).text
    server.bodies.clear()
    assert (await model.complete(request)).text
    (body,) = server.bodies
    assert body["max_completion_tokens"] == REQUEST.max_tokens
    assert not {"max_tokens", "temperature", "stop"} & body.keys()


@pytest.mark.parametrize("name", TOO_LONG)
async def test_request_that_is_too_long_is_distinguished_from_other_refusals(server: ChatServer, name: str) -> None:
    model = server.chat(name)
    with pytest.raises(ChatTooLong, match="too long"):
        await model.complete(replace(REQUEST, json_schema=SCHEMA))
    assert len(server.bodies) == 1
    with pytest.raises(ChatTooLong):
        await collected(model)


async def test_window_listed_by_llama_cpp_is_that_of_a_slot(server: ChatServer) -> None:
    server.cards = [{**CARD, "meta": {"n_ctx": 8_192, "n_ctx_train": 32_768, "n_params": 1_500_000}}]
    assert await server.chat("good").window() == 8_192
    server.cards = [{**CARD, "meta": None}]
    assert await server.chat("good").window() is None


async def test_concurrent_calls_request_the_model_name_once(server: ChatServer) -> None:
    server.cards = [{**CARD, "owned_by": "us"}]
    model = server.chat("")
    replies = await asyncio.gather(*(model.complete(REQUEST) for _ in range(6)))
    assert {reply.model for reply in replies} == {"good"}
    assert server.listed == 1


PROMPT = ChatRequest(messages=(), prompt="<|start_of_role|>answerability<|end_of_role|>", max_tokens=16, top_logprobs=5)


async def test_plain_prompt_bypasses_the_chat_template(server: ChatServer) -> None:
    reply = await server.chat("good").complete(replace(PROMPT, json_schema=SCHEMA, stop=("END",), model="gate"))
    assert (reply.text, reply.model, reply.completion_tokens, reply.finish_reason) == ("answerable", "gate", 2, "stop")
    options = (TokenOption(text="answer", logprob=-0.1), TokenOption(text="un", logprob=-2.4))
    first = ReplyToken(text="answer", logprob=-0.1, options=options)
    assert reply.tokens == (first, ReplyToken(text="able", logprob=0.0))
    (body,) = server.bodies
    assert (body["prompt"], body["model"], body["max_tokens"]) == (PROMPT.prompt, "gate", 16)
    assert (body["temperature"], body["logprobs"], body["stop"]) == (0.0, 5, ["END"])
    assert body["response_format"]["json_schema"]["schema"] == SCHEMA
    assert "messages" not in body


async def test_plain_prompt_can_be_streamed_and_explains_failures(server: ChatServer) -> None:
    assert await collected(server.chat("good"), PROMPT) == ["answer", "able"]
    with pytest.raises(ChatLocked, match="unknown") as without_default:
        await server.chat("unknown").complete(PROMPT)
    assert not isinstance(without_default.value, ChatWithout)
    with pytest.raises(ChatWithout, match="unknown"):
        await server.chat("good").complete(replace(PROMPT, model="unknown"))
    with pytest.raises(ChatTooLong):
        await server.chat("vllm").complete(PROMPT)
    plain = server.chat("no-schema")
    assert (await plain.complete(replace(PROMPT, json_schema=SCHEMA))).text == "answerable"
    assert plain.features.logprobs


@pytest.fixture
def llama_cpp(server: ChatServer) -> ChatServer:
    """The server as llama.cpp with two adapters, of which the second always applies."""
    server.cards = [{**CARD, "meta": {"n_ctx": 8_192}}]
    gate, style = {"id": 0, "path": "/srv/gate.gguf", "scale": 0.0}, {"id": 1, "path": "style.gguf", "scale": 0.5}
    server.adapters = [gate, style]
    return server


async def test_llama_cpp_adapter_is_selected_by_number(llama_cpp: ChatServer) -> None:
    model = llama_cpp.chat("")
    reply = await model.complete(replace(PROMPT, model="gate", json_schema=SCHEMA))
    (token,) = reply.tokens or ()
    assert (reply.model, [option.text for option in token.options]) == ("gate", ["yes", "no"])
    await model.complete(replace(REQUEST, model="style"))
    await model.complete(REQUEST)
    assert [body["model"] for body in llama_cpp.bodies] == ["good"] * 3
    scales = [[(each["id"], each["scale"]) for each in body["lora"]] for body in llama_cpp.bodies]
    assert scales == [[(0, 1.0), (1, 0.0)], [(0, 0.0), (1, 1.0)], [(0, 0.0), (1, 0.5)]]
    assert llama_cpp.bodies[0]["json_schema"] == SCHEMA
    assert model.listed == ("good", "gate", "style")
    assert await model.window("gate") == 8_192
    assert llama_cpp.listed == 1


async def test_an_adapter_that_llama_cpp_has_not_loaded_is_refused(llama_cpp: ChatServer) -> None:
    with pytest.raises(ChatWithout, match=r"no adapter 'certainty': .* --lora-scaled certainty\.gguf:0"):
        await llama_cpp.chat("good").complete(replace(PROMPT, model="certainty"))
    assert not llama_cpp.bodies
    # An old server, or a proxy in front of it, lists no adapters: the name is passed on.
    llama_cpp.adapters = []
    assert (await llama_cpp.chat("good").complete(replace(REQUEST, model="certainty"))).model == "certainty"
