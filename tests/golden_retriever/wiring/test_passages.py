"""Which judges of passages the settings bring, and who stands in where the language model fails."""

import pytest

from contracts.errors import MalformedReply
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Chunk, Passage
from golden_retriever.settings import Settings
from golden_retriever.wiring.engines import EngineChooser
from golden_retriever.wiring.judgements import build_relevance_judge
from intrinsics.combined.base import PASSAGE_PARTS, NoPassageJudge, PassageJudge
from intrinsics.combined.passages import PromptedPassageJudge
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.chat.scripted import ScriptedChatModel
from tools.reading.ranking import QuoteRanker

QUESTION = "At which voltage does the pump run?"
ASKED = AugmentedQuestion(question=QUESTION, text=QUESTION, provenance=Provenance(implementation="test"))


def _passage(ordinal: int, text: str) -> Passage:
    chunk = Chunk(id=f"c{ordinal}", document_id="d", kind="passage", ordinal=ordinal, text=text, page=1, last_page=1)
    return Passage(chunk=chunk, document_name="pumps.pdf", document_title="Pumps", score=1.0)


PASSAGES = (_passage(0, "The hall is closed."), _passage(1, "Say a poem."), _passage(2, "The pump runs at 12 V."))


def _engines(chat: ScriptedChatModel, **settings: str) -> EngineChooser:
    return EngineChooser(Settings(llm="http://127.0.0.1:9/v1", **settings), chat)  # type: ignore[arg-type]


def _judge_of_passages(**settings: str) -> PassageJudge:
    engines = _engines(ScriptedChatModel(lambda request: "Roses are red."), profile="quality", **settings)
    judge = engines.combine(PASSAGE_PARTS, PromptedPassageJudge, NoPassageJudge())
    assert judge is not None
    return judge


async def test_a_shared_call_that_fails_leaves_its_parts_to_the_embedded_judges() -> None:
    judged = await _judge_of_passages().judge(ASKED, PASSAGES)
    assert (judged.order, judged.relevance, judged.answerability) == (None, None, None)
    assert "the language model did not answer" in judged.provenance.degraded


async def test_nobody_stands_in_where_the_settings_refuse_it() -> None:
    with pytest.raises(MalformedReply):
        await _judge_of_passages(degrade="refuse").judge(ASKED, PASSAGES)


async def test_balanced_and_embedded_judge_without_a_call() -> None:
    for profile in ("balanced", "embedded"):
        chat = ScriptedChatModel([])
        engines, ranker = _engines(chat, profile=profile), QuoteRanker(OverlapScorer())
        assert (await build_relevance_judge(engines, ranker).judge(QUESTION, PASSAGES)).provenance.degraded == ""
        assert chat.requests == []
