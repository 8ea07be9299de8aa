"""Every implementation of AnswerabilityJudge keeps the contract."""

import pytest

from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Chunk, Passage
from intrinsics.answerability.adapter import AdaptedAnswerabilityJudge
from intrinsics.answerability.base import AnswerabilityJudge
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
from intrinsics.answerability.llm import PromptedAnswerabilityJudge
from tests.intrinsics.adapted import published
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel
from tools.fallback import with_fallback
from tools.reading.ranking import QuoteRanker


def _passage(text: str, ordinal: int = 0) -> Passage:
    chunk = Chunk(
        id=f"c{ordinal}", document_id="d", kind="passage", ordinal=ordinal, text=text, page=1, last_page=1,
    )  # fmt: skip
    return Passage(chunk=chunk, document_name="pumps.pdf", document_title="Pumps", score=1.0)


PASSAGES = (_passage("The pump BLP4 runs at 12 V and is greased in May."), _passage("The hall is closed on Sunday.", 1))


def _reply(request: ChatRequest) -> str:
    # A model that takes any question about these passages for answered.
    return "answerable"


def _embedded() -> AnswerabilityJudge:
    return EmbeddedAnswerabilityJudge(QuoteRanker(OverlapScorer()))


@pytest.fixture(
    params=[
        _embedded,
        lambda: PromptedAnswerabilityJudge(ScriptedChatModel(_reply)),
        lambda: AdaptedAnswerabilityJudge(ScriptedChatModel(_reply), published("answerability")),
        lambda: with_fallback(PromptedAnswerabilityJudge(ScriptedChatModel([])), _embedded()),
    ],
    ids=["embedded", "llm", "adapter", "degrading"],
)
def judge(request: pytest.FixtureRequest) -> AnswerabilityJudge:
    built: AnswerabilityJudge = request.param()
    return built


def _ask(text: str) -> AugmentedQuestion:
    return AugmentedQuestion(question=text, text=text, provenance=Provenance(implementation="test"))


async def test_no_passages_hold_no_answer(judge: AnswerabilityJudge) -> None:
    for passages in ((), (_passage("  \n"),)):
        assert (await judge.judge(_ask("At which voltage does the BLP4 run?"), passages)).probability == 0.0


async def test_a_code_that_no_passage_mentions_is_declined_by_name(judge: AnswerabilityJudge) -> None:
    verdict = await judge.judge(_ask("At which voltage does the BLP7 run?"), PASSAGES)
    assert verdict.probability < 0.5
    assert verdict.missing == ("BLP7",)


async def test_what_the_passages_mention_is_not_missing(judge: AnswerabilityJudge) -> None:
    assert (await judge.judge(_ask("At which voltage does the BLP4 run?"), PASSAGES)).missing == ()


QUESTIONS = ("At which voltage does the BLP4 run?", "", "?", "\x00\ud800", "DROP TABLE", "船", "x" * 5_000)


@pytest.mark.parametrize("question", QUESTIONS)
async def test_any_question_has_a_probability_and_a_judge(
    judge: AnswerabilityJudge, question: str, degraded: bool
) -> None:
    verdict = await judge.judge(_ask(question), PASSAGES)
    assert 0.0 <= verdict.probability <= 1.0
    assert bool(verdict.provenance.degraded) is degraded
    assert verdict.provenance.implementation in ("embedded", "llm", "adapter")
    assert all(term in question for term in verdict.missing)
