"""A language model of this process behind OpenAI's protocol, asked by OpenAI's own client and by ours."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import httpx
import openai
import pytest

from golden_lab.local_chat import LocalChat
from golden_lab.model_server.app import create_model_app
from lab.tests.training.taught_model import make_adapter, teach
from lab.tests.training.tiny_model import make_tiny_model
from tests.tools.chat.server import serving
from tools.chat.base import ChatMessage, ChatRequest
from tools.chat.openai import OpenAIChatModel
from tools.chat.probing import probe_server
from tools.chat.refusal import ChatTooLong, ChatWithout

pytest.importorskip("torch")
pytestmark = pytest.mark.torch

QUESTION, TEXT = "What is tPROG?", "The program time is 700 µs."
PROMPT = f"<|start_of_role|>user<|end_of_role|>{QUESTION}<|end_of_text|>\n<|start_of_role|>assistant<|end_of_role|>"
ASKED = ChatRequest(messages=(ChatMessage(role="user", content=QUESTION),), max_tokens=40)
CHAT: dict[str, Any] = {"model": "base", "messages": [{"role": "user", "content": QUESTION}], "temperature": 0}


@pytest.fixture(scope="module")
def chat(tmp_path_factory: pytest.TempPathFactory) -> LocalChat:
    folder = tmp_path_factory.mktemp("models")
    base = make_tiny_model(folder / "base", [TEXT, QUESTION], convention="granite")
    teach(base, [(PROMPT, TEXT)])
    return LocalChat.load(str(base), {"house-gate": make_adapter(base, folder / "adapter", scale=4.0)})


@pytest.fixture(scope="module")
def url(chat: LocalChat) -> Iterator[str]:
    with serving(create_model_app(chat)) as address:
        yield f"{address}/v1"


@pytest.fixture
def client(url: str) -> openai.OpenAI:
    return openai.OpenAI(base_url=url, api_key="any", max_retries=0)


def test_the_base_and_its_adapters_are_listed_with_their_window(client: openai.OpenAI) -> None:
    cards = [card.to_dict() for card in client.models.list().data]
    assert [(card["id"], card["parent"], card["max_model_len"]) for card in cards] == [
        ("base", None, 2048),
        ("house-gate", "base", 2048),
    ]
    assert client.models.retrieve("house-gate").id == "house-gate"
    with pytest.raises(openai.NotFoundError):
        client.models.retrieve("nobody")


def test_a_chat_comes_whole_with_usage_and_log_probabilities(client: openai.OpenAI) -> None:
    reply = client.chat.completions.create(**CHAT, logprobs=True, top_logprobs=2)
    (choice,) = reply.choices
    assert (choice.message.content, choice.finish_reason) == (TEXT, "stop")
    assert choice.logprobs is not None
    assert choice.logprobs.content is not None
    assert "".join(token.token for token in choice.logprobs.content) == TEXT
    assert {len(token.top_logprobs) for token in choice.logprobs.content} == {2}
    assert reply.usage is not None
    assert reply.usage.completion_tokens == len(choice.logprobs.content) + 1, "and the mark that ends it"
    assert reply.usage.total_tokens == reply.usage.prompt_tokens + reply.usage.completion_tokens


def test_a_chat_comes_in_pieces_that_end_with_reason_and_usage(client: openai.OpenAI) -> None:
    chunks = list(
        client.chat.completions.create(**CHAT, stream=True, stream_options={"include_usage": True}, logprobs=True)
    )
    *_, last, counted = chunks
    assert "".join(chunk.choices[0].delta.content or "" for chunk in chunks[:-1]) == TEXT
    assert chunks[0].choices[0].delta.role == "assistant"
    assert last.choices[0].finish_reason == "stop"
    told = [chunk.choices[0].logprobs for chunk in chunks[:-1]]
    assert "".join(token.token for each in told if each for token in each.content or ()) == TEXT
    assert counted.choices == []
    assert counted.usage is not None
    assert counted.usage.completion_tokens > 3


def test_a_whole_prompt_is_completed_past_the_chat_template(client: openai.OpenAI) -> None:
    asked: dict[str, Any] = {"model": "base", "prompt": PROMPT, "temperature": 0}
    whole = client.completions.create(**asked, logprobs=3).choices[0]
    assert (whole.text, whole.finish_reason) == (TEXT, "stop")
    assert whole.logprobs is not None
    assert whole.logprobs.tokens is not None
    assert [TEXT[place:].startswith(token) for place, token in zip(
        whole.logprobs.text_offset or (), whole.logprobs.tokens, strict=True
    )] == [True] * len(whole.logprobs.tokens)  # fmt: skip
    assert {len(each) for each in whole.logprobs.top_logprobs or ()} == {3}
    pieces = [chunk.choices[0] for chunk in client.completions.create(**asked, stream=True)]
    assert "".join(piece.text for piece in pieces) == TEXT
    assert pieces[-1].finish_reason == "stop"
    cut = client.completions.create(**asked, max_tokens=2, stop="never").choices[0]
    assert (cut.text, cut.finish_reason) == ("The program", "length")


def test_an_adapter_is_asked_by_its_name(client: openai.OpenAI) -> None:
    other = client.chat.completions.create(**{**CHAT, "model": "house-gate"}, max_tokens=12)
    assert other.model == "house-gate"
    assert other.choices[0].message.content != TEXT
    assert client.chat.completions.create(**CHAT).choices[0].message.content == TEXT


@pytest.mark.parametrize(
    ("path", "change", "status", "code", "said"),
    [
        ("chat/completions", {"model": "nobody"}, 404, "model_not_found", "there are: base, house-gate"),
        ("chat/completions", {"model": "nobody", "stream": True}, 404, "model_not_found", "there are: base"),
        ("chat/completions", {"max_tokens": 2_040}, 400, "context_length_exceeded", "context length is 2048"),
        ("chat/completions", {"n": 2}, 400, "invalid_input", "n: "),
        ("chat/completions", {"tools": [{"type": "function"}]}, 400, "invalid_input", "calls no tools"),
        ("chat/completions", {"response_format": {"type": "json_object"}}, 400, "invalid_input", "JSON schema"),
        ("chat/completions", {"messages": []}, 400, "invalid_value", "messages"),
        ("completions", {"prompt": ["one", "two"]}, 400, "invalid_value", "prompt"),
        ("completions", {"prompt": "x", "echo": True}, 400, "invalid_input", "echo"),
        ("embeddings", {}, 404, "not_found", "/v1/embeddings"),
    ],
)
def test_what_cannot_be_done_is_an_error_in_openai_s_form(
    path: str, change: dict[str, Any], status: int, code: str, said: str, url: str
) -> None:
    reply = httpx.post(f"{url}/{path}", json={**CHAT, **change})
    error = reply.json()["error"]
    assert (reply.status_code, error["code"]) == (status, code), error
    assert said in error["message"]


def test_what_changes_nothing_is_taken(url: str) -> None:
    neutral = {"n": 1, "top_p": 1.0, "tools": [], "response_format": {"type": "text"}, "user": "me", "logprobs": None}
    reply = httpx.post(f"{url}/chat/completions", json={**CHAT, **neutral})
    assert reply.json()["choices"][0]["message"]["content"] == TEXT


async def test_our_own_client_finds_everything_it_probes_for(url: str) -> None:
    chat = OpenAIChatModel(url, "", "", 30.0)
    try:
        found = await probe_server(chat, adapters=[("house-gate", True), ("nobody", True)])
        assert (found.models, found.model, found.max_tokens) == (("base", "house-gate"), "base", 2048)
        assert found.chat.passed
        assert found.streaming.passed
        assert found.logprobs.passed
        assert found.adapter("house-gate").passed
        assert not found.adapter("nobody").passed
        assert found.schemas.said == "it refuses JSON schemas"
        reply = await chat.complete(replace(ASKED, json_schema={"type": "object"}, top_logprobs=3))
        assert reply.text == TEXT, "without what it refuses"
        assert reply.tokens
        with pytest.raises(ChatWithout):
            await chat.complete(replace(ASKED, model="nobody"))
        with pytest.raises(ChatTooLong) as caught:
            await chat.complete(replace(ASKED, max_tokens=2_040))
        assert caught.value.max_tokens == 2_048
        assert caught.value.prompt_tokens
    finally:
        await chat.close()


def test_a_client_that_leaves_ends_the_writing(url: str) -> None:
    endless = {**CHAT, "temperature": 9.0, "max_tokens": 1_900, "seed": 1}
    with httpx.stream("POST", f"{url}/chat/completions", json={**endless, "stream": True}) as reply:
        assert next(reply.iter_lines()).startswith("data: ")
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(f"{url}/chat/completions", json=endless, timeout=0.05)
    # Both would take many seconds more; the next one is answered behind them.
    reply = httpx.post(f"{url}/chat/completions", json=CHAT, timeout=30)
    assert reply.json()["choices"][0]["message"]["content"] == TEXT


def test_a_key_is_asked_for_where_there_is_one_and_other_pages_are_kept_out(chat: LocalChat, url: str) -> None:
    strange = {"origin": "http://evil.example", "content-type": "application/json"}
    assert httpx.post(f"{url}/chat/completions", content=json.dumps(CHAT), headers=strange).status_code == 403
    assert httpx.get(f"{url}/models", headers={"host": "rebound.example"}).status_code == 403
    with serving(create_model_app(chat, key="sesame")) as address:
        locked = f"{address}/v1"
        assert httpx.get(f"{locked}/models").status_code == 401
        assert httpx.get(f"{locked}/models", headers={"authorization": "Bearer open"}).status_code == 401
        assert httpx.get(f"{locked}/models", headers={"authorization": "Bearer sesame"}).status_code == 200
        assert httpx.get(locked.replace("/v1", "/health")).status_code == 200
