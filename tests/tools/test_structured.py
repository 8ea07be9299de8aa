"""Structured replies: tolerant reading, one repair, clear refusals."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

from contracts.errors import MalformedReply
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatMessage, ChatReply, ChatRequest
from tools.chat.reply_limits import TruncatedReply
from tools.structured import ask_structured, parse_reply, strict_schema

ASKED = ChatRequest(messages=(ChatMessage(role="user", content="Judge."),))


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    label: str
    sure: bool = True
    steps: list[int] = []


EXPECTED = Verdict(label="yes", sure=False, steps=[1, 2])


def test_a_value_is_found_in_what_models_write(subtests: pytest.Subtests) -> None:
    for text in [
        '{"label": "yes", "sure": false, "steps": [1, 2]}',
        'Certainly! Here it is:\n```json\n{"label": "yes", "sure": false, "steps": [1, 2]}\n```\nAnything else?',
        'The set {a, b} is small. {"label": "yes", "sure": false, "steps": [1, 2]} I hope this helps {you}.',
        '<think>Perhaps {"label": "no"}?</think>\n{"label": "yes", "sure": false, "steps": [1, 2]}',
        '{"label": "yes", "sure": false, "steps": [1, 2,],}',
        "{'label': 'yes', 'sure': False, 'steps': [1, 2]}",
        '{"wrong": 1} {"label": "yes", "sure": false, "steps": [1, 2]}',
        '[{"label": "yes", "sure": false, "steps": [1, 2]}]',
    ]:
        with subtests.test(text=text):
            assert parse_reply(text, Verdict) == EXPECTED


def test_brackets_and_quotes_within_strings_are_text() -> None:
    text = r'Reply: {"label": "a } b \" ] {c", "steps": []} done'
    assert parse_reply(text, Verdict).label == 'a } b " ] {c'
    assert parse_reply('{"label": "two\nlines"}', Verdict).label == "two\nlines"


def test_what_is_wrong_is_said(subtests: pytest.Subtests) -> None:
    for text, says in [
        ("", "there is no JSON"),
        ('{"label": "cut sho', "there is no JSON"),
        ('{"sure": true}', "label: Field required"),
        ('{"label": "yes", "steps": ["one"]}', r"steps\.0"),
        ("{" * 100_000, "there is no JSON"),
    ]:
        with subtests.test(text=text), pytest.raises(MalformedReply, match=says):
            parse_reply(text, Verdict)


@given(st.text(max_size=200))
def test_any_text_without_the_form_is_refused(text: str) -> None:
    with pytest.raises(MalformedReply, match="Verdict"):
        parse_reply(text, Verdict)


@given(st.text(max_size=60), st.lists(st.integers(), max_size=5), st.text(alphabet="abc {}[]:,\n", max_size=30))
def test_what_was_written_is_read_back_whatever_stands_before(label: str, steps: list[int], before: str) -> None:
    value = Verdict(label=label, steps=steps)
    assert parse_reply(f"{before}\n```json\n{value.model_dump_json()}\n```", Verdict) == value


class Verdicts(BaseModel):
    verdicts: list[Verdict]
    counts: dict[str, int] = {}


def test_a_schema_asks_for_every_field_and_no_other_at_every_depth() -> None:
    schema = strict_schema(Verdicts)
    inner = schema["$defs"]["Verdict"]
    assert (schema["additionalProperties"], schema["required"]) == (False, ["verdicts", "counts"])
    assert (inner["additionalProperties"], inner["required"]) == (False, ["label", "sure", "steps"])
    assert schema["properties"]["counts"]["additionalProperties"] == {"type": "integer"}


async def test_a_bad_reply_is_sent_back_once_with_what_is_wrong() -> None:
    chat = ScriptedChatModel(['{"lable": "yes"}', '{"label": "yes"}'])
    reply = await ask_structured(chat, ASKED, Verdict)
    assert reply.value.label == "yes"
    asked, answered, complaint = chat.requests[1].messages
    assert asked == ASKED.messages[0]
    assert (answered.role, answered.content) == ("assistant", '{"lable": "yes"}')
    assert "label: Field required" in complaint.content
    assert chat.requests[0].json_schema == strict_schema(Verdict)


async def test_a_reply_that_was_cut_is_not_asked_for_again_with_the_same_limit() -> None:
    cut = ChatReply(text='{"label": "ye', model="m", finish_reason="length")
    chat = ScriptedChatModel([cut, '{"label": "yes"}'])
    with pytest.raises(TruncatedReply, match="1024 tokens"):
        await ask_structured(chat, ASKED, Verdict)
    assert len(chat.requests) == 1


async def test_a_second_bad_reply_is_refused() -> None:
    chat = ScriptedChatModel(["no", "never", '{"label": "yes"}'])
    with pytest.raises(MalformedReply, match="Verdict"):
        await ask_structured(chat, ASKED, Verdict)
    assert len(chat.requests) == 2
