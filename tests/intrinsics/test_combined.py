"""What code makes of the replies of combined judgements."""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from contracts.errors import MalformedReply
from contracts.jargon import Context, Sense
from contracts.question import Turn
from contracts.text import Passage
from contracts.verdicts import CheckedSentences, SentenceFaithfulness
from intrinsics.combined.answer import PromptedAnswerChecker
from intrinsics.combined.passages import PromptedPassageJudge
from intrinsics.combined.question import PromptedQuestionReader
from tests.conformance.reading_cases import PASSAGES, PUMP, ask, make_passage
from tests.databases import memory_store
from tests.intrinsics.replies import measured_fields
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatReply
from tools.chat.errors import ChatTooLong
from tools.jargon.sql import SqlJargonDictionary

QUESTION = "At which voltage does the P-200 run?"
VOLTS = "The P-200 pump runs at 48 V."
OIL = "Its bearing is oiled daily."


def sentence(number: int, *ids: str, label: str = "faithful", reason: str = "") -> dict[str, Any]:
    return {"sentence": number, "ids": list(ids), "label": label, "reason": reason}


def reply(*sentences: dict[str, Any]) -> str:
    return json.dumps({"sentences": sentences})


async def check(
    replied: str | ChatReply, *answer: str, question: str = QUESTION, passages: Sequence[Passage] = PASSAGES
) -> CheckedSentences:
    return await PromptedAnswerChecker(ScriptedChatModel([replied])).check(question, answer, passages)


async def places(ids: Sequence[str], claim: str, passages: Sequence[Passage] = PASSAGES) -> list[tuple[Any, ...]]:
    checked = await check(reply(sentence(1, *ids)), claim, passages=passages)
    return [(link.passage, link.passage_sentences) for link in checked.citations.links]


async def judged(label: str, claim: str, **more: Any) -> SentenceFaithfulness:
    return (await check(reply(sentence(1, label=label, reason="So.")), claim, **more)).faithfulness.sentences[0]


async def test_labels_have_the_probability_of_faithful_and_reasons_are_short() -> None:
    told = [sentence(1), sentence(2, label="No claim"), sentence(3, label="partial", reason="48 V [1.1]. " * 99)]
    shares = ({"faith": 0.72, "partial": 0.06, "un": 0.02, "The": 0.2}, {"no": 1.0}, {"part": 0.7, "fa": 0.3})
    found = (await check(measured_fields({"sentences": told}, "label", *shares), VOLTS, OIL, VOLTS)).faithfulness
    first, second, third = found.sentences
    assert [each.label for each in found.sentences] == ["faithful", "no_claim", "partial"]
    assert [first.probability, third.probability] == pytest.approx([0.9, 0.3])
    assert (first.reason, second.reason) == ("", "The language model gave no reason.")
    assert third.reason.startswith("48 V. 48 V.")
    assert len(third.reason) <= 240
    assert (found.provenance.implementation, found.provenance.prompt_version) == ("llm", "1")


async def test_numbers_and_codes_missing_from_passages_are_never_faithful() -> None:
    for claim, reason in (
        ("The P-200 pump runs at 60 V.", "The passages say 48 V, not 60 V."),
        ("The P-200 pump runs at 48 kV.", "No passage mentions 48 kV."),
        ("The P-900 pump runs at 48 V.", "No passage mentions P-900."),
        ("It is approved by the VDE.", "No passage mentions VDE."),
    ):
        for label in ("faithful", "no_claim"):
            verdict = await judged(label, claim, question="What about the pump?")
            assert (verdict.label, verdict.reason) == ("unfaithful", reason), label
            assert verdict.probability <= 0.1
    # Paraphrases of the passages are left to the model.
    for claim in (
        "The pump takes forty-eight volts.",
        "WARNING: open the inlet valve first.",
        "As page 7 says, it runs at 48 V.",
    ):
        assert (await judged("faithful", claim)).label == "faithful", claim


async def test_values_that_only_the_question_mentions_are_at_most_partial() -> None:
    verdict = await judged("faithful", "The P-900 runs on mains.", question="Is 2019 the year of the P-900?")
    assert (verdict.label, verdict.probability) == ("partial", 0.5)
    # A number with a unit is a claim, even if the question named it first.
    assert (await judged("faithful", "It runs at 60 V.", question="Is it 60 V?")).label == "unfaithful"
    # An abbreviation counts as supported if the passages spell it out.
    spelt = (make_passage("The tank level sensor is wired to the ballast pump."),)
    assert (await judged("faithful", "The TLS is wired to the pump.", passages=spelt)).label == "faithful"


async def test_sources_are_known_once_and_share_words_numbers_or_letters_with_their_claim() -> None:
    cases = [["[1.1]"], ["1.1", "1.1"], ["1.1", "9.9", "1.7", "0.1", "1", "x"], ["1.1, 1.1"]]
    assert [ids for ids in cases if await places(ids, VOLTS) != [(0, (0,))]] == []

    assert await places(["1.2", "3.2"], "Penguins inhabit Antarctica.") == []
    assert await places(["1.2"], "Service is due after 500 h.") == [(0, (1,))]
    unspaced = (make_passage("泵在48伏电压下运行。\n轴承每500小时润滑一次。"),)
    assert await places(["1.1", "1.2"], "电压是48伏。", unspaced) == [(0, (0,))]
    assert await places(["1.1"], VOLTS, (replace(PUMP, sentences=()),)) == [(0, (0,))]
    # At most the three best of a sentence are kept.
    source = make_passage("Pumps are blue. A pump is loud. The pump hall is old. The P-200 pump runs at 48 V. Pump it.")
    ((_, kept),) = await places(["1.1", "1.2", "1.3", "1.4", "1.5"], VOLTS, (source,))
    assert len(kept) == 3
    assert 3 in kept


