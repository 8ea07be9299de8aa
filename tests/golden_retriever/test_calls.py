"""How many calls a question sends to a real HTTP server, by profile, and what stands in where a reply is unusable."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from fastapi.responses import Response

from contracts.answer import Answer
from contracts.errors import MalformedReply
from contracts.question import Turn
from golden_retriever.settings import load_settings
from golden_retriever.wiring.application import Application, open_application
from tests.conformance.checking_chats import check_answer
from tests.example_library import EXAMPLES, read_examples
from tests.golden_retriever.chat_server import ChatServer, chatting
from tools.chat.base import ChatMessage, ChatRequest
from tools.language import content_stems
from tools.prompt_prefix import prefix_variables

FIRST = "What is the VCCQ level for DDR3?"
FOLLOW_UP = "And for DDR4?"
UNANSWERABLE = "Who painted the ceiling of the chapel?"
AMBIGUOUS = "What happens to a PLR frame?"
INVENTED = "Penguins devour krill on long polar nights."
HISTORY = (Turn(role="user", text=FIRST), Turn(role="assistant", text="The VCCQ level for DDR3 is 1.5 V [1]."))
ALL = ["understand", "passages", "write", "check", "certainty"]


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
        last_letter = re.findall(r"^([A-Z]+)\) none of these$", shown, re.MULTILINE)[-1]
        return json.dumps(
            {"question": standalone, "terms": _CODE.findall(standalone or question), "context": last_letter}
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


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Read documents and dictionary once, without a language model."""
    folder = tmp_path_factory.mktemp("library")
    asyncio.run(read_examples(folder / "data", "interfaces-handbook.pdf", "house-rules.md"))
    return folder / "data"


@pytest.fixture
def server() -> Iterator[AnsweringServer]:
    follow_ups = {FOLLOW_UP: "What is the VCCQ level for DDR4?"}
    with chatting(AnsweringServer(follow_ups=follow_ups, unanswerable=("chapel",))) as running:
        yield running


@asynccontextmanager
async def opened(server: AnsweringServer, data: Path, profile: str, **more: Any) -> AsyncIterator[Application]:
    settings = load_settings(data_dir=data, llm=server.address, profile=profile, summaries=False, **more)
    async with open_application(settings, one_shot=True) as application:
        yield application


async def ask(application: Application, question: str) -> Answer:
    return await application.chatbot.ask(question, history=HISTORY if question == FOLLOW_UP else ())


async def test_balanced_sends_one_call_and_a_second_for_a_rewrite(server: AnsweringServer, data: Path) -> None:
    async with opened(server, data, "balanced", refinement="overlap") as application:
        for question in (FIRST, FOLLOW_UP):
            assert (await ask(application, question)).outcome == "answered"
            assert server.take_kinds() == ["write"]
        for question, most in ((UNANSWERABLE, 0), (AMBIGUOUS, 1)):
            await ask(application, question)
            assert len(server.take_kinds()) <= most
        server.draft = INVENTED
        await ask(application, FIRST)
        assert server.take_kinds() == ["write", "write"]


async def test_quality_sends_five_calls_and_six_at_most(server: AnsweringServer, data: Path) -> None:
    async with opened(server, data, "quality", refinement="overlap") as application:
        for question in (FIRST, FOLLOW_UP):
            answer = await ask(application, question)
            assert (answer.outcome, answer.degraded) == ("answered", ())
            assert_one_beginning(server.requests[-3:])
            assert server.take_kinds() == ALL
        assert answer.standalone_question == "What is the VCCQ level for DDR4?"
        # The passages of the second search are judged, too.
        assert (await ask(application, UNANSWERABLE)).outcome == "closest_passages"
        assert server.take_kinds() == ["understand", "passages", "passages"]
        assert (await ask(application, AMBIGUOUS)).outcome in ("clarify", "answered")
        assert server.take_kinds() in (["understand"], ALL)
        server.draft = INVENTED
        refined = await ask(application, FIRST)
        # A draft and its rewrite are checked together; no certainty is estimated for an answer without support.
        assert server.take_kinds() == ["understand", "passages", "write", "write", "check"]
        assert_one_beginning(server.requests[-3:])
        assert refined.refinement is not None


def assert_one_beginning(bodies: list[dict[str, Any]]) -> None:
    """See that prompts about the same passages begin alike, so that a server's prefix cache reads them once."""
    (system,) = {body["messages"][0]["content"] for body in bodies}
    shown = [body["messages"][1]["content"] for body in bodies]
    beginning, mark, _ = shown[0].partition("\n\n# Task")
    assert system == prefix_variables([])["prefix"]
    assert mark
    assert beginning.startswith("# Passages, code ")
    assert FIRST not in beginning
    assert all(each.startswith(beginning + mark) for each in shown)


@pytest.mark.parametrize("kind", ["understand", "passages", "check"])
async def test_unusable_reply_falls_back_to_the_single_judges(kind: str, server: AnsweringServer, data: Path) -> None:
    server.garbled = (kind,)
    async with opened(server, data, "quality") as application:
        answer = await ask(application, FIRST)
    assert answer.outcome == "answered"
    assert server.take_kinds() == ALL, "no call is repeated"
    (reason,) = answer.degraded
    assert "the language model did not answer" in reason


async def test_no_fallback_if_the_settings_refuse_it(server: AnsweringServer, data: Path) -> None:
    server.garbled = ("passages",)
    async with opened(server, data, "quality", degrade="refuse") as application:
        with pytest.raises(MalformedReply):
            await ask(application, FIRST)


async def test_single_judgement_takes_one_call(server: AnsweringServer, data: Path) -> None:
    chosen = {"engines": "context_relevance=llm", "llm_question_timeout_s": 33}
    async with opened(server, data, "balanced", **chosen) as application:
        assert application.services.policy.llm_timeout_s == 33
        assert (await ask(application, FIRST)).outcome == "answered"
    assert server.take_kinds() == ["passages", "write"]


async def test_sections_are_summarised_by_the_language_model(tmp_path: Path) -> None:
    chat = ChatServer(summary="Supply levels of the zirconium interface, by generation.")
    with chatting(chat):
        settings = load_settings(data_dir=tmp_path, llm=f"{chat.address}#house-model", workers=1)
        async with open_application(settings, one_shot=True) as application:
            await application.pipeline.ingest([EXAMPLES / "documents" / "house-rules.md"])
            (document,) = application.store.documents()
            chunks = application.store.document_chunks(document.id)
    assert any(chat.summary in chunk.text for chunk in chunks if chunk.kind == "summary")
