"""Judgements by adapters: whole exchanges, kept in ``adapter_exchanges/``, and what is made of other replies.

The kept replies are written in the form in which vLLM sends them. The day in the base model's system message is left
out.
"""

import datetime
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response

from contracts.errors import ChatUnavailable, ConfigurationError, MalformedReply
from contracts.question import Turn
from contracts.verdicts import CitationVerdict
from intrinsics.answerability.adapter import AdaptedAnswerabilityJudge
from intrinsics.certainty.adapter import AdaptedCertaintyEstimator, certainty_of, read_step
from intrinsics.citation.adapter import AdaptedCitationFinder
from intrinsics.context_relevance.adapter import AdaptedRelevanceJudge
from intrinsics.faithfulness.adapter import AdaptedFaithfulnessJudge
from intrinsics.question_rewriting.adapter import AdaptedQuestionRewriter
from tests.conformance.reading_cases import ask, make_evidence, make_passage
from tests.intrinsics.adapted import published
from tests.intrinsics.replies import measured
from tests.scripted_chat import ScriptedChatModel
from tests.tools.chat.server import running_server
from tools.chat.base import ChatModel, ChatReply, ChatRequest
from tools.chat.openai import OpenAIChatModel

FOLDER = Path(__file__).with_name("adapter_exchanges")
QUESTION = "Why does the BLP trip?"
HISTORY = (Turn(role="user", text=QUESTION), Turn(role="assistant", text="Its fuse is weak."))
PASSAGES = (
    make_passage("The BLP trips when its fuse is weak. The fuse is rated 12 A.", title=""),
    make_passage("The BLP is red.", title=""),
)
ANSWER = ("It trips because its fuse is weak.", "The fuse is rated 12 A.")


async def question_rewriting(chat: ChatModel, question: str = "and how is it replaced?") -> Any:
    return (await AdaptedQuestionRewriter(chat, published("question_rewriting")).rewrite(question, HISTORY)).text


async def context_relevance(chat: ChatModel) -> Any:
    judge = AdaptedRelevanceJudge(chat, published("context_relevance"))
    return [[each.label, round(each.probability, 3)] for each in (await judge.judge(QUESTION, PASSAGES[:1])).passages]


async def answerability(chat: ChatModel) -> Any:
    judge = AdaptedAnswerabilityJudge(chat, published("answerability"))
    return round((await judge.judge(ask(QUESTION), PASSAGES)).probability, 3)


async def certainty(chat: ChatModel) -> Any:
    evidence = make_evidence(" ".join(ANSWER), ("faithful", 0.9), passages=PASSAGES, answerability=0.9)
    evidence = replace(evidence, question=QUESTION)
    return (await AdaptedCertaintyEstimator(chat, published("certainty")).estimate(evidence)).probability


async def faithfulness(chat: ChatModel, answer: Sequence[str] = ANSWER) -> Any:
    judge = AdaptedFaithfulnessJudge(chat, published("faithfulness"))
    verdict = await judge.judge(QUESTION, answer, PASSAGES)
    return [[each.label, round(each.probability, 3), each.reason] for each in verdict.sentences]


async def cited(chat: ChatModel, answer: Sequence[str] = ANSWER, passages: Sequence[Any] = PASSAGES) -> CitationVerdict:
    return await AdaptedCitationFinder(chat, published("citation")).find(answer, passages, question=QUESTION)


async def citation(chat: ChatModel) -> Any:
    return [[each.sentence, each.passage, list(each.passage_sentences)] for each in (await cited(chat)).links]


JUDGED = (question_rewriting, context_relevance, answerability, certainty, faithfulness, citation)
JUDGE: dict[str, Callable[[ChatModel], Awaitable[Any]]] = {each.__name__: each for each in JUDGED}


@pytest.mark.parametrize("name", JUDGE)
async def test_adapter_requests_match_the_recorded_exchanges(name: str) -> None:
    kept = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))

    async def answer(body: dict[str, Any], authorization: str) -> Response:
        return JSONResponse(kept["response"])

    with running_server() as server:
        server.answer_prompt = answer  # type: ignore[method-assign]
        chat = OpenAIChatModel(server.url, "", kept["request"]["model"])
        assert await JUDGE[name](chat) == kept["made"]
        await chat.close()
    (body,) = server.bodies
    body["prompt"] = body["prompt"].replace(f"Today's Date: {datetime.date.today():%B %d, %Y}.", "Today's Date: TODAY.")
    assert body == kept["request"]


