"""Prompt files, requests that are filled in by them, and structured replies: read, repaired once, or refused."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict

import intrinsics
from contracts.errors import ConfigurationError, MalformedReply
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatMessage, ChatReply, ChatRequest
from tools.chat.reply_limits import TruncatedReply
from tools.prompted_model import PromptedModel
from tools.prompts import load_prompt
from tools.structured import ask_structured, parse_reply, strict_schema


class Verdict(BaseModel):
    model_config = ConfigDict(extra="forbid")

    label: str
    sure: bool = True
    steps: list[int] = []


GOOD = '''
version = "3"
description = "answers"
system = "You know {domain}."
user = """
Question: {question}
Reply as {"answer": "…"} or {{literal}}.
"""

[[examples]]
user = "Is {this} a variable?"
assistant = '{"answer": "no"}'
'''


def write(folder: Path, text: str) -> Path:
    path = folder / "prompt.toml"
    path.write_text(text, "utf-8")
    return path


def test_templates_are_filled_in(tmp_path: Path) -> None:
    prompt = load_prompt(write(tmp_path, GOOD))
    assert prompt.version == "3"
    assert prompt.variables == {"domain", "question"}
    messages = prompt.messages(domain="flash", question="What?", unused=1)
    assert [message.role for message in messages] == ["system", "user", "assistant", "user"]
    assert messages[0].content == "You know flash."
    assert messages[1].content == "Is {this} a variable?"
    assert messages[3].content == 'Question: What?\nReply as {"answer": "…"} or {literal}.'
    # Values are not expanded as templates.
    messages = prompt.messages(domain="{question}", question="{domain} {0} {{x}}")
    assert messages[0].content == "You know {question}."
    assert "Question: {domain} {0} {{x}}" in messages[-1].content
    with pytest.raises(ConfigurationError, match=r"'answers', version 3.*domain, question.*can have: other"):
        prompt.messages(other=1)


def test_a_wrong_file_is_named_with_its_key(tmp_path: Path) -> None:
    for text, named in [
        (GOOD.replace("system =", "sytem ="), "sytem"),
        (GOOD.replace("assistant =", "asistant ="), r"examples\.0\.assistant"),
        ("version = ", "not valid TOML"),
    ]:
        with pytest.raises(ConfigurationError, match=rf"prompt\.toml.*{named}"):
            load_prompt(write(tmp_path, text))


FOLDER = Path(next(iter(intrinsics.__path__)))
PROMPTS = sorted(path for path in FOLDER.glob("*/*.toml") if "user" in tomllib.loads(path.read_text("utf-8")))
# Options that the wiring sets once for all calls.
FIXED = {"most"}


def test_prompt_begins_with_passages_or_constant_text() -> None:
    assert PROMPTS
    for path in PROMPTS:
        prompt = load_prompt(path)
        if "evidence" in prompt.variables:
            assert prompt.system.strip() == "{prefix}", path
            assert prompt.user.lstrip().startswith("{evidence}\n")
            assert prompt.examples == ()
        else:
            assert prompt.model_copy(update={"user": "x"}).variables <= FIXED, path


PROMPT = """
version = "7"
description = "Judge"
system = "Judge {thing}."
user = "{further}"
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write(tmp_path, PROMPT)


async def test_request_contains_the_filled_prompt(path: Path) -> None:
    inquiry = PromptedModel(ScriptedChatModel([]), path, model="adapter", max_tokens=9).begin()
    request = inquiry.request({"thing": "it", "further": "now"})
    assert [(each.role, each.content) for each in request.messages] == [("system", "Judge it."), ("user", "now")]
    assert (request.model, request.max_tokens) == ("adapter", 9)
    assert inquiry.request({"thing": "", "further": "x"}, max_tokens=3).max_tokens == 3
    with pytest.raises(ConfigurationError, match="further"):
        inquiry.request({"thing": "it"})


