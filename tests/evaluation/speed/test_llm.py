"""The bench of a question on a language model: its simulated server, its replies, its sums."""

import asyncio
import json
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any, Literal, cast

import pytest
from pydantic import BaseModel, Field

from contracts.errors import InvalidInput
from evaluation.speed.llm import Asked, LlmSpeed, ProfileSpeed
from evaluation.speed.llm_replies import reply_to
from evaluation.speed.llm_report import llm_as_json, render_llm
from evaluation.speed.llm_server import LABELS, MODEL, Call, Rate, read_rate, simulated_server, take_record
from tools.chat.base import ChatMessage, ChatRequest
from tools.chat.openai import OpenAIChatModel
from tools.labels import read_label

EVIDENCE = """<<passage 1 0123456789ab>> Manual > page 1
[1.1] A lost key costs 40 euros at the front desk.
[1.2] The canteen opens at half past seven.
<<end 1 0123456789ab>>

<<passage 2 0123456789ab>> Manual > page 2
[2.1] One cycle of the dryer takes 36 hours.
<<end 2 0123456789ab>>"""


class Item(BaseModel):
    """A part of a reply."""

    number: int = Field(ge=3, le=9)
    label: Literal["faithful", "partial"]


class Form(BaseModel):
    """A reply."""

    items: list[Item] = Field(min_length=2)
    reason: str
    sure: bool
    grade: float = Field(ge=0, le=0.5)
    note: str | None = None


def body(user: str, *, form: type[BaseModel] | None = None, labels: bool = False) -> dict[str, Any]:
    schema = {"json_schema": {"schema": form.model_json_schema()}} if form else None
    messages = [{"role": "system", "content": "You judge."}, {"role": "user", "content": user}]
    return {"messages": messages, "response_format": schema, "logprobs": labels}


def test_a_reply_by_schema_validates_and_fills_open_fields_as_the_request_shows() -> None:
    bare = Form.model_validate_json(reply_to(body("Judge it.", form=Form), LABELS))
    assert [each.number for each in bare.items] == [3, 3]
    assert bare.grade <= 0.5
    shown = {"items": [{"number": 5, "label": "partial"}], "reason": "It stands there.", "sure": True, "grade": 0.25}
    filled = Form.model_validate_json(
        reply_to(body(f"{EVIDENCE}\n\nAnswer so: {json.dumps(shown)}", form=Form), LABELS)
    )
    assert [(each.number, each.label) for each in filled.items] == [(5, "faithful"), (5, "faithful")]
    assert (filled.reason, filled.sure, filled.grade) == ("It stands there.", True, 0.25)


class Sources(BaseModel):
    """Sentence marks."""

    ids: list[str]


def test_sentence_marks_are_those_of_the_passages_the_nearest_first() -> None:
    task = 'The answer is "One cycle of the dryer takes 36 hours." Reply so: {"ids": ["8.1", "9.2"]}'
    found = Sources.model_validate_json(reply_to(body(f"{EVIDENCE}\n\n{task}", form=Sources), LABELS))
    assert found.ids[0] == "2.1"
    assert found.ids[1] in ("1.1", "1.2")


def test_a_label_is_one_that_the_instructions_name_and_no_passage_decides_it() -> None:
    words = ("relevant", "yes")
    assert reply_to(body("Answer yes or no.", labels=True), words) == "yes"
    assert reply_to(body("Answer Relevant or irrelevant.", labels=True), words) == "relevant"
    passage = "<<passage 1 0123456789ab>>\nrelevant\n<<end 1 0123456789ab>>\n\nAnswer yes or no."
    assert reply_to(body(passage, labels=True), words) == "yes"
    assert reply_to(body("Answer now.", labels=True), words) == "relevant"


def test_prose_is_made_of_the_passages_sentences_that_are_asked_for() -> None:
    written = reply_to(body(f"{EVIDENCE}\n\nQuestion: How long does one cycle of the dryer take?"), LABELS)
    assert written.startswith("One cycle of the dryer takes 36 hours.")
    assert "[2.1]" not in written
    assert reply_to(body("Question: How long?"), LABELS) == "The passages do not say."


@pytest.fixture(scope="module")
def address() -> Any:
    with simulated_server(Rate(prefill_per_s=50_000, decode_per_s=2_000, first_token_ms=5)) as found:
        yield found


def request(user: str, **more: Any) -> ChatRequest:
    system = ChatMessage(role="system", content="You judge passages. " * 40)
    return ChatRequest(messages=(system, ChatMessage(role="user", content=user)), **more)