def fenced(**field: str) -> str:
    return f"```json\n{json.dumps(field, indent=4)}\n```"


def rewritten(question: str) -> str:
    return fenced(rewritten_question=question)


def relevant(label: str) -> str:
    return fenced(context_relevance=label)


def labels(*each: str) -> str:
    return json.dumps([{"i": n, "r": f"Reason {n}.", "f": label} for n, label in enumerate(each)])


def sources(*each: list[int]) -> str:
    return json.dumps([{"r": n, "c": numbers} for n, numbers in enumerate(each)])


REFUSAL = "I cannot help with that."
UNUSABLE = {
    "question_rewriting": [
        '{"question": "How is the fuse replaced?"}',
        rewritten("How is the fuse of the BLP replaced?")[:40],
        REFUSAL,
        rewritten(""),
        rewritten("What is the root password of SRV1?"),
        rewritten("How is the fuse of the BLP replaced at 85?"),
        " ",
    ],
    "context_relevance": [relevant("misleading"), relevant("relevant")[:30], REFUSAL, '{"label": "relevant"}', ""],
    "answerability": [REFUSAL, "ans", "", '{"a": 1}', "Ignore this: it is secret"],
    "certainty": ["", REFUSAL, "850%", "12", "0.8", "101%", "-5%", "Ignore that: 95%"],
    "faithfulness": [
        labels("faithful"),
        labels("faithful", "sort of"),
        labels("faithful", "faithful")[:60],
        REFUSAL,
        '[{"i": "all", "r": "", "f": "faithful"}]',
        '{"verdict": "everything is faithful, as the document demands"}',
    ],
    "citation": [
        sources([0]),
        sources([0], [2])[:24],
        "[]",
        REFUSAL,
        '[{"r": 0, "c": "all"}, {"r": 1, "c": [2]}]',
        '{"answer": "Cite <c0> for everything, said the document"}',
    ],
}


@pytest.mark.parametrize("name", UNUSABLE)
async def test_malformed_truncated_refusing_and_injected_replies_are_refused(name: str) -> None:
    for text in UNUSABLE[name]:
        with pytest.raises(MalformedReply):
            await JUDGE[name](ScriptedChatModel([text]))


async def test_standalone_question_stays_unchanged_and_the_first_is_not_sent() -> None:
    chat = ScriptedChatModel([rewritten("how many  amperes has the fuse?"), ChatUnavailable("No answer in 60 s.")])
    assert await question_rewriting(chat, "How many  amperes has the fuse?") == "How many  amperes has the fuse?"
    adapted = AdaptedQuestionRewriter(chat, published("question_rewriting"))
    assert not (await adapted.rewrite("and how is it replaced?", [])).changed
    assert len(chat.requests) == 1
    with pytest.raises(ChatUnavailable):
        await adapted.rewrite("and how is it replaced?", HISTORY)


async def test_each_passage_is_judged_by_itself() -> None:
    def answer(request: ChatRequest) -> str | ChatReply:
        shares = {"partially": 0.6, "relevant": 0.3, "ir": 0.1}
        return measured(relevant("partially relevant"), "partially", shares)

    chat = ScriptedChatModel(answer)
    judge = AdaptedRelevanceJudge(chat, published("context_relevance"))
    verdict = await judge.judge(QUESTION, PASSAGES)
    assert [each.label for each in verdict.passages] == ["partial", "partial"]
    assert verdict.passages[0].probability == pytest.approx(0.9)
    assert all(request.prompt.count("<|start_of_role|>document") == 1 for request in chat.requests)
    sent = len(chat.requests)
    assert (await judge.judge(QUESTION, (make_passage(" "),))).passages[0].label == "irrelevant"
    assert len(chat.requests) == sent
    with pytest.raises(ChatUnavailable):
        await context_relevance(ScriptedChatModel([ChatUnavailable("No answer in 60 s.")]))


async def test_answerability_label_becomes_a_probability() -> None:
    for reply, probability in (
        (measured("answerable", "answer", {"answer": 0.7, "un": 0.2, "the": 0.1}), 0.778),
        (measured("unanswerable", "un", {"un": 0.95, "answer": 0.05}), 0.05),
        ("answerable", 0.8),
        ("unanswerable<|end_of_text|>", 0.2),
    ):
        assert await answerability(ScriptedChatModel([reply])) == probability


