"""A draft and its rewrite: which one the asker gets, what the stream shows, and what stands in the record."""

import pytest

from agent.chatbot import Chatbot
from agent.draft_choice import held_share
from contracts.answer import Answer, AnswerReady, TextDelta, TextReset
from contracts.provenance import Provenance
from contracts.verdicts import FaithfulnessLabel, FaithfulnessVerdict, SentenceFaithfulness
from tests.agent.judges import ScriptedRefiner, ScriptedWriter
from tests.agent.scripted import Script

ASKED = "What is VPP on DDR4?"
TRUE = "VPP is 2.5 V on DDR4."
HALF = f"{TRUE} It is maybe 3 V."


def script(first: str, rewrite: str) -> Script:
    return Script(refiner=ScriptedRefiner("VPP"), writer=ScriptedWriter([first, rewrite]))


async def asked(parts: Script) -> Answer:
    return await Chatbot(parts.services()).ask(ASKED)


async def test_a_rewrite_that_is_more_faithful_is_kept() -> None:
    parts = script(HALF, TRUE)
    answer = await asked(parts)
    assert parts.writer.briefs[1].draft == HALF
    assert parts.writer.briefs[1].critique
    record = answer.refinement
    assert record.kept == "rewrite"
    assert record.kept_reason.endswith("100% of its claims are supported, 50% in the first draft")
    assert "maybe" not in answer.text


async def test_rewrite_that_declines_an_answered_question_is_dropped() -> None:
    for refusal in ("The passages do not say what VPP is.", "I do not know.", "Ask somebody else."):
        answer = await asked(script(TRUE, refusal))
        assert answer.outcome == "answered", refusal
        assert answer.refinement.kept == "first", refusal
        assert "refuses a question" in answer.refinement.kept_reason


async def test_less_faithful_rewrite_is_dropped_and_the_stream_ends_with_the_first_draft() -> None:
    events = [event async for event in Chatbot(script(TRUE, HALF).services()).stream(ASKED)]
    resets = [index for index, event in enumerate(events) if isinstance(event, TextReset)]
    assert len(resets) == 2
    after = events[resets[-1] :]
    assert "".join(event.text for event in after if isinstance(event, TextDelta)) == TRUE
    assert isinstance(events[-1], AnswerReady)
    answer = events[-1].answer
    assert [each.label for each in answer.sentences] == ["faithful"]
    assert (answer.text, answer.certainty) == ("VPP is 2.5 V on DDR4 [1].", 1.0)
    assert answer.refinement.kept == "first"
    assert "less faithful" in answer.refinement.kept_reason
    assert answer.steps[-2].finding.startswith("keep the first draft: the rewrite is less faithful")


def test_sentences_without_claims_do_not_count() -> None:
    def share_of(*labels: FaithfulnessLabel) -> float:
        sentences = tuple(SentenceFaithfulness(label=each, probability=0.5) for each in labels)
        return held_share(FaithfulnessVerdict(sentences=sentences, provenance=Provenance(implementation="script")))

    assert share_of("faithful", "unfaithful") == pytest.approx(0.5)
    assert share_of("faithful", "partial", "no_claim") == pytest.approx(0.75)
    assert share_of("no_claim") == share_of() == pytest.approx(1.0)
