"""Relevance, order and answerability of passages follow the likeliest answer in each."""

import pytest

from contracts.jargon import Sense
from intrinsics.answerability.embedded import ANSWERABILITY_FEATURES, EmbeddedAnswerabilityJudge, answerability_features
from intrinsics.answerability.llm import PromptedAnswerabilityJudge
from intrinsics.context_relevance.embedded import EmbeddedRelevanceJudge
from intrinsics.passage_reranking.embedded import EmbeddedPassageReranker
from tests.conformance.reading_cases import HANDBOOK, ask, make_passage, make_reading
from tests.intrinsics.replies import labelled
from tests.scripted_chat import ScriptedChatModel
from tests.tools.cross_encoder.scripted import OverlapScorer, PreferringScorer
from tools.reading.questions import analyse_question
from tools.reading.ranking import QuoteRanker

QUESTION = "What is the supply voltage of DDR3?"


def relevance_sure_of(*answers: str) -> EmbeddedRelevanceJudge:
    return EmbeddedRelevanceJudge(QuoteRanker(PreferringScorer(*answers)))


async def test_only_the_answering_passage_is_relevant_and_comes_first() -> None:
    answers = ("1.5 V", "700 µs", "a diamond saw", "the pin WP#", "first byte of the spare area")
    for helpful, answer in enumerate(answers):
        verdicts = (await relevance_sure_of(answer).judge("What is asked here?", HANDBOOK)).passages
        assert [each.label == "relevant" for each in verdicts] == [at == helpful for at in range(5)]
        assert {each.label for each in verdicts} == {"relevant", "irrelevant"}
        assert max(range(5), key=lambda index: verdicts[index].probability) == helpful
        reranker = EmbeddedPassageReranker(QuoteRanker(PreferringScorer(answer)))
        ranked = await reranker.rerank("What is it?", HANDBOOK)
        assert ranked.passages[0].chunk.ordinal == helpful
        assert sorted(each.chunk.ordinal for each in ranked.passages) == [0, 1, 2, 3, 4]
        assert ranked.provenance.model == "preferring@1"
    # A passage without text stays at the end.
    empty = make_passage(" \n", number=9)
    ranked = await EmbeddedPassageReranker(QuoteRanker(OverlapScorer())).rerank("What?", (empty, *HANDBOOK))
    assert ranked.passages[-1] is empty


async def test_passage_about_a_sibling_code_is_misleading_whatever_its_score() -> None:
    passages = [
        make_passage("The supply voltage of DDR4 is 1.2 V."),
        make_passage("The supply voltage of DDR5 is 1.1 V.", number=1),
        make_passage(" \n", number=2),
    ]
    verdict = await relevance_sure_of("1.2 V", "1.1 V").judge("What is the supply voltage of DDR5?", passages)
    assert [each.label for each in verdict.passages] == ["misleading", "relevant", "irrelevant"]
    assert verdict.passages[0].probability < verdict.passages[1].probability
    assert verdict.passages[2].probability == 0.0


def gate_sure_of(*answers: str) -> EmbeddedAnswerabilityJudge:
    return EmbeddedAnswerabilityJudge(QuoteRanker(PreferringScorer(*answers)))


async def test_a_likely_answer_passes_and_a_question_without_one_is_declined() -> None:
    for question, answer in ((QUESTION, "1.5 V"), ("How are dies cut from the wafer?", "by a diamond saw")):
        verdict = await gate_sure_of(answer).judge(ask(question), HANDBOOK)
        assert verdict.probability >= 0.5
        assert verdict.missing == ()
        assert verdict.provenance.model == "preferring@1"
        without = tuple(each for each in HANDBOOK if answer not in each.text)
        assert len(without) < len(HANDBOOK)
        assert (await gate_sure_of().judge(ask(question), without)).probability < 0.2


