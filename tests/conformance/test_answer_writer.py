"""Every implementation of AnswerWriter keeps the contract."""

from contracts.question import Choice
from intrinsics.answer_generation.base import AnswerWriter
from intrinsics.answer_generation.embedded import EmbeddedAnswerWriter
from intrinsics.answer_generation.llm import PromptedAnswerWriter
from tests.conformance.implementations import implementations
from tests.conformance.reading_cases import PASSAGES, make_brief, write
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.reading.ranking import QuoteRanker

ASKED = "At what voltage does the P-200 pump run?"


writer = implementations(
    lambda: EmbeddedAnswerWriter(QuoteRanker(OverlapScorer())),
    llm=(PromptedAnswerWriter, lambda _: "b) 48 V. The P-200 pump runs at 48 V."),
)


async def test_streams_text_and_ends_with_one_draft_of_it_without_marks(writer: AnswerWriter, degraded: bool) -> None:
    pieces, draft = await write(writer, make_brief(ASKED, PASSAGES))
    assert "".join(pieces) == draft.text
    assert "48 V" in draft.text
    assert "96 V" not in draft.text
    assert "[" not in draft.text
    assert draft.provenance.implementation in {"embedded", "llm"}
    assert draft.provenance.model
    assert draft.provenance.milliseconds > 0
    assert bool(draft.provenance.degraded) is degraded


async def test_names_the_option_of_a_multiple_choice_question(writer: AnswerWriter) -> None:
    choices = (Choice(label="a", text="96 V"), Choice(label="b", text="48 V"), Choice(label="c", text="12 V"))
    _, draft = await write(writer, make_brief(ASKED, PASSAGES, choices=choices))
    assert draft.text.startswith("b) 48 V")


async def test_writes_without_passages_and_again_under_a_critique(writer: AnswerWriter) -> None:
    pieces, draft = await write(writer, make_brief(ASKED, ()))
    assert "".join(pieces) == draft.text != ""
    brief = make_brief(ASKED, PASSAGES, critique="Keep to the passages.", draft="It runs at 12 V.")
    _, draft = await write(writer, brief)
    assert "48 V" in draft.text
    assert "12 V" not in draft.text
