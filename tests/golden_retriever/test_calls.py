"""How many calls a question sends to a real HTTP server, by profile, and what stands in where a reply is unusable."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from contracts.answer import Answer
from contracts.errors import MalformedReply
from contracts.question import Turn
from golden_retriever.settings import load_settings
from golden_retriever.wiring.application import Application, open_application
from tests.example_library import EXAMPLES, read_examples
from tests.golden_retriever.answering_server import AnsweringServer
from tests.golden_retriever.chat_server import ChatServer, chatting
from tools.grounding import ground

FIRST = "What is the VCCQ level for DDR3?"
FOLLOW_UP = "And for DDR4?"
UNANSWERABLE = "Who painted the ceiling of the chapel?"
AMBIGUOUS = "What happens to a PLR frame?"
INVENTED = "Penguins devour krill on long polar nights."
HISTORY = (Turn(role="user", text=FIRST), Turn(role="assistant", text="The VCCQ level for DDR3 is 1.5 V [1]."))
ALL = ["understand", "passages", "write", "check", "certainty"]


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


async def test_balanced_sends_one_call_and_a_second_one_for_a_rewrite(server: AnsweringServer, data: Path) -> None:
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
        # A draft and its rewrite are checked together; of what nothing supports nothing is estimated.
        assert server.take_kinds() == ["understand", "passages", "write", "write", "check"]
        assert_one_beginning(server.requests[-3:])
        assert refined.refinement is not None


def assert_one_beginning(bodies: list[dict[str, Any]]) -> None:
    """See that prompts about the same passages begin alike, so that a server's prefix cache reads them once."""
    (system,) = {body["messages"][0]["content"] for body in bodies}
    shown = [body["messages"][1]["content"] for body in bodies]
    beginning, mark, _ = shown[0].partition("\n\n# Task")
    assert system == ground([])["grounding"]
    assert mark
    assert beginning.startswith("# Passages, code ")
    assert FIRST not in beginning
    assert all(each.startswith(beginning + mark) for each in shown)


@pytest.mark.parametrize("kind", ["understand", "passages", "check"])
async def test_the_judges_of_each_part_stand_in_for_a_reply_that_cannot_be_used(
    kind: str, server: AnsweringServer, data: Path
) -> None:
    server.garbled = (kind,)
    async with opened(server, data, "quality") as application:
        answer = await ask(application, FIRST)
    assert answer.outcome == "answered"
    assert server.take_kinds() == ALL, "nothing is asked twice"
    (reason,) = answer.degraded
    assert "the language model did not answer" in reason


async def test_nobody_stands_in_where_the_settings_refuse_it(server: AnsweringServer, data: Path) -> None:
    server.garbled = ("passages",)
    async with opened(server, data, "quality", degrade="refuse") as application:
        with pytest.raises(MalformedReply):
            await ask(application, FIRST)


async def test_one_judgement_alone_takes_one_call(server: AnsweringServer, data: Path) -> None:
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
