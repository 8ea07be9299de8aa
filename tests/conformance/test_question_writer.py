"""Every implementation of QuestionWriter keeps the contract."""

import json

import pytest

from contracts.errors import ChatUnavailable
from contracts.text import Chunk, Passage
from intrinsics.question_writing.base import QuestionWriter
from intrinsics.question_writing.embedded import EmbeddedQuestionWriter
from intrinsics.question_writing.llm import PromptedQuestionWriter
from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel
from tools.degrading import degrading

TEXT = """The maximum inlet pressure of the P-200 is 6 bar. Each P-200 holds
two spare filters in a drawer.
A differential pressure switch (DPS) stops the pump when the inlet valve is closed.

Part | Torque (Nm) | Material
Cover of the P-200 | 12 | steel
"""


def _passage(text: str = TEXT) -> Passage:
    chunk = Chunk(id="c", document_id="d", kind="passage", ordinal=0, text=text, page=1, last_page=1)
    return Passage(chunk=chunk, document_name="pumps.md", document_title="Pumps", score=0.0)


def _reply(request: ChatRequest) -> str:
    asked = [
        {"question": "What is the maximum inlet pressure of the P-200?", "answer": "6 bar"},
        {"question": "How many spare filters does each P-200 hold?", "answer": "two"},
    ]
    return json.dumps({"questions": asked})


def _degraded() -> QuestionWriter:
    down = PromptedQuestionWriter(ScriptedChatModel([ChatUnavailable("The chat server does not answer.")] * 9))
    return degrading(down, EmbeddedQuestionWriter())


@pytest.fixture(
    params=[EmbeddedQuestionWriter, lambda: PromptedQuestionWriter(ScriptedChatModel(_reply)), _degraded],
    ids=["embedded", "llm", "degrading"],
)
def writer(request: pytest.FixtureRequest) -> QuestionWriter:
    built: QuestionWriter = request.param()
    return built


async def test_writes_questions_whose_answers_stand_in_the_passage(writer: QuestionWriter) -> None:
    written = await writer.write(_passage())
    pairs = [(each.question, each.answer) for each in written.questions]
    assert ("What is the maximum inlet pressure of the P-200?", "6 bar") in pairs
    assert len({question for question, _ in pairs}) == len(pairs) >= 2
    for each in written.questions:
        assert each.question.endswith("?")
        assert " ".join(TEXT[each.evidence.start : each.evidence.end].split()) == each.answer


async def test_says_who_wrote(writer: QuestionWriter, degraded: bool) -> None:
    written = await writer.write(_passage())
    assert written.provenance.implementation in {"embedded", "llm"}
    assert bool(written.provenance.degraded) is degraded


@pytest.mark.parametrize("text", ["", "\n", "See above.", "| | |", "…", "It is 5 V."])
async def test_writes_nothing_where_nothing_is_stated(text: str) -> None:
    silent = PromptedQuestionWriter(ScriptedChatModel(lambda _: '{"questions": []}'))
    for each in (EmbeddedQuestionWriter(), silent):
        assert (await each.write(_passage(text))).questions == ()
