"""Faithfulness with the trained encoder: it decides what is open, and nothing that code has settled."""

import pytest

from contracts.text import Passage
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from intrinsics.faithfulness.encoded import EncodedFaithfulnessJudge
from tests.intrinsics.joined import joined
from tests.tools.encoder.constant import ConstantPairEncoder
from tools.embedding.base import Embedder

QUESTION = "How are packages tested?"


def _judge(minilm: Embedder, logit: float) -> EncodedFaithfulnessJudge:
    return EncodedFaithfulnessJudge(EmbeddedFaithfulnessJudge(minilm), ConstantPairEncoder(logit), joined())


async def test_an_open_sentence_follows_the_encoder(minilm: Embedder, handbook: tuple[Passage, ...]) -> None:
    claim = "The wafer is cut with a saw and the dies are put on one another."
    yes, no = [(await _judge(minilm, logit).judge(QUESTION, [claim], handbook)) for logit in (8.0, -8.0)]
    assert yes.sentences[0].label == "faithful"
    assert yes.sentences[0].reason == ""
    assert no.sentences[0].label == "unfaithful"
    assert no.sentences[0].reason
    assert yes.provenance.implementation == "encoded"


@pytest.mark.parametrize(
    "claim",
    [
        "Packages are tested at 95 °C for 48 hours.",
        "The supply voltage of DDR5 is 1.2 V.",
        "tPROG takes at most 900 µs.",
        "Packages are tested by the machine XR-900 for 48 hours.",
        "The host must write to a block before it has been erased.",
    ],
)
async def test_an_encoder_that_always_says_yes_makes_nothing_up_faithful(
    minilm: Embedder, handbook: tuple[Passage, ...], claim: str
) -> None:
    (verdict,) = (await _judge(minilm, 20.0).judge(QUESTION, [claim], handbook)).sentences
    assert verdict.label != "faithful"
    assert verdict.probability <= 0.5
    assert verdict.reason


async def test_an_encoder_that_always_says_no_leaves_what_is_copied(
    minilm: Embedder, handbook: tuple[Passage, ...]
) -> None:
    sentences = ["Packages are tested at 85 °C for 48 hours.", "Which one do you mean?", ""]
    verdict = await _judge(minilm, -20.0).judge(QUESTION, sentences, handbook)
    assert [each.label for each in verdict.sentences] == ["faithful", "no_claim", "no_claim"]
    (nothing,) = (await _judge(minilm, 20.0).judge(QUESTION, sentences[:1], ())).sentences
    assert nothing.label == "unfaithful"