async def test_sentences_without_claims_are_not_sent() -> None:
    chat = ScriptedChatModel([])
    checked = await PromptedAnswerChecker(chat).check(QUESTION, ["Sure, I can help.", "Is it loud?", ""], PASSAGES)
    assert [each.label for each in checked.faithfulness.sentences] == ["no_claim"] * 3
    nothing = await PromptedAnswerChecker(chat).check(QUESTION, [VOLTS], (make_passage(" "),))
    assert [each.label for each in nothing.faithfulness.sentences] == ["unfaithful"]
    assert chat.requests == []


async def test_passages_that_do_not_fit_are_left_out_and_their_ids_dropped() -> None:
    long = make_passage(f"{VOLTS} " + "It hums in the hall. " * 150)
    chat = ScriptedChatModel([ChatTooLong("too long"), reply(sentence(1, "1.1", "2.1"))])
    checked = await PromptedAnswerChecker(chat).check(QUESTION, [VOLTS], (long, long))
    assert "<<passage 2 " not in chat.requests[1].messages[1].content
    assert [link.passage for link in checked.citations.links] == [0]


async def test_a_reply_that_does_not_judge_each_sentence_is_refused() -> None:
    unjudged, unlabelled = reply(sentence(1)), reply(sentence(1), sentence(2, label="grounded"))
    for wrong in (unjudged, unlabelled, reply(sentence(1), sentence(2))[:-20]):
        with pytest.raises(MalformedReply):
            await check(wrong, VOLTS, OIL)


async def test_parts_not_requested_are_left_to_other_judges() -> None:
    chat = ScriptedChatModel([reply(sentence(1, "1.1"))])
    checked = await PromptedAnswerChecker(chat, parts=("citation",)).check("", (VOLTS,), PASSAGES)
    assert (checked.citations is None, checked.faithfulness is None) == (False, True)


DICTIONARY = SqlJargonDictionary(memory_store([Sense(id=1, term="BLP", extended_name="ballast pump")]))
CONTEXTS = (Context(name="Machines"), Context(name="Payroll"))
HISTORY = (Turn(role="user", text="Why does the BLP trip?"), Turn(role="assistant", text="Its fuse is weak."))
HALL_PASSAGES = tuple(
    make_passage(text) for text in ("The hall is closed.", "The BLP runs at 12 V.", "The old BLP ran at 9 V.", "Hello.")
)
BLP_QUESTION = ask("At which voltage does the BLP run?")


def read_reply(question: str, **more: object) -> dict[str, object]:
    return {"question": question, "terms": ["blp", "fuse box"], "context": "A", **more}


async def test_a_follow_up_is_rewritten_and_its_jargon_found_in_the_rewrite() -> None:
    reply = measured_fields(read_reply("How is the fuse of the BLP replaced?"), "context", {"A": 0.7, "C": 0.3})
    reader = PromptedQuestionReader(ScriptedChatModel([reply]), DICTIONARY)
    read = await reader.read("and how is it replaced?", history=HISTORY, contexts=CONTEXTS)
    assert (read.rewritten.text, read.rewritten.changed) == ("How is the fuse of the BLP replaced?", True)
    assert [(each.text, each.known) for each in read.jargon.mentions] == [("BLP", True)]
    assert read.contexts.best == "Machines"
    assert read.contexts.none_of_these == pytest.approx(0.3)
    alone = PromptedQuestionReader(ScriptedChatModel([reply]), DICTIONARY)
    read = await alone.read("How is it replaced?", contexts=CONTEXTS)
    assert (read.rewritten.text, read.rewritten.changed) == ("How is it replaced?", False)


async def test_unusable_reply_is_not_requested_again() -> None:
    for reply in [
        json.dumps(read_reply("Is the fuse of the BLP weak at X99?")),
        json.dumps(read_reply("", context="Z")),
        '{"question": "", "terms": [',
        ChatReply(text=json.dumps(read_reply("")), model="m", finish_reason="length"),
    ]:
        chat = ScriptedChatModel([reply, json.dumps(read_reply(""))])
        with pytest.raises(MalformedReply):
            await PromptedQuestionReader(chat, DICTIONARY).read("and it?", history=HISTORY, contexts=CONTEXTS)
        assert len(chat.requests) == 1


async def test_passages_are_in_the_named_order_with_misleading_ones_last() -> None:
    named = [
        {"passage": 3, "label": "misleading"},
        {"passage": 2, "label": "relevant"},
        {"passage": 9, "label": "partial"},
    ]
    chat = ScriptedChatModel([json.dumps({"passages": named, "answer": "answerable"})])
    judged = await PromptedPassageJudge(chat).judge(BLP_QUESTION, HALL_PASSAGES)
    assert judged.order == (1, 0, 3, 2)
    assert [each.label for each in judged.relevance] == ["irrelevant", "relevant", "misleading", "irrelevant"]
    assert judged.answerability.probability == 0.8
    asked = BLP_QUESTION.model_copy(update={"question": "What is the voltage of the ZX-81?"})
    chat = ScriptedChatModel(['{"passages": [], "answer": "answerable"}'])
    unmentioned = (await PromptedPassageJudge(chat).judge(asked, HALL_PASSAGES)).answerability
    assert unmentioned.probability <= 0.3
