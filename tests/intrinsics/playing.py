"""Kept exchanges with a chat server, played again: what is asked must be what was asked, and the reply is that one."""

import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from starlette.responses import JSONResponse, Response

from tests.tools.chat.server import running_server
from tools.chat import ChatModel
from tools.chat.openai import OpenAIChatModel

Kept = dict[str, Any]


async def play(
    path: Path,
    ask: Callable[[ChatModel], Awaitable[Any]],
    *,
    prompt: bool = False,
    respond: Callable[[Kept], Response] = JSONResponse,
) -> tuple[Kept, dict[str, Any]]:
    """Let ``ask`` ask a server that gives the kept response; return what is kept, and the body of the one request.

    ``prompt``: a whole prompt is asked for, past the chat's template. What ``ask`` makes of it must be what was made.
    """
    kept: Kept = json.loads(path.read_text("utf-8"))  # noqa: ASYNC240 - a small file, and nothing else runs
    with running_server() as server:

        async def answer(body: dict[str, Any], authorization: str) -> Response:
            return respond(kept["response"])

        setattr(server, "answer_prompt" if prompt else "answer", answer)
        chat = OpenAIChatModel(server.url, "", kept["request"]["model"])
        try:
            made = await ask(chat)
        finally:
            await chat.close()
    (body,) = server.bodies
    assert made == kept["made"]
    return kept, body
