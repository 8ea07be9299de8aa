"""Every implementation of CitationFinder, of FaithfulnessJudge and of CertaintyEstimator keeps its contract."""

from collections.abc import Sequence

from contracts.text import Passage
from intrinsics.certainty.adapter import AdaptedCertaintyEstimator
from intrinsics.certainty.base import CertaintyEstimator
from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
from intrinsics.certainty.llm import PromptedCertaintyEstimator
from intrinsics.citation.adapter import AdaptedCitationFinder
from intrinsics.citation.base import CitationFinder
from intrinsics.citation.embedded import EmbeddedCitationFinder
from intrinsics.faithfulness.adapter import AdaptedFaithfulnessJudge
from intrinsics.faithfulness.base import FaithfulnessJudge
from intrinsics.faithfulness.embedded import EmbeddedFaithfulnessJudge
from tests.conformance.checking_chats import (
    adapted_estimate_certainty,
    adapted_judge_faithfulness,
    adapted_name_sources,
    estimate_certainty,
)
from tests.conformance.implementations import implementations
from tests.conformance.reading_cases import PASSAGES, PUMP, QUESTION, make_evidence
from tests.hashing_embedder import HashingEmbedder
from tests.intrinsics.adapted import published

VOLTS = "The P-200 pump runs at 48 V."

finder = implementations(
    lambda: EmbeddedCitationFinder(HashingEmbedder()),
    adapter=(lambda chat: AdaptedCitationFinder(chat, published("citation")), adapted_name_sources),
)
judge = implementations(
    lambda: EmbeddedFaithfulnessJudge(HashingEmbedder()),
    adapter=(lambda chat: AdaptedFaithfulnessJudge(chat, published("faithfulness")), adapted_judge_faithfulness),
)
estimator = implementations(
    EmbeddedCertaintyEstimator,
    llm=(PromptedCertaintyEstimator, estimate_certainty),
    adapter=(lambda chat: AdaptedCertaintyEstimator(chat, published("certainty")), adapted_estimate_certainty),
)


async def test_links_a_sentence_to_the_passage_sentence_that_says_it(finder: CitationFinder, degraded: bool) -> None:
    verdict = await finder.find(["Its bearing is greased every 500 hours."], PASSAGES)
    (link,) = verdict.links
    assert bool(verdict.provenance.degraded) is degraded
    assert (link.sentence, link.passage, link.passage_sentences) == (0, 0, (1,))
    assert 0.0 <= link.score <= 1.0


async def test_every_index_points_to_something(finder: CitationFinder) -> None:
    sentences = ["The P-300 pump runs at 96 V.", "Open the inlet valve.", "P-200: 48 V."]
    verdict = await finder.find(sentences, PASSAGES)
    for link in verdict.links:
        assert sentences[link.sentence]
        assert link.passage_sentences
        assert all(PASSAGES[link.passage].sentence(index) for index in link.passage_sentences)
    assert [link.sentence for link in verdict.links] == sorted(link.sentence for link in verdict.links)


async def test_finds_nothing_without_evidence_or_in_nothing(finder: CitationFinder) -> None:
    nothing: list[tuple[list[str], Sequence[Passage]]] = [
        (["Penguins are birds that cannot fly."], PASSAGES), ([], PASSAGES),
        (["The pump runs at 48 V."], ()), ([""], (PUMP,)),
    ]  # fmt: skip
    for sentences, passages in nothing:
        assert (await finder.find(sentences, passages)).links == (), sentences


async def test_one_verdict_a_sentence_in_their_order(judge: FaithfulnessJudge, degraded: bool) -> None:
    sentences = [VOLTS, "Which one do you mean?", "It runs at 60 V.", "Sure, I can help."]
    verdict = await judge.judge(QUESTION, sentences, PASSAGES)
    assert [each.label for each in verdict.sentences] == ["faithful", "no_claim", "unfaithful", "no_claim"]
    assert all(each.reason for each in verdict.sentences if each.label == "unfaithful")
    # Probabilities are those of "faithful".
    assert 0.0 <= verdict.sentences[2].probability < 0.5 < verdict.sentences[0].probability <= 1.0
    assert bool(verdict.provenance.degraded) is degraded
    assert verdict.provenance.implementation in ("embedded", "llm", "adapter")


async def test_nothing_is_faithful_to_nothing(judge: FaithfulnessJudge) -> None:
    verdict = await judge.judge(QUESTION, [VOLTS], ())
    assert [(each.label, each.probability) for each in verdict.sentences] == [("unfaithful", 0.0)]
    assert (await judge.judge(QUESTION, [], PASSAGES)).sentences == ()
    assert [each.label for each in (await judge.judge(QUESTION, [""], PASSAGES)).sentences] == ["no_claim"]


async def test_steps_of_a_tenth_and_more_for_what_is_supported(estimator: CertaintyEstimator, degraded: bool) -> None:
    good = await estimator.estimate(make_evidence(VOLTS, ("faithful", 0.98)))
    bad = await estimator.estimate(make_evidence("Penguins devour krill.", ("unfaithful", 0.02), answerability=0.1))
    assert 0.0 <= bad.probability < 0.4 < good.probability <= 1.0
    for verdict in (good, bad):
        assert verdict.probability == round(verdict.probability, 1)
        assert bool(verdict.provenance.degraded) is degraded
        assert verdict.provenance.implementation in ("embedded", "llm", "adapter")


async def test_what_nothing_supports_is_never_certain(estimator: CertaintyEstimator) -> None:
    assert (await estimator.estimate(make_evidence(" ", ("faithful", 0.9)))).probability == 0.0
    assert (await estimator.estimate(make_evidence(VOLTS, ("faithful", 0.9), passages=()))).probability == 0.0
    assert (await estimator.estimate(make_evidence(VOLTS, ("unfaithful", 0.05)))).probability <= 0.3
