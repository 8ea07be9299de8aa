"""Every implementation of AnswerWriter keeps the contract."""

import pytest

from contracts.errors import ChatUnavailable
from contracts.question import Choice
from intrinsics.answer_generation.base import AnswerWriter
from intrinsics.answer_generation.embedded import EmbeddedAnswerWriter
from intrinsics.answer_generation.llm import PromptedAnswerWriter
from tests.conformance.reading_cases import PASSAGES, make_brief, write
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel
from tools.fallback import with_fallback
from tools.reading.ranking import QuoteRanker

ASKED = "At what voltage does the P-200 pump run?"


def _reply(request: ChatRequest) -> str:
    return "b) 48 V. The P-200 pump runs at 48 V."


def _embedded() -> AnswerWriter:
    return EmbeddedAnswerWriter(QuoteRanker(OverlapScorer()))


def _prompted() -> AnswerWriter:
    return PromptedAnswerWriter(ScriptedChatModel(_reply))


def _degraded() -> AnswerWriter:
    down = PromptedAnswerWriter(ScriptedChatModel([ChatUnavailable("The chat server does not answer.")] * 9))
    return with_fallback(down, _embedded())


@pytest.fixture(params=[_embedded, _prompted, _degraded], ids=["embedded", "llm", "degrading"])
def writer(request: pytest.FixtureRequest) -> AnswerWriter:
    built: AnswerWriter = request.param()
    return built


async def test_streams_text_and_ends_with_one_draft_of_it_without_marks(writer: AnswerWriter, degraded: bool) -> None:
    pieces, draft = await write(writer, make_brief(ASKED, PASSAGES))
    assert "".join(pieces) == draft.text
    assert "48 V" in draft.text
    assert "96 V" not in draft.text
    assert "[" not in draft.text
    assert draft.provenance.implementation in {"embedded", "llm"}
    assert draft.provenance.model
    assert draft.provenance.milliseconds > 0
    assert bool(draft.provenance.degraded) is degraded


async def test_names_the_option_of_a_multiple_choice_question(writer: AnswerWriter) -> None:
    choices = (Choice(label="a", text="96 V"), Choice(label="b", text="48 V"), Choice(label="c", text="12 V"))
    _, draft = await write(writer, make_brief(ASKED, PASSAGES, choices=choices))
    assert draft.text.startswith("b) 48 V")


async def test_writes_without_passages_and_again_under_a_critique(writer: AnswerWriter) -> None:
    pieces, draft = await write(writer, make_brief(ASKED, ()))
    assert "".join(pieces) == draft.text != ""
    brief = make_brief(ASKED, PASSAGES, critique="Keep to the passages.", draft="It runs at 12 V.")
    _, draft = await write(writer, brief)
    assert "48 V" in draft.text
    assert "12 V" not in draft.text
