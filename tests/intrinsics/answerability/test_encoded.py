"""Answerability with the trained encoder: what it says counts, and the rules stand above it."""

from collections.abc import Sequence

import pytest

from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
from intrinsics.answerability.encoded import EncodedAnswerabilityJudge
from tests.intrinsics.joined import joined
from tests.tools.encoder.constant import ConstantPairEncoder
from tools.embedding.base import Embedder
from tools.encoder import TextPair
from tools.encoder.base import Logits


class NotingEncoder(ConstantPairEncoder):
    """Keeps the pairs that it is asked about."""

    def __init__(self, logit: float) -> None:
        super().__init__(logit)
        self.asked: list[TextPair] = []

    async def score(self, pairs: Sequence[TextPair]) -> Logits:
        self.asked += pairs
        return await super().score(pairs)


def _ask(question: str) -> AugmentedQuestion:
    return AugmentedQuestion(
        question=question, text=question, readings=(), provenance=Provenance(implementation="test")
    )


@pytest.fixture
def embedded(minilm: Embedder) -> EmbeddedAnswerabilityJudge:
    return EmbeddedAnswerabilityJudge(minilm)


async def test_both_count(embedded: EmbeddedAnswerabilityJudge, handbook: tuple[Passage, ...]) -> None:
    question = _ask("Where is the diamond saw made?")
    before = await embedded.judge(question, handbook)
    found = [
        (await EncodedAnswerabilityJudge(embedded, ConstantPairEncoder(logit), joined()).judge(question, handbook))
        for logit in (-3.0, 0.0, 3.0)
    ]
    low, same, high = (each.probability for each in found)
    assert low < same < high
    assert same == pytest.approx(before.probability, abs=1e-3)
    assert {each.provenance.implementation for each in found} == {"encoded"}
    assert found[0].provenance.model == "constant@-3"


@pytest.mark.parametrize("code", ["DDR5", "tCBSY", "lpddr4"])
async def test_an_encoder_that_always_says_yes_does_not_answer_for_an_unknown_code(
    embedded: EmbeddedAnswerabilityJudge, handbook: tuple[Passage, ...], code: str
) -> None:
    judge = EncodedAnswerabilityJudge(embedded, ConstantPairEncoder(20.0), joined())
    verdict = await judge.judge(_ask(f"What is the supply voltage of {code}?"), handbook)
    assert verdict.probability <= 0.3
    assert code in verdict.missing


async def test_only_the_nearest_excerpts_are_read(
    embedded: EmbeddedAnswerabilityJudge, handbook: tuple[Passage, ...]
) -> None:
    encoder = NotingEncoder(1.0)
    judge = EncodedAnswerabilityJudge(embedded, encoder, joined(), most_pairs=2)
    await judge.judge(_ask("Where is the diamond saw made?"), handbook)
    assert len(encoder.asked) == 2
    assert "diamond saw" in encoder.asked[0].second


@pytest.mark.parametrize("question", ["How are dies cut from the wafer?", "How fast does the saw turn?"])
async def test_what_the_features_say_clearly_is_not_asked(
    embedded: EmbeddedAnswerabilityJudge, handbook: tuple[Passage, ...], question: str
) -> None:
    encoder = NotingEncoder(1.0)
    verdict = await EncodedAnswerabilityJudge(embedded, encoder, joined()).judge(_ask(question), handbook)
    assert encoder.asked == []
    assert verdict.probability == (await embedded.judge(_ask(question), handbook)).probability


async def test_nothing_is_asked_where_there_is_nothing_to_read(embedded: EmbeddedAnswerabilityJudge) -> None:
    encoder = NotingEncoder(20.0)
    verdict = await EncodedAnswerabilityJudge(embedded, encoder, joined()).judge(_ask("Who?"), ())
    assert verdict.probability == 0.0
    assert encoder.asked == []
