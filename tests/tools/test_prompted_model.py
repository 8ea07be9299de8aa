"""One prompt of a chat model: how requests are filled in, sent back once, and accounted for."""

from pathlib import Path

import pytest
from pydantic import BaseModel

from contracts.errors import ConfigurationError, MalformedReply
from tests.scripted_chat import ScriptedChatModel
from tools.chat.errors import ChatTooLong
from tools.prompted_model import PromptedModel
from tools.structured import strict_schema

PROMPT = """
version = "7"
description = "Judge"
system = "Judge {thing}."
user = "{further}"
"""


class Verdict(BaseModel):
    """The reply's form."""

    good: bool


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "llm.toml"
    path.write_text(PROMPT)
    return path


async def test_a_request_holds_the_prompt_filled_in(path: Path) -> None:
    inquiry = PromptedModel(ScriptedChatModel([]), path, model="adapter", max_tokens=9).begin()
    request = inquiry.request({"thing": "it", "further": "now"})
    assert [(each.role, each.content) for each in request.messages] == [
        ("system", "Judge it."),
        ("user", "now"),
    ]
    assert (request.model, request.max_tokens) == ("adapter", 9)
    assert inquiry.request({"thing": "", "further": "x"}, max_tokens=3).max_tokens == 3
    with pytest.raises(ConfigurationError, match="further"):
        inquiry.request({"thing": "it"})


async def test_a_form_is_asked_with_its_schema_and_provenance_names_who_answered(path: Path) -> None:
    chat = ScriptedChatModel(["Yes!", '{"good": true}'], model="m1")
    inquiry = PromptedModel(chat, path).begin()
    assert (await inquiry.ask(inquiry.request({"thing": "it", "further": "now"}), Verdict)).good
    assert chat.requests[0].json_schema == strict_schema(Verdict)
    assert "Yes!" in chat.requests[1].messages[2].content
    provenance = inquiry.provenance()
    assert (provenance.implementation, provenance.model, provenance.prompt_version) == ("llm", "m1", "7")
    assert provenance.milliseconds > 0


async def chosen(prompted: PromptedModel) -> str:
    inquiry = prompted.begin()
    return (await inquiry.choose(inquiry.request({"thing": "it", "further": "now"}), ("good", "bad"))).label


async def test_a_model_that_names_no_label_is_asked_once(path: Path) -> None:
    chat = ScriptedChatModel(["Let me see.", "good"])
    prompted = PromptedModel(chat, path)
    for _ in range(3):
        with pytest.raises(MalformedReply, match="good, bad"):
            await chosen(prompted)
    assert len(chat.requests) == 1
    # Another prompt is another matter, and so is another model.
    assert await chosen(PromptedModel(chat, path)) == "good"


async def test_a_model_that_names_labels_as_a_rule_is_asked_again(path: Path) -> None:
    prompted = PromptedModel(ScriptedChatModel(["bad", "Let me see.", "good"]), path)
    assert await chosen(prompted) == "bad"
    with pytest.raises(MalformedReply, match="good, bad"):
        await chosen(prompted)
    assert await chosen(prompted) == "good"


async def test_a_stream_tells_how_many_passages_went_out(path: Path) -> None:
    replies = [ChatTooLong("too long"), "Nine bar."]
    chat = ScriptedChatModel(replies)
    inquiry = PromptedModel(chat, path).begin()
    reply = await inquiry.stream_fitting(lambda n: inquiry.request({"thing": "it", "further": "one " * n}), 8)
    assert [request.messages[-1].content.count("one") for request in chat.requests] == [8, 4]
    assert reply.passages == 4
    assert [piece async for piece in reply.pieces] == ["Nine ", "bar."]
