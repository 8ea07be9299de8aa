"""A small language model on llama.cpp: what the protocol promises, and the whole bot on it."""

import asyncio
import json
import math
import os
import resource
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path
from typing import Literal

import httpx
import pytest
from pydantic import BaseModel, ConfigDict

from contracts.answer import Answer
from golden_retriever.settings import load_settings
from golden_retriever.wiring.application import open_application
from tests.example_library import read_examples
from tests.golden_retriever.served import environment_for, golden, serving, wait_for
from tests.live.conftest import HANGS_S, SLOT_TOKENS, SLOTS, LiveServer
from tools.chat.base import ChatMessage, ChatRequest
from tools.chat.context_window import count_prompt, send_fitting
from tools.chat.errors import ChatTooLong
from tools.chat.openai import OpenAIChatModel
from tools.chat.resilient import ResilientChatModel
from tools.structured import parse_reply, strict_schema

pytestmark = [pytest.mark.live, pytest.mark.slow]


ASKED = ChatRequest(
    messages=(
        ChatMessage(role="system", content="You are the help desk."),
        ChatMessage(role="user", content="What is the VCCQ level for DDR3?"),
    ),
    max_tokens=40,
)
_LONG_TOKENS = 1_000


class Verdict(BaseModel):
    """A form with each kind of field that the prompts ask for."""

    model_config = ConfigDict(extra="forbid")

    label: Literal["faithful", "partial", "unfaithful"]
    sentence: Literal[1, 2, 3]
    certain: bool


@pytest.fixture
async def chat(server: LiveServer) -> AsyncIterator[OpenAIChatModel]:
    opened = OpenAIChatModel(server.local.base_url, server.local.key, "", HANGS_S)
    yield opened
    await opened.close()


@pytest.fixture
async def resilient(chat: OpenAIChatModel) -> ResilientChatModel:
    return ResilientChatModel(chat, timeout_s=HANGS_S)


def filling() -> ChatRequest:
    """Return a request whose reply is long, because its schema does not let it end before: a minute of writing."""
    schema = {"type": "array", "items": {"type": "integer"}, "minItems": 300}
    asked = ChatMessage(role="user", content="Write the numbers from one.")
    return ChatRequest(messages=(asked,), json_schema=schema, max_tokens=_LONG_TOKENS)


async def test_reply_has_model_and_token_counts(server: LiveServer, chat: OpenAIChatModel) -> None:
    reply = await chat.complete(ASKED)
    assert reply.text
    assert reply.model == chat.model == server.local.model
    assert 1 <= reply.completion_tokens <= ASKED.max_tokens
    assert reply.prompt_tokens <= count_prompt(ASKED)
    assert await chat.window() == SLOT_TOKENS


async def test_stream_has_the_text_of_the_whole_reply(server: LiveServer, chat: OpenAIChatModel) -> None:
    request = replace(ASKED, json_schema=Verdict.model_json_schema(), max_tokens=100)
    with_usage = {"stream_options": {"include_usage": True}}
    streaming = OpenAIChatModel(server.local.base_url, server.local.key, "", HANGS_S, extra_body=with_usage)
    pieces = [piece async for piece in streaming.stream(request)]
    await streaming.close()
    assert len(pieces) > 1
    assert "".join(pieces) == (await chat.complete(request)).text


async def test_model_output_follows_a_strict_schema(resilient: ResilientChatModel) -> None:
    reply = await resilient.complete(replace(ASKED, max_tokens=100, json_schema=strict_schema(Verdict)))
    assert isinstance(parse_reply(reply.text, Verdict), Verdict)


async def test_schema_that_the_server_cannot_compile_is_left_out(chat: OpenAIChatModel) -> None:
    easy = replace(ASKED, json_schema={"type": "boolean"})
    assert json.loads((await chat.complete(easy)).text) in (True, False)
    assert (await chat.complete(replace(ASKED, max_tokens=300, json_schema={"type": "nothing"}))).text
    assert json.loads((await chat.complete(easy)).text) in (True, False)


async def test_log_probabilities_of_every_token_with_alternatives(chat: OpenAIChatModel) -> None:
    reply = await chat.complete(replace(ASKED, json_schema={"enum": ["relevant", "irrelevant"]}, top_logprobs=5))
    assert json.loads(reply.text) in ("relevant", "irrelevant")
    assert reply.tokens
    for token in reply.tokens:
        assert len(token.options) == 5
        assert 0 < sum(math.exp(option.logprob) for option in token.options) <= 1.001


async def test_a_request_that_is_too_long_is_refused(chat: OpenAIChatModel) -> None:
    long = replace(ASKED, messages=(ChatMessage(role="user", content="supply voltage " * SLOT_TOKENS),))
    with pytest.raises(ChatTooLong):
        await chat.complete(long)
    with pytest.raises(ChatTooLong):
        await anext(chat.stream(long))


async def test_passages_that_do_not_fit_are_left_out_by_rank(chat: OpenAIChatModel) -> None:
    sent = []

    def request_of(number: int) -> ChatRequest:
        sent.append(number)
        texts = [f"[{rank}] " + "The pump runs at ninety bar. " * 100 for rank in range(1, number + 1)]
        asked = ChatMessage(role="user", content="\n".join(texts))
        return replace(ASKED, messages=(asked,), max_tokens=64, json_schema={"type": "boolean"})

    assert (await send_fitting(chat, request_of, 6, chat.complete)).text
    assert 1 <= sent[-1] < 6


