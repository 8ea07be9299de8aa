"""A chat server over HTTP that answers every request of the bot as a good model would, by the words of its prompt."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fastapi.responses import Response

from tests.conformance.checking_chats import check_answer
from tests.golden_retriever.chat_server import ChatServer
from tools.chat.base import ChatMessage, ChatRequest
from tools.language import content_stems

_BLOCK = re.compile(r"<<passage (\d+) (\w+)>>[^\n]*\n(.*?)\n<<end \1 \2>>", re.DOTALL)
_SENTENCE = re.compile(r"\[(\d+)\.\d+\] ([^\n]+)")
_QUESTION = re.compile(r"<<(?:last )?question (\w+)>>\n(.*?)\n<<end \1>>", re.DOTALL)
_CODE = re.compile(r"\b\w*[A-Z]{2,}\w*\b")


@dataclass
class AnsweringServer(ChatServer):
    """Calls a passage relevant that shares most words with the question; writes the likest sentence of it.

    ``follow_ups`` are the questions that follow-ups stand for. A question of which a word of ``unanswerable`` is part
    is answered by nothing. ``draft`` takes the place of the likest sentence, and what is asked for by a name among
    ``garbled`` is cut. ``prompts`` keeps what was asked for and the last message, call by call.
    """

    follow_ups: Mapping[str, str] = field(default_factory=dict)
    unanswerable: tuple[str, ...] = ()
    draft: str = ""
    garbled: tuple[str, ...] = ()
    prompts: list[tuple[str, str]] = field(default_factory=list)

    def take_kinds(self) -> list[str]:
        """Return what was asked for since the last time."""
        kinds = [kind for kind, _ in self.prompts]
        self.prompts.clear()
        return kinds

    def reply(self, body: dict[str, Any]) -> Response:
        """Answer by the words of the prompt."""
        shown = str(body["messages"][-1]["content"])
        fields = body.get("response_format", {}).get("json_schema", {}).get("schema", {}).get("properties", {})
        kind, text = self._answer(shown, set(fields), bool(body.get("stream")))
        self.prompts.append((kind, shown))
        return self.completed(body, text[: len(text) // 2] if kind in self.garbled else text)

    def _answer(self, shown: str, fields: set[str], streamed: bool) -> tuple[str, str]:
        if streamed:
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
