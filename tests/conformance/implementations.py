"""The implementations of one judgement, as a fixture."""

from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatRequest
from tools.fallback import with_fallback

Replies = Callable[[ChatRequest], str]


def implementations(
    embedded: Callable[[], Any],
    *,
    llm: tuple[Callable[[ScriptedChatModel], Any], Replies] | None = None,
    adapter: tuple[Callable[[ScriptedChatModel], Any], Replies] | None = None,
) -> Any:
    """Make a fixture of the ``embedded`` judge, of those on a chat model with these replies, and of a degrading one."""
    asked = {name: each for name, each in (("llm", llm), ("adapter", adapter)) if each is not None}
    makers = {"embedded": embedded}
    for name, (make, replies) in asked.items():
        makers[name] = partial(lambda make, replies: make(ScriptedChatModel(replies)), make, replies)
    makers["degrading"] = lambda: with_fallback(make(ScriptedChatModel([])), embedded())

    @pytest.fixture(params=makers.values(), ids=makers)
    def judge(request: pytest.FixtureRequest) -> Any:
        return request.param()

    return judge
