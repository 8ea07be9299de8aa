"""The embedded answerability judge lets through what the passages hold, and nothing else."""

from collections.abc import Callable

import pytest

from contracts.jargon import Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage, Span
from intrinsics.answerability.embedded import EmbeddedAnswerabilityJudge
from tests.tools.cross_encoder.scripted import PreferringScorer
from tools.reading.ranking import QuoteRanker


def ask(question: str, *readings: Reading) -> AugmentedQuestion:
    return AugmentedQuestion(
        question=question, text=question, readings=readings, provenance=Provenance(implementation="test")
    )


def judge_sure_of(*answers: str) -> EmbeddedAnswerabilityJudge:
    return EmbeddedAnswerabilityJudge(QuoteRanker(PreferringScorer(*answers)))


async def test_a_likely_answer_passes_and_a_question_without_one_is_declined(
    subtests: pytest.Subtests, handbook: tuple[Passage, ...]
) -> None:
    for question, answer in [
        ("What is the supply voltage of DDR3?", "1.5 V"),
        ("How are dies cut from the wafer?", "by a diamond saw"),
    ]:
        with subtests.test(question=question):
            verdict = await judge_sure_of(answer).judge(ask(question), handbook)
            assert verdict.probability >= 0.5
            assert verdict.missing == ()
            assert verdict.provenance.model == "preferring@1"
            without = tuple(each for each in handbook if answer not in each.text)
            assert len(without) < len(handbook)
            assert (await judge_sure_of().judge(ask(question), without)).probability < 0.2


async def test_a_code_that_no_passage_mentions_is_declined_by_name_however_sure_the_scorer_is(
    subtests: pytest.Subtests, handbook: tuple[Passage, ...]
) -> None:
    for question, missing in [
        ("What is the supply voltage of DDR5?", "DDR5"),
        ("How long does tCBSY take?", "tCBSY"),
    ]:
        with subtests.test(question=question):
            verdict = await judge_sure_of("1.2 V", "700 µs").judge(ask(question), handbook)
            assert verdict.probability <= 0.3
            assert missing in verdict.missing


async def test_the_dictionary_lets_a_term_be_said_otherwise(make_passage: Callable[..., Passage]) -> None:
    judge = judge_sure_of("four times")
    passages = [make_passage("Physical layer retransmission repeats a frame at most four times.")]
    sense = Sense(id=1, term="PLR4", extended_name="Physical Layer Retransmission")
    reading = Reading(mention=Mention(text="PLR4", span=Span(17, 21), term="PLR4"), status="chosen", sense=sense)
    plain = await judge.judge(ask("How often does a PLR4 repeat a frame?"), passages)
    read = await judge.judge(ask("How often does a PLR4 repeat a frame?", reading), passages)
    assert plain.missing == ("PLR4",)
    assert read.missing == ()
    assert read.probability > max(0.5, plain.probability)