KEPT = "lines: The number of lines that are kept"
DEFAULTS = ("What is the default number of lines?", "How many lines are kept if I don't set it?")
LIMITS = ("What is the largest number of lines?", "How many lines can be kept?")
NEITHER = ("How many lines are kept?", "Why are lines kept by default?")


async def test_question_about_a_default_or_limit_needs_an_answer_that_states_one() -> None:
    judge = gate_sure_of("lines that")
    for questions, told, untold in (
        (DEFAULTS, f"{KEPT}. The default is 50 lines.", f"{KEPT}, between 10 lines and 90 lines."),
        (LIMITS, f"{KEPT}, 90 lines at most.", f"{KEPT}. Usually 50 lines."),
    ):
        for question in questions:
            stated, missing = [await judge.judge(ask(question), [make_passage(text)]) for text in (told, untold)]
            assert missing.probability <= 0.3 < 0.4 < stated.probability
        for question in NEITHER:
            assert (await judge.judge(ask(question), [make_passage(untold)])).probability > 0.4, question


async def test_empty_cell_is_declined_and_filled_neighbour_answered() -> None:
    bleeps = "Machine | Voltage | Bleep\nWD1 | 400 V | 0412\nWD2 | 230 V | 0533\nWD3 | 230 V | -"
    # The value in the cell that identifies the row does not fill the requested empty cell.
    fuels = "Reg ends | Type | Fuel\n-OX | Jodel D9 |\n-WO | Auster J1 | 100LL\n-RB | Robin DR400 | UL91"
    for table, question, names in (
        (bleeps, "What is the bleep of {}?", ("WD2", "WD3")),
        (fuels, "Which fuel does the {} take?", ("Auster", "Jodel")),
    ):
        judge, passages = gate_sure_of(table.split(" |")[0]), (make_passage(table, kind="table"),)
        filled, empty = [await judge.judge(ask(question.format(name)), passages) for name in names]
        assert empty.probability < 0.4 < filled.probability


async def test_number_with_another_unit_counts_partly_as_missing() -> None:
    question, at = ask("How many kilowatts does the oven draw?"), ANSWERABILITY_FEATURES.index("value_missing")
    missing = []
    for told in ("12 kW", "12 MT/s", "little"):
        passages = [make_passage(f"The oven draws {told}.")]
        ranked = await QuoteRanker(PreferringScorer("The oven")).rank(question, passages)
        missing.append(answerability_features(analyse_question(question.question), ranked, (), 0)[at])
    assert 0.0 == missing[0] < missing[1] < missing[2] == 1.0


async def test_extended_name_from_the_dictionary_counts_as_the_term() -> None:
    judge = gate_sure_of("four times")
    passages = [make_passage("Physical layer retransmission repeats a frame at most four times.")]
    sense = Sense(id=1, term="PLR4", extended_name="Physical Layer Retransmission")
    question = "How often does a PLR4 repeat a frame?"
    plain = await judge.judge(ask(question), passages)
    read = await judge.judge(ask(question, make_reading(question, "PLR4", sense)), passages)
    assert plain.missing == ("PLR4",)
    assert read.missing == ()
    assert read.probability > max(0.5, plain.probability)


async def test_verdict_uses_the_first_words_log_probability_or_a_default() -> None:
    chat = ScriptedChatModel([labelled("answer", answer=0.6, un=0.2, The=0.2)])
    verdict = await PromptedAnswerabilityJudge(chat).judge(ask(QUESTION), HANDBOOK)
    assert verdict.probability == pytest.approx(0.75)
    assert (verdict.provenance.implementation, verdict.provenance.model) == ("llm", "m")
    assert verdict.provenance.prompt_version == "1"
    assert chat.requests[0].top_logprobs == 20
    assert chat.requests[0].json_schema is None
    for word, probability in (("Answerable.", 0.8), ("unanswerable", 0.2)):
        verdict = await PromptedAnswerabilityJudge(ScriptedChatModel([word])).judge(ask(QUESTION), HANDBOOK)
        assert verdict.probability == pytest.approx(probability)
