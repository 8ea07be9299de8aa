"""Tests the features of a chat server with a few short requests."""

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal

from pydantic import BaseModel

from contracts.errors import GoldenError
from tools.chat.base import ChatMessage, ChatRequest
from tools.chat.openai import OpenAIChatModel
from tools.chat.reply_limits import TruncatedReply
from tools.structured import ask_structured

_TOKENS = 64
_THINGS = ("snow", "a ripe tomato", "the sea")
_ASKED = ChatRequest(messages=(ChatMessage(role="user", content="Name a colour, in one word."),), max_tokens=_TOKENS)


class _Colour(BaseModel):
    """The form of a structured reply: a word and a choice, like those of the judgements."""

    colour: str
    temperature: Literal["warm", "cold"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe:
    """The result of a test: how many of the ``tries`` succeeded, and the server's message if one failed."""

    passed: bool
    said: str = ""
    successes: int = 0
    tries: int = 0

    def __str__(self) -> str:
        """Format the result as text: "yes", "yes, 2 of 3", "no, 1 of 3: …"."""
        some = f", {self.successes} of {self.tries}" if self.tries > 1 and self.successes < self.tries else ""
        return f"yes{some}" if self.passed else f"no{some}: {self.said}"


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerFindings:
    """The features of one server: ``problem`` is "" or the reason why it does not list its models. ``model`` is the
    default model, ``max_tokens`` its context window (0: unknown). ``structured`` passed if most replies have the
    requested form. ``adapters`` maps the requested names to whether the server lists them and completes a prompt.
    """

    address: str
    problem: str = ""
    models: tuple[str, ...] = ()
    model: str = ""
    max_tokens: int = 0
    chat: Probe = field(default_factory=lambda: Probe(passed=False))
    streaming: Probe = field(default_factory=lambda: Probe(passed=False))
    structured: Probe = field(default_factory=lambda: Probe(passed=False))
    logprobs: Probe = field(default_factory=lambda: Probe(passed=False))
    adapters: tuple[tuple[str, Probe], ...] = ()

    def adapter(self, name: str) -> Probe:
        return dict(self.adapters).get(name, Probe(passed=False, said=self.problem or "it was not asked for"))


async def probe_server(chat: OpenAIChatModel, *, adapters: Sequence[tuple[str, bool]] = ()) -> ServerFindings:
    """Ask a server for its models, and for short replies of each kind. A failed request is tried again; no errors are
    raised.

    ``adapters`` are names on the server, each with a flag: true if it takes complete prompts instead of messages.
    """
    try:
        await chat.check()
        first = await _passed(lambda: _ask(chat))
    except GoldenError as error:
        return ServerFindings(address=chat.address, problem=str(error))
    listed = chat.listed
    return ServerFindings(
        address=chat.address,
        models=listed,
        model=chat.model or next(iter(listed), ""),
        max_tokens=await chat.window() or 0,
        chat=first,
        streaming=await _passed(lambda: _stream(chat)) if first.passed else first,
        structured=await _most_pass([partial(_ask_for_form, chat, thing) for thing in _THINGS])
        if first.passed
        else first,
        logprobs=await _passed(lambda: _measure(chat)) if first.passed else first,
        adapters=tuple([(name, await _ask_adapter(chat, name, whole)) for name, whole in adapters]),
    )


class _Missing(GoldenError):
    """The server answered, but its answer lacks a requested part."""


async def _passed(ask: Callable[[], Awaitable[Any]]) -> Probe:
    """Ask, and ask again if that fails, because a server that is loading its model may not answer the first time."""
    first = await _most_pass([ask])
    return first if first.passed else await _most_pass([ask])


async def _most_pass(questions: Sequence[Callable[[], Awaitable[Any]]]) -> Probe:
    """Ask each question once; more than half must pass."""
    said, successes = "", 0
    for ask in questions:
        try:
            await ask()
        except GoldenError as error:
            said = str(error)
        else:
            successes += 1
    return Probe(passed=2 * successes > len(questions), said=said, successes=successes, tries=len(questions))


async def _ask(chat: OpenAIChatModel) -> None:
    if not (await chat.complete(_ASKED)).text.strip():
        raise _Missing("its reply is empty")


async def _stream(chat: OpenAIChatModel) -> None:
    text = ""
    # A model that writes its thoughts first is cut off by the token limit.
    with suppress(TruncatedReply):
        async with aclosing(chat.stream(_ASKED)) as pieces:
            async for piece in pieces:
                text += piece
    if not text.strip():
        raise _Missing("it streamed nothing")


async def _ask_for_form(chat: OpenAIChatModel, thing: str) -> None:
    asked = f'Which colour has {thing}? Answer with JSON: {{"colour": "...", "temperature": "warm" or "cold"}}'
    request = ChatRequest(messages=(ChatMessage(role="user", content=asked),), max_tokens=_TOKENS)
    await ask_structured(chat, request, _Colour)


async def _measure(chat: OpenAIChatModel) -> None:
    reply = await chat.complete(ChatRequest(messages=_ASKED.messages, max_tokens=_TOKENS, top_logprobs=5))
    if not reply.tokens:
        refused = not chat.features.logprobs
        raise _Missing("it refuses log-probabilities" if refused else "it gives no log-probabilities")


async def _ask_adapter(chat: OpenAIChatModel, name: str, whole: bool) -> Probe:
    if chat.listed and name not in chat.listed:
        return Probe(passed=False, said=f"the server does not have it; it has: {', '.join(chat.listed)}")
    messages = () if whole else _ASKED.messages
    prompt = "Name a colour:" if whole else ""
    return await _passed(
        lambda: chat.complete(ChatRequest(messages=messages, prompt=prompt, max_tokens=_TOKENS, model=name))
    )
