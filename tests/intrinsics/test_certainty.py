"""Certainty from the evidence, and by a chat model within the bound that the other judgements set."""

import asyncio
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.errors import MalformedReply
from contracts.text import Passage
from contracts.verdicts import FaithfulnessLabel
from intrinsics.certainty.base import AnswerEvidence
from intrinsics.certainty.embedded import EmbeddedCertaintyEstimator
from intrinsics.certainty.llm import PromptedCertaintyEstimator
from tests.conformance.reading_cases import PASSAGES, make_evidence
from tests.intrinsics.replies import labelled
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatReply


def certainty(answerability: float, faithfulness: float) -> float:
    evidence = make_evidence("A.", ("faithful", faithfulness), ("faithful", 0.5), answerability=answerability)
    return asyncio.run(EmbeddedCertaintyEstimator().estimate(evidence)).probability


unit = st.floats(0, 1)


@settings(max_examples=80, deadline=None)
@given(unit, unit, unit)
def test_steps_of_a_tenth_and_never_less_for_better_evidence(one: float, other: float, rest: float) -> None:
    low, high = sorted((one, other))
    assert certainty(low, rest) <= certainty(high, rest)
    assert certainty(rest, low) <= (found := certainty(rest, high))
    assert round(found * 10) == found * 10


ANSWER = "The P-200 pump runs at 48 V."


def known(
    *sentences: tuple[FaithfulnessLabel, float], answer: str = ANSWER, passages: Sequence[Passage] = PASSAGES
) -> AnswerEvidence:
    """Make the evidence of an answer, with one faithful sentence where no verdicts are given."""
    return make_evidence(answer, *(sentences or (("faithful", 0.97),)), passages=passages)


async def estimate(*replies: str | ChatReply, evidence: AnswerEvidence | None = None) -> float:
    chat = ScriptedChatModel(replies)
    return (await PromptedCertaintyEstimator(chat).estimate(evidence or known())).probability


async def test_the_probability_of_yes_is_rounded_to_a_tenth(subtests: pytest.Subtests) -> None:
    for shares, expected in [
        ({"yes": 1.0}, 0.9),
        ({"no": 1.0}, 0.0),
        ({"yes": 0.72, "no": 0.28}, 0.7),
        # What is neither word does not count: 0.6 of 0.75
        ({"yes": 0.6, "no": 0.15, "perhaps": 0.2}, 0.8),
    ]:
        with subtests.test(shares=shares):
            assert await estimate(labelled(next(iter(shares)), **shares)) == expected
    # Without log-probabilities the word alone counts.
    assert (await estimate("Yes."), await estimate("no")) == (0.8, 0.2)


async def test_an_answer_without_a_faithful_sentence_is_bounded_by_the_other_judgements() -> None:
    for label, probability in (("unfaithful", 0.05), ("partial", 0.4), ("no_claim", 1.0)):
        evidence = known((label, probability))
        bound = (await EmbeddedCertaintyEstimator().estimate(evidence)).probability
        assert bound < 0.9
        assert await estimate(labelled("yes", yes=1.0), evidence=evidence) == bound
        assert await estimate(labelled("no", no=1.0), evidence=evidence) == 0.0
    assert await estimate(labelled("yes", yes=1.0), evidence=known(("unfaithful", 0.05), ("faithful", 0.9))) == 0.9


async def test_a_reply_that_is_neither_word_is_no_estimate() -> None:
    with pytest.raises(MalformedReply):
        await estimate("Very.")
