"""A chat server over HTTP that answers every request of the bot as a good model would, by the words of its prompt."""

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import Response, StreamingResponse

from tests.conformance.checking_chats import check_answer
from tests.tools.chat.server import chunks, completion, serving
from tools.chat.base import ChatMessage, ChatRequest
from tools.chat.tokens import estimate_tokens
from tools.language import content_stems

_BLOCK = re.compile(r"<<passage (\d+) (\w+)>>[^\n]*\n(.*?)\n<<end \1 \2>>", re.DOTALL)
_SENTENCE = re.compile(r"\[(\d+)\.\d+\] ([^\n]+)")
_QUESTION = re.compile(r"<<(?:last )?question (\w+)>>\n(.*?)\n<<end \1>>", re.DOTALL)
_CODE = re.compile(r"\b\w*[A-Z]{2,}\w*\b")


@dataclass
class AnsweringServer:
    """Calls a passage relevant that shares most words with the question; writes the likest sentence of it.

    ``follow_ups`` are the questions that follow-ups stand for. A question of which a word of ``unanswerable`` is part
    is answered by nothing. ``draft`` takes the place of the likest sentence. ``kinds`` counts calls by what was asked,
    ``tokens`` holds prompt and reply tokens of each, estimated.
    """

    follow_ups: Mapping[str, str] = field(default_factory=dict)
    unanswerable: tuple[str, ...] = ()
    draft: str = ""
    garbled: tuple[str, ...] = ()
    address: str = ""
    kinds: list[str] = field(default_factory=list)
    tokens: list[tuple[int, int]] = field(default_factory=list)

    def forget(self) -> None:
        """Forget what was asked."""
        self.kinds.clear()
        self.tokens.clear()

    def app(self) -> FastAPI:
        """Return the server's routes."""
        app = FastAPI()

        @app.get("/v1/models")
        async def models() -> dict[str, Any]:
            return {"object": "list", "data": [{"id": "house-model", "object": "model", "created": 0}]}

        @app.post("/v1/chat/completions")
        async def complete(request: Request) -> Response:
            return self._respond(await request.json())

        return app

    def _respond(self, body: dict[str, Any]) -> Response:
        shown = str(body["messages"][-1]["content"])
        fields = body.get("response_format", {}).get("json_schema", {}).get("schema", {}).get("properties", {})
        kind, text = self._reply(shown, set(fields), bool(body.get("stream")))
        if kind in self.garbled:
            text = text[: len(text) // 2]
        prompt = sum(estimate_tokens(str(each["content"])) for each in body["messages"])
        self.kinds.append(kind)
        self.tokens.append((prompt, estimate_tokens(text)))
        if body.get("stream"):
            pieces = re.findall(r"\s*\S+", text)
            return StreamingResponse(chunks("house-model", pieces), media_type="text/event-stream")
        return completion("house-model", text)

    def _reply(self, shown: str, fields: set[str], stream: bool) -> tuple[str, str]:
        if stream:
            return "write", self.draft or self._likest(shown)
        if fields == {"question", "terms", "context"}:
            return "understand", self._understood(shown)
        if fields == {"passages", "answer"}:
            return "passages", self._judged(shown)
        if fields == {"sentences"}:
            asked = ChatRequest(messages=(ChatMessage(role="user", content=shown),))
            return "check", check_answer(asked)
        assert not fields, fields
        return "certainty", "yes"

    def _understood(self, shown: str) -> str:
        question = _question(shown)
        standalone = self.follow_ups.get(question, "")
        return json.dumps(
            {"question": standalone, "terms": _CODE.findall(standalone or question), "context": _last_letter(shown)}
        )

    def _judged(self, shown: str) -> str:
        question = _question(shown)
        if any(word in question for word in self.unanswerable):
            return json.dumps({"passages": [], "answer": "unanswerable"})
        asked = set(content_stems(question))
        shares = {int(n): len(asked & set(content_stems(text))) for n, _, text in _BLOCK.findall(shown)}
        best = max(shares, key=lambda number: shares[number])
        return json.dumps({"passages": [{"passage": best, "label": "relevant"}], "answer": "answerable"})

    def _likest(self, shown: str) -> str:
        asked = set(content_stems(_question(shown).rpartition("Question: ")[2]))
        number, text = max(_SENTENCE.findall(shown), key=lambda each: len(asked & set(content_stems(each[1]))))
        return f"{text.rstrip('.')} [{number}]."


def _question(shown: str) -> str:
    return _QUESTION.findall(shown)[-1][1].strip()


def _last_letter(shown: str) -> str:
    return re.findall(r"^([A-Z]+)\) none of these$", shown, re.MULTILINE)[-1]


@contextmanager
def answering(server: AnsweringServer | None = None) -> Iterator[AnsweringServer]:
    """Run a server for the length of the block."""
    server = server or AnsweringServer()
    with serving(server.app()) as address:
        server.address = f"{address}/v1"
        yield server