async def test_structured_request_sends_its_schema_and_a_bad_reply_back_once(path: Path) -> None:
    chat = ScriptedChatModel(['{"lable": "yes"}', '{"label": "good"}'], model="m1")
    inquiry = PromptedModel(chat, path).begin()
    assert (await inquiry.ask(inquiry.request({"thing": "it", "further": "now"}), Verdict)).label == "good"
    assert chat.requests[0].json_schema == strict_schema(Verdict)
    *before, answer, complaint = chat.requests[1].messages
    assert tuple(before) == chat.requests[0].messages
    assert (answer.role, answer.content) == ("assistant", '{"lable": "yes"}')
    assert "label: Field required" in complaint.content
    provenance = inquiry.provenance()
    assert (provenance.implementation, provenance.model, provenance.prompt_version) == ("llm", "m1", "7")
    assert provenance.milliseconds > 0


async def chosen(prompted: PromptedModel) -> str:
    inquiry = prompted.begin()
    return (await inquiry.choose(inquiry.request({"thing": "it", "further": "now"}), ("good", "bad"))).label


async def test_model_without_labels_is_asked_once_and_others_are_retried(path: Path) -> None:
    chat = ScriptedChatModel(["Let me see.", "good"])
    prompted = PromptedModel(chat, path)
    for _ in range(3):
        with pytest.raises(MalformedReply, match="good, bad"):
            await chosen(prompted)
    assert len(chat.requests) == 1
    # This is remembered per prompt and per model.
    assert await chosen(PromptedModel(chat, path)) == "good"
    prompted = PromptedModel(ScriptedChatModel(["bad", "Let me see.", "good"]), path)
    assert await chosen(prompted) == "bad"
    with pytest.raises(MalformedReply, match="good, bad"):
        await chosen(prompted)
    assert await chosen(prompted) == "good"


ASKED = ChatRequest(messages=(ChatMessage(role="user", content="Judge."),))


def test_structured_value_is_found_in_typical_replies() -> None:
    texts = [
        '{"label": "yes", "sure": false, "steps": [1, 2]}',
        'Certainly! Here it is:\n```json\n{"label": "yes", "sure": false, "steps": [1, 2]}\n```\nAnything else?',
        'The set {a, b} is small. {"label": "yes", "sure": false, "steps": [1, 2]} I hope this helps {you}.',
        '<think>Perhaps {"label": "no"}?</think>\n{"label": "yes", "sure": false, "steps": [1, 2]}',
        '{"label": "yes", "sure": false, "steps": [1, 2,],}',
        "{'label': 'yes', 'sure': False, 'steps': [1, 2]}",
        '{"wrong": 1} {"label": "yes", "sure": false, "steps": [1, 2]}',
        '[{"label": "yes", "sure": false, "steps": [1, 2]}]',
    ]
    expected = Verdict(label="yes", sure=False, steps=[1, 2])
    assert [text for text in texts if parse_reply(text, Verdict) != expected] == []
    # Brackets, quotes and line breaks within strings are text.
    text = r'Reply: {"label": "a } b \" ] {c", "steps": []} done'
    assert parse_reply(text, Verdict).label == 'a } b " ] {c'
    assert parse_reply('{"label": "two\nlines"}', Verdict).label == "two\nlines"


def test_malformed_reply_is_refused_with_the_reason() -> None:
    for text, says in {
        "": "there is no JSON", '{"label": "cut sho': "there is no JSON", "{" * 100_000: "there is no JSON",
        '{"sure": true}': "label: Field required", '{"label": "yes", "steps": ["one"]}': r"steps\.0",
    }.items():  # fmt: skip
        with pytest.raises(MalformedReply, match=says):
            parse_reply(text, Verdict)


@given(st.text(max_size=200))
def test_any_text_in_another_format_is_refused(text: str) -> None:
    with pytest.raises(MalformedReply, match="Verdict"):
        parse_reply(text, Verdict)


@given(st.text(max_size=60), st.lists(st.integers(), max_size=5), st.text(alphabet="abc {}[]:,\n", max_size=30))
def test_json_is_found_after_any_text(label: str, steps: list[int], before: str) -> None:
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


async def test_second_bad_reply_is_refused_and_a_truncated_one_not_requested_again() -> None:
    cut = ChatReply(text='{"label": "ye', model="m", finish_reason="length")
    for replies, error, says in ((["no", "never"], MalformedReply, "Verdict"), ([cut], TruncatedReply, "1024 tokens")):
        chat = ScriptedChatModel([*replies, '{"label": "yes"}'])
        with pytest.raises(error, match=says):
            await ask_structured(chat, ASKED, Verdict)
        assert len(chat.requests) == len(replies)
