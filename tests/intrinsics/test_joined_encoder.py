"""Embedded judgements with the trained encoder: it decides what is open, and nothing that code has settled."""

from collections.abc import Sequence

import numpy as np
import pytest

from contracts.jargon import Sense
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage, Span
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
from intrinsics.context_relevance.embedded import DOUBT, EmbeddedRelevanceJudge
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from tests.intrinsics.conftest import PassageMaker
from tests.intrinsics.joined import joined
from tests.tools.encoder.constant import ConstantPairEncoder
from tools.embedding.base import Embedder
from tools.encoder import TextPair, TokenTags
from tools.encoder.base import Logits
from tools.encoder.joining import clipped_logit
from tools.jargon.memory import InMemoryJargonDictionary

QUESTION = "does the flurbo of VCCQ at 40 MHz need 12 steps, see https://example.org/ABC"


class NotingEncoder(ConstantPairEncoder):
    """Keeps the pairs that it is asked about, and tags every character as a term's."""

    def __init__(self, logit: float) -> None:
        super().__init__(logit)
        self.asked: list[TextPair] = []

    async def score(self, pairs: Sequence[TextPair]) -> Logits:
        self.asked += pairs
        return await super().score(pairs)

    async def tag(self, texts: Sequence[str]) -> tuple[TokenTags, ...]:
        row = np.array([0.0, self._logit, self._logit], dtype=np.float32)
        return tuple(
            TokenTags(logits=np.tile(row, (len(text), 1)), spans=tuple(Span(at, at + 1) for at in range(len(text))))
            for text in texts
        )


def ask(question: str) -> AugmentedQuestion:
    return AugmentedQuestion(question=question, text=question, provenance=Provenance(implementation="test"))


async def test_answerability_counts_both(minilm: Embedder, handbook: tuple[Passage, ...]) -> None:
    question = ask("Where is the diamond saw made?")
    before = await EmbeddedAnswerabilityJudge(minilm).judge(question, handbook)
    encoder = NotingEncoder(0.0)
    judges = [EmbeddedAnswerabilityJudge(minilm, joined=joined(each)) for each in (-3.0, encoder, 3.0)]
    found = [await judge.judge(question, handbook) for judge in judges]
    low, same, high = (each.probability for each in found)
    assert low < same < high
    assert same == pytest.approx(before.probability, abs=1e-3)
    assert found[0].provenance.implementation == "encoded"
    assert found[0].provenance.model == "constant@-3"
    assert len(encoder.asked) == 3
    assert "diamond saw" in encoder.asked[0].second


async def test_answerability_is_not_asked_where_the_features_are_clear(
    minilm: Embedder, handbook: tuple[Passage, ...]
) -> None:
    encoder = NotingEncoder(20.0)
    judge = EmbeddedAnswerabilityJudge(minilm, joined=joined(encoder))
    clear = await judge.judge(ask("How are dies cut from the wafer?"), handbook)
    nothing = await judge.judge(ask("Who?"), ())
    assert encoder.asked == []
    assert clear.probability > 0.8
    assert nothing.probability == 0.0


@pytest.mark.parametrize("code", ["DDR5", "tCBSY"])
async def test_an_encoder_that_always_says_yes_does_not_answer_for_an_unknown_code(
    minilm: Embedder, handbook: tuple[Passage, ...], code: str
) -> None:
    judge = EmbeddedAnswerabilityJudge(minilm, joined=joined(20.0))
    verdict = await judge.judge(ask(f"What is the supply voltage of {code}?"), handbook)
    assert verdict.probability <= 0.3
    assert code in verdict.missing


async def test_relevance_in_doubt_follows_the_encoder(minilm: Embedder, handbook: tuple[Passage, ...]) -> None:
    question = "At what temperature are packages tested?"
    before = (await EmbeddedRelevanceJudge(minilm).judge(question, handbook)).passages
    yes, no = [
        await EmbeddedRelevanceJudge(minilm, joined=joined(logit)).judge(question, handbook) for logit in (6.0, -6.0)
    ]
    doubted = [at for at, each in enumerate(yes.passages) if each != before[at]]
    assert doubted
    for at in doubted:
        assert abs(clipped_logit(before[at].probability) - clipped_logit(0.2)) < DOUBT
        assert yes.passages[at].label == "relevant"
        assert no.passages[at].label == "irrelevant"


async def test_an_encoder_that_always_says_yes_does_not_make_another_thing_relevant(
    minilm: Embedder, make_passage: PassageMaker
) -> None:
    passages = [
        make_passage("The supply voltage of DDR4 is 1.2 V, and its bus is faster than that of DDR3."),
        make_passage(" \n", 1),
    ]
    judge = EmbeddedRelevanceJudge(minilm, joined=joined(20.0))
    verdicts = (await judge.judge("What is the supply voltage of DDR5?", passages)).passages
    assert [each.label for each in verdicts] == ["misleading", "irrelevant"]


async def test_an_open_sentence_follows_the_encoder(minilm: Embedder, handbook: tuple[Passage, ...]) -> None:
    claim = "The wafer is cut with a saw and the dies are put on one another."
    yes, no = [
        (await EmbeddedFaithfulnessJudge(minilm, joined=joined(logit)).judge("How?", [claim], handbook)).sentences[0]
        for logit in (8.0, -8.0)
    ]
    assert (yes.label, yes.reason) == ("faithful", "")
    assert no.label == "unfaithful"
    assert no.reason


@pytest.mark.parametrize(
    "claim",
    [
        "Packages are tested at 95 °C for 48 hours.",
        "The supply voltage of DDR5 is 1.2 V.",
        "Packages are tested by the machine XR-900 for 48 hours.",
        "The host must write to a block before it has been erased.",
    ],
)
async def test_an_encoder_that_always_says_yes_makes_nothing_up_faithful(
    minilm: Embedder, handbook: tuple[Passage, ...], claim: str
) -> None:
    judge = EmbeddedFaithfulnessJudge(minilm, joined=joined(20.0))
    (verdict,) = (await judge.judge("How are packages tested?", [claim], handbook)).sentences
    assert verdict.label != "faithful"
    assert verdict.probability <= 0.5
    assert verdict.reason


async def test_an_encoder_that_always_says_no_leaves_what_is_copied(
    minilm: Embedder, handbook: tuple[Passage, ...]
) -> None:
    sentences = ["Packages are tested at 85 °C for 48 hours.", "Which one do you mean?"]
    verdict = await EmbeddedFaithfulnessJudge(minilm, joined=joined(-20.0)).judge("How?", sentences, handbook)
    assert [each.label for each in verdict.sentences] == ["faithful", "no_claim"]


async def test_unknown_words_are_weighed_and_known_terms_stay() -> None:
    dictionary = InMemoryJargonDictionary([Sense(id=1, term="VCCQ", extended_name="supply")])
    plain = (await EmbeddedJargonIdentifier(dictionary).identify(QUESTION)).mentions
    more, less = [
        (await EmbeddedJargonIdentifier(dictionary, joined=joined(NotingEncoder(logit))).identify(QUESTION)).mentions
        for logit in (12.0, -12.0)
    ]
    assert "flurbo" in {each.text for each in more if each.probability > 0.9}
    assert all(each.probability < 0.5 for each in less if not each.known)
    assert {each for each in plain if each.known} <= set(more) & set(less)
    assert not {each.text for each in more} & {"https", "ABC", "40", "12", "MHz"}
