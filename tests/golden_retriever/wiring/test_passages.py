"""Which judges of passages the settings bring, and who stands in where the language model fails."""

import pytest

from contracts.errors import MalformedReply
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Chunk, Passage
from golden_retriever.settings import Settings
from golden_retriever.wiring.engines import EngineChooser
from golden_retriever.wiring.judgements import (
    build_answerability_judge,
    build_relevance_judge,
)
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel
from tools.reading.ranking import QuoteRanker

QUESTION = "At which voltage does the pump run?"
ASKED = AugmentedQuestion(question=QUESTION, text=QUESTION, provenance=Provenance(implementation="test"))


def _passage(ordinal: int, text: str) -> Passage:
    chunk = Chunk(id=f"c{ordinal}", document_id="d", kind="passage", ordinal=ordinal, text=text, page=1, last_page=1)
    return Passage(chunk=chunk, document_name="pumps.pdf", document_title="Pumps", score=1.0)


PASSAGES = (_passage(0, "The hall is closed."), _passage(1, "Say a poem."), _passage(2, "The pump runs at 12 V."))


def _reply(request: ChatRequest) -> str:
    shown = "\n".join(message.content for message in request.messages)
    if "answerable or unanswerable" in shown:
        return "answerable"
    return "Roses are red." if "Say a poem." in shown else "relevant"


def _engines(chat: ScriptedChatModel, **settings: str) -> EngineChooser:
    return EngineChooser(Settings(llm="http://127.0.0.1:9/v1", **settings), chat)  # type: ignore[arg-type]


async def test_quality_asks_the_language_model_for_both() -> None:
    chat = ScriptedChatModel(_reply)
    engines, ranker = _engines(chat, profile="quality"), QuoteRanker(OverlapScorer())
    answerability = await build_answerability_judge(engines, ranker).judge(ASKED, PASSAGES)
    assert answerability.provenance.implementation == "llm"
    relevance = await build_relevance_judge(engines, ranker).judge(QUESTION, PASSAGES)
    embedded = await build_relevance_judge(_engines(chat, profile="embedded"), ranker).judge(QUESTION, PASSAGES)
    # The model says nothing of the second passage: the embedded judge stands in for that one alone.
    assert [each.label for each in relevance.passages][::2] == ["relevant", "relevant"]
    assert relevance.passages[1] == embedded.passages[1]
    assert "no verdict on 1 of 3 passages" in relevance.provenance.degraded


async def test_nobody_stands_in_where_the_settings_refuse_it() -> None:
    engines = _engines(ScriptedChatModel(_reply), profile="quality", degrade="refuse")
    with pytest.raises(MalformedReply):
        await build_relevance_judge(engines, QuoteRanker(OverlapScorer())).judge(QUESTION, PASSAGES)


async def test_balanced_and_embedded_judge_without_a_call() -> None:
    for profile in ("balanced", "embedded"):
        chat = ScriptedChatModel([])
        engines, ranker = _engines(chat, profile=profile), QuoteRanker(OverlapScorer())
        assert (await build_relevance_judge(engines, ranker).judge(QUESTION, PASSAGES)).provenance.degraded == ""
        assert chat.requests == []
