"""What every judge of answers keeps to, prompted or embedded."""

import json

import pytest

from golden_lab.judge.comparison import GradedAnswerComparer
from golden_lab.judge.embedded import EmbeddedAnswerGrader, EmbeddedClaimChecker
from golden_lab.judge.grades import (
    CRITERIA,
    AnswerComparer,
    AnswerGrader,
    AnswerPair,
    AnswerToGrade,
    ClaimChecker,
)
from golden_lab.judge.prompted import (
    PromptedAnswerComparer,
    PromptedAnswerGrader,
    PromptedClaimChecker,
)
from golden_retriever.wiring.engines import build_cross_encoder
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from tools.chat.base import ChatRequest
from tools.chat.scripted import ScriptedChatModel
from tools.embedding.hashing import HashingEmbedder
from tools.reading.ranking import QuoteRanker

ITEM = AnswerToGrade(
    id="1",
    question="Which voltage does the pump need?",
    passages=("The pump needs 12 V. It is red.",),
    answer="The pump needs 12 V. It sings at night in the old harbour.",
)
EMPTY = AnswerToGrade(id="2", question="Which voltage?", passages=("The pump needs 12 V.",), answer="")


def reply(request: ChatRequest) -> str:
    system = request.messages[0].content
    if "split an answer" in system:
        return json.dumps({"claims": ["The pump needs 12 V.", "It sings at night."]})
    if "check claims" in system:
        return json.dumps({"verdicts": [{"supported": True}, {"supported": False}]})
    whole = {"winner": "tie", "score": 3}
    return json.dumps({"explanation": "e", **whole})


EMBEDDER = HashingEmbedder()
FAITHFULNESS = EmbeddedFaithfulnessJudge(EMBEDDER)
GRADERS: list[AnswerGrader] = [
    EmbeddedAnswerGrader(FAITHFULNESS, EmbeddedAnswerabilityJudge(QuoteRanker(build_cross_encoder())), EMBEDDER),
    PromptedAnswerGrader(ScriptedChatModel(reply)),
]
CHECKERS: list[ClaimChecker] = [EmbeddedClaimChecker(FAITHFULNESS), PromptedClaimChecker(ScriptedChatModel(reply))]
COMPARERS: list[AnswerComparer] = [
    GradedAnswerComparer(GRADERS[0]),
    PromptedAnswerComparer(ScriptedChatModel(reply)),
]


@pytest.mark.parametrize("grader", GRADERS)
async def test_grades_lie_on_the_scale_and_say_whose_they_are(grader: AnswerGrader) -> None:
    grades = await grader.grade(ITEM)
    assert all(1 <= grades.of(criterion) <= 5 for criterion in CRITERIA)
    assert 1 <= grades.weighted <= 5
    assert grades.provenance.implementation in ("embedded", "llm")
    assert grades.explanation
    assert (await grader.grade(EMPTY)).weighted == pytest.approx(1)


@pytest.mark.parametrize("checker", CHECKERS)
async def test_claims_are_checked_in_order(checker: ClaimChecker) -> None:
    claims = await checker.check(ITEM)
    assert claims[0].text == "The pump needs 12 V."
    assert [claim.supported for claim in claims] == [True, False]
    assert all(0 <= claim.probability <= 1 for claim in claims)
    assert await checker.check(EMPTY) == ()


@pytest.mark.parametrize("comparer", COMPARERS)
async def test_equal_answers_are_a_tie(comparer: AnswerComparer) -> None:
    pair = AnswerPair(id="1", question=ITEM.question, passages=ITEM.passages, first=ITEM.answer, second=ITEM.answer)
    found = await comparer.compare(pair)
    assert (found.winner, found.consistent) == ("tie", True)
