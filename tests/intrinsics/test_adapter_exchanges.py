"""Whole exchanges with adapters, kept in ``adapter_exchanges/``: what goes out exactly, and what is made of the reply.

The replies are written in the form in which vLLM sends them. The day in the base model's system message is left out.
"""

import datetime
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.responses import JSONResponse, Response

from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion, Turn
from contracts.verdicts import FaithfulnessVerdict, RelevanceVerdict, SentenceFaithfulness
from intrinsics.answerability.adapter import AdaptedAnswerabilityJudge
from intrinsics.certainty.adapter import AdaptedCertaintyEstimator
from intrinsics.certainty.base import AnswerEvidence
from intrinsics.citation.adapter import AdaptedCitationFinder
from intrinsics.context_relevance.adapter import AdaptedRelevanceJudge
from intrinsics.faithfulness.adapter import AdaptedFaithfulnessJudge
from intrinsics.question_rewriting.adapter import AdaptedQuestionRewriter
from tests.intrinsics.adapted import passage, published
from tests.tools.chat.server import running_server
from tools.chat.base import ChatModel
from tools.chat.openai import OpenAIChatModel

FOLDER = Path(__file__).with_name("adapter_exchanges")
QUESTION = "Why does the BLP trip?"
PASSAGES = (passage("The BLP trips when its fuse is weak. The fuse is rated 12 A."), passage("The BLP is red.", 1))
ANSWER = ("It trips because its fuse is weak.", "The fuse is rated 12 A.")
FAITHFUL = SentenceFaithfulness(label="faithful", probability=0.9)
BY = Provenance(implementation="embedded")


async def rewrite(chat: ChatModel) -> Any:
    history = [Turn(role="user", text=QUESTION), Turn(role="assistant", text="Its fuse is weak.")]
    rewriter = AdaptedQuestionRewriter(chat, published("question_rewriting"))
    return (await rewriter.rewrite("and how is it replaced?", history)).text


async def relevance(chat: ChatModel) -> Any:
    judge = AdaptedRelevanceJudge(chat, published("context_relevance"))
    return [[each.label, round(each.probability, 3)] for each in (await judge.judge(QUESTION, PASSAGES[:1])).passages]


async def answerability(chat: ChatModel) -> Any:
    asked = AugmentedQuestion(question=QUESTION, text=QUESTION, provenance=BY)
    judge = AdaptedAnswerabilityJudge(chat, published("answerability"))
    return round((await judge.judge(asked, PASSAGES)).probability, 3)


async def certainty(chat: ChatModel) -> Any:
    evidence = AnswerEvidence(
        question=QUESTION,
        answer=" ".join(ANSWER),
        passages=PASSAGES,
        answerability=0.9,
        faithfulness=FaithfulnessVerdict(sentences=(FAITHFUL,), provenance=BY),
        relevance=RelevanceVerdict(passages=(), provenance=BY),
    )
    return (await AdaptedCertaintyEstimator(chat, published("certainty")).estimate(evidence)).probability


async def faithfulness(chat: ChatModel) -> Any:
    judge = AdaptedFaithfulnessJudge(chat, published("faithfulness"))
    verdict = await judge.judge(QUESTION, ANSWER, PASSAGES)
    return [[each.label, round(each.probability, 3), each.reason] for each in verdict.sentences]


async def citation(chat: ChatModel) -> Any:
    verdict = await AdaptedCitationFinder(chat, published("citation")).find(ANSWER, PASSAGES, question=QUESTION)
    return [[each.sentence, each.passage, list(each.passage_sentences)] for each in verdict.links]


ASKED: dict[str, Callable[[ChatModel], Awaitable[Any]]] = {
    "question_rewriting": rewrite,
    "context_relevance": relevance,
    "answerability": answerability,
    "certainty": certainty,
    "faithfulness": faithfulness,
    "citation": citation,
}


@pytest.mark.parametrize("name", ASKED)
async def test_an_exchange_goes_as_it_is_kept(name: str) -> None:
    kept = json.loads((FOLDER / f"{name}.json").read_text("utf-8"))

    async def answer(body: dict[str, Any], authorization: str) -> Response:
        return JSONResponse(kept["response"])

    with running_server() as server:
        server.answer_prompt = answer  # type: ignore[method-assign]
        chat = OpenAIChatModel(server.url, "", kept["request"]["model"])
        assert await ASKED[name](chat) == kept["made"]
        await chat.close()
    (body,) = server.bodies
    body["prompt"] = body["prompt"].replace(f"Today's Date: {datetime.date.today():%B %d, %Y}.", "Today's Date: TODAY.")
    assert body == kept["request"]