@pytest.mark.parametrize("way", ["complete", "stream"])
async def test_server_stops_writing_when_the_client_disconnects(
    server: LiveServer, resilient: ResilientChatModel, way: str
) -> None:
    async def ask() -> None:
        if way == "complete":
            await resilient.complete(filling())
        else:
            async with aclosing(resilient.stream(filling())) as pieces:
                async for _ in pieces:
                    pass

    await asyncio.to_thread(server.wait_for_busy, 0)
    asking = asyncio.create_task(ask())
    await asyncio.to_thread(server.wait_for_busy, 1)
    asking.cancel()
    with suppress(asyncio.CancelledError):
        await asking
    await asyncio.to_thread(server.wait_for_busy, 0)
    written = [int(part["n_decoded"]) for slot in server.slots() for part in slot.get("next_token", ())]
    assert max(written, default=0) < _LONG_TOKENS // 2


async def test_more_concurrent_requests_than_server_slots(server: LiveServer, resilient: ResilientChatModel) -> None:
    def numbered(number: int) -> ChatRequest:
        asked = ChatMessage(role="user", content=f"Question {number}: is the level right?")
        return ChatRequest(messages=(asked,), max_tokens=100, json_schema=Verdict.model_json_schema())

    replies = await asyncio.gather(*(resilient.complete(numbered(number)) for number in range(2 * SLOTS)))
    assert all(set(json.loads(reply.text)) == {"label", "sentence", "certain"} for reply in replies)
    await asyncio.to_thread(server.wait_for_busy, 0)
    assert resilient.breaker == "closed"


ANSWERED = "Which second command byte erases a block?"
# A question that the documents answer, one that they do not, and one with a term of two meanings.
QUESTIONS = (ANSWERED, "Who painted the ceiling of the chapel?", "What happens to a PLR frame?")
# A weak model writes until it is stopped: judgements that are not finished by then fall back.
TIMEOUT_S = 20


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Read documents and dictionary once, without a language model."""
    folder = tmp_path_factory.mktemp("library")
    asyncio.run(read_examples(folder / "data", "interfaces-handbook.pdf"))
    return folder / "data"


def assert_notices_given(answer: Answer) -> None:
    """Hold an answer to its notices: a step that did not run on the model says why, and nothing rests on nothing."""
    assert answer.text.strip()
    for step in answer.steps:
        if step.provenance is not None and step.provenance.degraded:
            assert any(reason.startswith(step.node) for reason in answer.degraded)
    for sentence in answer.sentences:
        assert sentence.label != "faithful" or sentence.citations, sentence


@pytest.mark.parametrize("profile", ["balanced", "quality"])
async def test_concurrent_questions_are_all_answered(server: LiveServer, data: Path, profile: str) -> None:
    settings = load_settings(
        data_dir=data, llm=server.llm, llm_api_key=server.local.key, llm_timeout_s=TIMEOUT_S, profile=profile, top_k=2
    )
    questions = QUESTIONS if profile == "balanced" else (ANSWERED,)
    async with open_application(settings, one_shot=True) as application, asyncio.timeout(HANGS_S):
        answers = await asyncio.gather(*(application.chatbot.ask(question) for question in questions))
    assert tuple(answer.question for answer in answers) == questions
    for answer in answers:
        assert_notices_given(answer)
    await asyncio.to_thread(server.wait_for_busy, 0)


def test_model_process_ends_with_its_command_or_a_killed_server(model_file: Path, data: Path, tmp_path: Path) -> None:
    environment = environment_for(data, llm=model_file, llm_timeout_s=TIMEOUT_S, llm_max_context_tokens=SLOT_TOKENS)
    asked = golden("ask", ANSWERED, "--json", environment=environment, folder=tmp_path)
    assert asked.returncode == 0, asked.stderr
    assert json.loads(asked.stdout)["text"].strip()

    with serving(tmp_path, environment) as bot:
        assert "tokens/s" in bot.output
        body = {"model": "golden", "stream": True, "messages": [{"role": "user", "content": ANSWERED}]}
        with httpx.stream("POST", f"{bot.address}/v1/chat/completions", json=body, timeout=HANGS_S) as reply:
            lines = [line for line in reply.iter_lines() if line]
        assert reply.status_code == 200
        assert len(lines) > 2
        assert lines[-1] == "data: [DONE]"
        (llama,) = [each for each in children(bot.process.pid) if b"llama_process" in (each / "cmdline").read_bytes()]
        bot.process.kill()
        bot.process.wait()
        wait_for(lambda: not llama.exists())


def children(process: int) -> list[Path]:
    """Return the folders of Linux of a process's children."""
    named = Path(f"/proc/{process}/task/{process}/children")
    return [Path("/proc") / each for each in named.read_text().split()]


_SERVE = """
import asyncio, pathlib, sys
from golden_retriever.language_models.local_server import serving_file

async def serve():
    async with serving_file(pathlib.Path(sys.argv[1]), max_context_tokens=400_000):
        pass

asyncio.run(serve())
"""


def test_too_little_memory_is_reported(model_file: Path) -> None:
    def confine() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (6_000_000_000, 6_000_000_000))

    command = [sys.executable, "-c", _SERVE, str(model_file)]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
    ended = subprocess.run(command, env=environment, preexec_fn=confine, capture_output=True, text=True, check=False)
    assert "needs more memory than is free here" in ended.stderr, ended.stderr