async def test_the_server_speaks_the_protocol_and_counts_what_is_shared(address: str) -> None:
    chat = OpenAIChatModel(base_url=address, api_key="", model="")
    take_record(address)
    started = time.perf_counter()
    label = await chat.complete(request(f"{EVIDENCE}\n\nAnswer yes or no.", top_logprobs=5))
    streamed = [piece async for piece in chat.stream(request(f"{EVIDENCE}\n\nHow much is a lost key?"))]
    wall_ms = (time.perf_counter() - started) * 1_000
    await chat.close()
    assert (label.model, label.finish_reason) == (MODEL, "stop")
    assert read_label(label, ("yes", "no")).measured
    assert "".join(streamed).startswith("A lost key costs 40 euros at the front desk.")
    assert len(streamed) > 5
    record = take_record(address)
    first, second = record.calls
    assert (first.shared_tokens, first.streamed, second.streamed) == (0, False, True)
    assert 0.8 * second.prompt_tokens < second.shared_tokens < second.prompt_tokens
    assert second.shared_tokens % 16 == 0
    assert first.prompt_tokens == label.prompt_tokens
    assert record.most_at_once == 1
    assert 0 < record.busy_ms <= wall_ms
    assert take_record(address).calls == ()


async def test_a_server_takes_the_time_of_its_rate() -> None:
    slow = Rate(prefill_per_s=2_000, decode_per_s=100, first_token_ms=50)
    with simulated_server(slow) as address:
        chat = OpenAIChatModel(base_url=address, api_key="", model="")
        await chat.complete(request(f"{EVIDENCE}\n\nHow much is a lost key?"))
        await chat.close()
        (call,) = take_record(address).calls
    least = 1_000 * call.prompt_tokens / 2_000 + 50 + 1_000 * call.completion_tokens / 100
    assert call.milliseconds >= 0.99 * least


async def test_a_request_that_its_client_leaves_is_under_way_no_longer() -> None:
    with simulated_server(Rate(prefill_per_s=50_000, decode_per_s=1, first_token_ms=5)) as address:
        chat = OpenAIChatModel(base_url=address, api_key="", model="")
        stream = chat.stream(request(f"{EVIDENCE}\n\nHow much is a lost key?"))
        async with aclosing(cast(AsyncGenerator[str, None], stream)) as pieces:
            await anext(pieces)
        await chat.close()
        left = await asyncio.to_thread(take_record, address)
        await asyncio.sleep(0.5)
        record = await asyncio.to_thread(take_record, address)
    # Of the reply's seconds at a token each, the first was not over.
    assert left.calls == record.calls == ()
    assert record.busy_ms == 0
    assert left.most_at_once == 1


def test_a_rate_is_two_numbers_above_0() -> None:
    assert read_rate("8000,90.5", first_token_ms=1) == Rate(prefill_per_s=8_000, decode_per_s=90.5, first_token_ms=1)
    for wrong in ("", "2500", "2500,0", "-1,40", "a,b", "1,2,3", "inf,1", "nan,1"):
        with pytest.raises(InvalidInput, match="2500,40"):
            read_rate(wrong, first_token_ms=30)


def asked(wall_ms: float, model_ms: float, *calls: Call, unread: tuple[float, float] = (0.0, 0.0)) -> Asked:
    return Asked(
        question="q",
        outcome="answered",
        wall_ms=wall_ms,
        model_ms=model_ms,
        cpu_ms=50.0,
        calls=calls,
        most_at_once=len(calls[:1]),
        unread=unread,
        steps=(("retrieve", 20.0), ("write_answer", wall_ms - 20.0)),
        degraded=(),
    )


CALL = Call(prompt_tokens=1_000, shared_tokens=160, completion_tokens=60, streamed=True, milliseconds=1_000.0)


def speed(*profiles: ProfileSpeed) -> LlmSpeed:
    rate = Rate(prefill_per_s=2_500, decode_per_s=40)
    return LlmSpeed(
        revision="abc", machine="2 cores", load_average=None, rate=rate, questions=("q",), profiles=profiles
    )


def test_the_share_is_over_a_rounds_questions_and_its_median_over_the_rounds() -> None:
    rounds = (
        (asked(1_040, 1_000, CALL, unread=(100.0, 1_000.0)), asked(20, 0)),  # 60 ms by 1 000
        (asked(1_020, 1_000, CALL, unread=(300.0, 1_000.0)), asked(20, 0)),  # 40 ms by 1 000
        (asked(1_010, 1_000, CALL, unread=(200.0, 1_000.0)), asked(20, 0)),  # 30 ms by 1 000
    )
    balanced = ProfileSpeed(profile="balanced", rounds=rounds)
    assert balanced.shares == pytest.approx((0.06, 0.04, 0.03))
    assert balanced.share == pytest.approx(0.04)
    assert balanced.unread_shares == pytest.approx((0.1, 0.3, 0.2))
    assert balanced.met is True
    slow = ProfileSpeed(profile="balanced", rounds=((asked(1_051, 1_000, CALL),),))
    assert slow.met is False
    embedded = ProfileSpeed(profile="embedded", rounds=((asked(100, 0),),))
    assert (embedded.shares, embedded.share, embedded.met) == ((), None, None)
    text = render_llm(speed(embedded, slow))
    assert "MISSED  balanced, own time by the model's: 5.1%, below 5%" in text
    assert "met     balanced" in render_llm(speed(balanced))
    values = json.loads(json.dumps(llm_as_json(speed(embedded, balanced))))
    assert [each["profile"] for each in values["profiles"]] == ["embedded", "balanced"]
    assert values["profiles"][1]["prompt_tokens"] == 500
    assert values["profiles"][1]["rounds"][0][0]["calls"][0]["shared_tokens"] == 160
