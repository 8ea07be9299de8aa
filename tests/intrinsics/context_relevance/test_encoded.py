"""Context relevance with the trained encoder: only what is in doubt is asked about, and what misleads stays so."""

from contracts.text import Passage
from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
from intrinsics.context_relevance.encoded import DOUBT, EncodedRelevanceJudge
from tests.intrinsics.conftest import PassageMaker
from tests.intrinsics.joined import joined
from tests.tools.encoder.constant import ConstantPairEncoder
from tools.embedding.base import Embedder
from tools.encoder.joining import clipped_logit

QUESTION = "At what temperature are packages tested?"


async def test_what_is_in_doubt_follows_the_encoder(minilm: Embedder, handbook: tuple[Passage, ...]) -> None:
    embedded = EmbeddedRelevanceJudge(minilm)
    before = (await embedded.judge(QUESTION, handbook)).passages
    yes, no = [
        await EncodedRelevanceJudge(embedded, ConstantPairEncoder(logit), joined(), most_pairs=2).judge(
            QUESTION, handbook
        )
        for logit in (6.0, -6.0)
    ]
    doubted = [at for at, each in enumerate(yes.passages) if each != before[at]]
    assert 1 <= len(doubted) <= 2
    for at in doubted:
        assert abs(clipped_logit(before[at].probability) - clipped_logit(0.2)) < DOUBT
        assert yes.passages[at].label == "relevant"
        assert no.passages[at].label == "irrelevant"
    assert yes.provenance.implementation == "encoded"


async def test_an_encoder_that_always_says_yes_does_not_make_another_thing_relevant(
    minilm: Embedder, make_passage: PassageMaker
) -> None:
    passage = make_passage("The supply voltage of DDR4 is 1.2 V, and its bus is faster than that of DDR3.")
    judge = EncodedRelevanceJudge(EmbeddedRelevanceJudge(minilm), ConstantPairEncoder(20.0), joined())
    (verdict,) = (await judge.judge("What is the supply voltage of DDR5?", [passage])).passages
    assert verdict.label == "misleading"


async def test_without_doubt_nothing_changes(minilm: Embedder, make_passage: PassageMaker) -> None:
    embedded = EmbeddedRelevanceJudge(minilm)
    judge = EncodedRelevanceJudge(embedded, ConstantPairEncoder(20.0), joined())
    passages = [make_passage(" \n"), make_passage("Cats sleep in the sun.", 1)]
    assert (await judge.judge(QUESTION, passages)).passages == (await embedded.judge(QUESTION, passages)).passages
    assert (await judge.judge(QUESTION, ())).passages == ()
