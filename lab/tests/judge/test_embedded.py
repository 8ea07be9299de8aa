import pytest

from golden_lab.judge.embedded import EmbeddedAnswerGrader, EmbeddedClaimChecker
from golden_lab.judge.grades import AnswerToGrade
from golden_retriever.wiring.engines import build_cross_encoder
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from tools.embedding.base import Embedder
from tools.embedding.cached import CachedEmbedder
from tools.embedding.onnx import OnnxEmbedder
from tools.embedding.weights import find_default_model
from tools.reading.ranking import QuoteRanker

QUESTION = "How many clock cycles does the DLL need to lock?"
PASSAGE = (
    "The DLL needs 512 clock cycles to lock. Its input clock must be stable before. "
    "The refresh interval of the memory is 7.8 µs."
)
RIGHT = "The DLL needs 512 clock cycles to lock."


@pytest.fixture(scope="module")
def embedder(tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    return CachedEmbedder(OnnxEmbedder(find_default_model(), tmp_path_factory.mktemp("models")))


@pytest.fixture(scope="module")
def grader(embedder: Embedder) -> EmbeddedAnswerGrader:
    return EmbeddedAnswerGrader(
        EmbeddedFaithfulnessJudge(embedder), EmbeddedAnswerabilityJudge(QuoteRanker(build_cross_encoder())), embedder
    )


def item(answer: str, reference: str = "") -> AnswerToGrade:
    return AnswerToGrade(id="1", question=QUESTION, passages=(PASSAGE,), answer=answer, reference=reference)


async def test_a_right_answer_beats_a_wrong_figure_one_beside_the_point_and_a_refusal(
    grader: EmbeddedAnswerGrader,
) -> None:
    right = await grader.grade(item(RIGHT))
    wrong = await grader.grade(item("The DLL needs 256 clock cycles to lock."))
    beside = await grader.grade(item("The cafeteria opens at noon and serves soup."))
    refusal = await grader.grade(item("I do not know."))
    assert right.faithfulness > wrong.faithfulness + 0.3
    assert right.relevance > beside.relevance + 1
    assert right.completeness > beside.completeness + 1
    assert right.completeness > refusal.completeness + 1
    assert right.weighted == max(each.weighted for each in (right, wrong, beside, refusal))
    assert "256" in wrong.explanation
    for grades in (right, wrong, beside, refusal):
        assert all(1 <= value <= 5 for value in (grades.relevance, grades.faithfulness, grades.completeness))


async def test_sentences_are_claims(embedder: Embedder) -> None:
    checker = EmbeddedClaimChecker(EmbeddedFaithfulnessJudge(embedder))
    claims = await checker.check(
        item(f"{RIGHT} Norwegian fishermen painted the harbour green in 1911. Let me know if I can help.")
    )
    assert [(claim.text, claim.supported) for claim in claims] == [
        (RIGHT, True),
        ("Norwegian fishermen painted the harbour green in 1911.", False),
    ]
    assert await checker.check(item("")) == ()
