"""Whole exchanges of what writes on a chat server, kept in ``exchanges/``: see ``test_exchanges``.

A kept list of deltas is sent as a stream in the form in which vLLM sends it, one event for each.
"""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi import Response
from fastapi.responses import JSONResponse, StreamingResponse

from contracts.jargon import Mention, Reading
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Span
from contracts.verdicts import Draft
from intrinsics.answer_generation.base import WritingBrief
from intrinsics.answer_generation.llm import PromptedAnswerWriter
from intrinsics.question_writing.llm import PromptedQuestionWriter
from intrinsics.summarisation.llm import PromptedSummariser
from tests.intrinsics.playing import Kept, play
from tests.intrinsics.test_exchanges import FOLDER, PASSAGES, SENSE
from tools.chat.base import ChatModel

TEXT = "Each ballast pump (BLP) has a fuse. It trips below 20 V."


async def write(chat: ChatModel, critique: str = "", draft: str = "") -> Any:
    reading = Reading(mention=Mention(text="BLP", span=Span(13, 16), term="BLP"), status="chosen", sense=SENSE)
    question = AugmentedQuestion(
        question="Why does the BLP trip?",
        text="Why does the BLP trip?\nBLP means ballast pump.",
        context="Machines",
        readings=(reading,),
        provenance=Provenance(implementation="embedded"),
    )
    brief = WritingBrief(question=question, passages=PASSAGES, critique=critique, draft=draft)
    pieces = []
    async for piece in PromptedAnswerWriter(chat).write(brief):
        if isinstance(piece, Draft):
            claims = [[piece.text[: each.position], each.passage, each.sentence] for each in piece.claims]
            version = piece.provenance.prompt_version
            return {"streamed": pieces, "text": piece.text, "claims": claims, "version": version}
        pieces.append(piece)
    pytest.fail("no draft came")


async def rewrite(chat: ChatModel) -> Any:
    return await write(chat, "Say only what the passages say.", "It trips at 90 A.")


async def summarise(chat: ChatModel) -> Any:
    found = await PromptedSummariser(chat).summarise(TEXT, title="Ballast manual")
    return {"text": found.text, "questions": list(found.questions), "version": found.provenance.prompt_version}


async def ask_questions(chat: ChatModel) -> Any:
    found = await PromptedQuestionWriter(chat).write(PASSAGES[1])
    questions = [[each.question, each.answer, each.evidence.start] for each in found.questions]
    return {"questions": questions, "version": found.provenance.prompt_version}


ASKED: dict[str, Callable[[ChatModel], Awaitable[Any]]] = {
    "answer_generation": write,
    "answer_generation_again": rewrite,
    "summarisation": summarise,
    "question_writing": ask_questions,
}


@pytest.mark.parametrize("name", ASKED)
async def test_an_exchange_goes_as_it_is_kept(name: str) -> None:
    await check_exchange(FOLDER / f"{name}.json", ASKED[name])


async def check_exchange(path: Path, ask: Callable[[ChatModel], Awaitable[Any]]) -> None:
    kept, body = await play(path, ask, respond=_response)
    assert body["messages"] == kept["request"]["messages"]
    for key in ("model", "max_tokens", "temperature", "stream"):
        assert body.get(key, False) == kept["request"][key]
    form = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
    assert form.get("type", "text") == kept["request"]["form"]
    assert sorted(form.get("properties", ())) == kept["request"]["fields"]


def _response(kept: Kept) -> Response:
    if "deltas" in kept:
        return StreamingResponse(_events(kept), media_type="text/event-stream")
    return JSONResponse(kept)


async def _events(response: dict[str, Any]) -> AsyncIterator[str]:
    last = len(response["deltas"]) - 1
    for number, text in enumerate(response["deltas"]):
        delta = {"role": "assistant", "content": text} if number == 0 else {"content": text}
        finish = "stop" if number == last else None
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish, "stop_reason": None}
        event = {"id": response["id"], "object": "chat.completion.chunk", "created": response["created"]}
        yield f"data: {json.dumps({**event, 'model': response['model'], 'choices': [choice]})}\n\n"
    yield "data: [DONE]\n\n"