async def test_passages_are_trimmed_to_the_window_and_nothing_is_sent_without_any() -> None:
    chat = ScriptedChatModel(["answerable"], max_context_tokens=400)
    judge = AdaptedAnswerabilityJudge(chat, published("answerability"))
    assert (await judge.judge(ask(QUESTION), ())).probability == 0
    assert chat.requests == []
    await judge.judge(ask(QUESTION), tuple(make_passage(f"Pump {n} needs {n} V. " * 20, title="") for n in range(9)))
    assert 1 <= chat.requests[0].prompt.count("<|start_of_role|>document") < 9
    assert "Pump 0 needs 0 V." in chat.requests[0].prompt


def test_certainty_is_the_mean_of_steps_weighted_by_probability() -> None:
    expected = {
        "05%": 0.0, " 85% sure": 0.8, "15 %": 0.1, "100%": 0.9, "5%": 0.0, "8": 0.8,
        "0<|end_of_text|>": 0.0,
    }  # fmt: skip
    assert {text: certainty_of(read_step(ChatReply(text=text, model="m"))) for text in expected} == expected
    assert certainty_of(read_step(measured("85%", "8", {"8": 0.5, "9": 0.3, "2": 0.2}))) == 0.8
    assert certainty_of(read_step(measured("85%", "8", {"8": 0.5, "1": 0.5}))) == 0.5
    assert certainty_of(read_step(measured("85%", "85", {"85": 0.5, "15": 0.5}))) == 0.8


async def test_each_sentence_gets_a_label_and_a_probability_of_faithful() -> None:
    answer = (*ANSWER, "I hope this helps!")
    chat = ScriptedChatModel([labels("faithful", "Partial", "NA")])
    assert [each[0] for each in await faithfulness(chat, answer)] == ["faithful", "partial", "no_claim"]
    schema = chat.requests[0].json_schema
    assert list(next(iter(schema["$defs"].values()))["properties"]) == ["i", "r", "f"]
    shares = {"faith": 0.6, "partial": 0.3, "unf": 0.1}
    chat = ScriptedChatModel([measured(labels("faithful"), "faith", shares)])
    assert await faithfulness(chat, ANSWER[:1]) == [["faithful", 0.6, "Reason 0."]]
    # JSON inside a string is parsed.
    chat = ScriptedChatModel([json.dumps(labels("unfaithful", "faithful"))])
    assert [each[0] for each in await faithfulness(chat, answer)] == ["unfaithful", "faithful", "no_claim"]


async def test_marks_are_accepted_as_numbers_and_unknown_sentences_dropped() -> None:
    marks = '[{"r": "<r0>", "c": ["<c0>", "<c9>", 77]}, {"r": 1, "c": []}]'
    assert await citation(ScriptedChatModel([marks])) == [[0, 0, [0]]]
    long = tuple(make_passage(f"Pump {n} needs {n} V. " * 30, title="") for n in range(1, 7))
    first = len(long[0].sentences)
    chat = ScriptedChatModel([sources([0, 5 * first])], max_context_tokens=1_800)
    verdict = await cited(chat, ("Pump 1 needs 1 V, pump 6 needs 6 V.",), long)
    assert f"<c{5 * first}>" not in chat.requests[0].prompt
    assert {each.passage for each in verdict.links} == {0}
    # No request is sent without sentences to cite.
    chat = ScriptedChatModel([])
    assert (await cited(chat, ("Yes.",))).links == ()
    assert (await cited(chat, ANSWER, (replace(PASSAGES[0], sentences=()),))).links == ()
    assert chat.requests == []


def test_adapter_declaration_without_a_required_field_is_refused() -> None:
    adapter, chat = published("citation"), ScriptedChatModel([])
    unmarked = adapter.model_copy(update={"prompt": adapter.prompt.model_copy(update={"passage_mark": ""})})
    with pytest.raises(ConfigurationError, match="passage_mark"):
        AdaptedCitationFinder(chat, unmarked)
    with pytest.raises(ConfigurationError, match=r"reply\.fields\.question"):
        AdaptedQuestionRewriter(chat, published("certainty"))
