"""Claims that a chat model writes."""

import json

import pytest

from contracts.errors import MalformedReply
from golden_lab.triple_extraction.embedded import EmbeddedTripleExtractor
from golden_lab.triple_extraction.llm import PromptedTripleExtractor
from golden_lab.triples.triple import TripleExtractor
from tests.scripted_chat import ScriptedChatModel
from tools.chat.base import ChatRequest


def reply(*claims: tuple[str, str, str]) -> str:
    return json.dumps({"claims": [dict(zip(("subject", "predicate", "object"), each, strict=True)) for each in claims]})


async def test_written_claims_are_put_in_normal_form() -> None:
    chat = ScriptedChatModel([reply(("The Pumps", "must deliver", "at least 3A"), ("pump", "shall deliver ≥", "3 A"))])
    found = await PromptedTripleExtractor(chat).extract("The pumps must deliver at least 3A.")
    assert [each.text for each in found.triples] == ["pump shall deliver ≥ 3 A"]
    assert found.provenance.implementation == "llm"
    assert found.provenance.prompt_version


async def test_the_prompts_own_example_is_in_normal_form() -> None:
    chat = ScriptedChatModel([reply()])
    await PromptedTripleExtractor(chat).extract("The fan is off.")
    example = chat.requests[0].messages[2].content
    found = await PromptedTripleExtractor(ScriptedChatModel([example])).extract("The fan is off.")
    written = [" ".join(each.values()) for each in json.loads(example)["claims"]]
    assert [each.text for each in found.triples] == written


async def test_a_reply_of_another_form_is_sent_back_once() -> None:
    chat = ScriptedChatModel(['{"claims": [{"subject": "fan"}]}', reply(("fan", "is", "off"))])
    assert (await PromptedTripleExtractor(chat).extract("The fan is off.")).triples[0].object == "off"
    with pytest.raises(MalformedReply):
        await PromptedTripleExtractor(ScriptedChatModel(["no", "no"])).extract("The fan is off.")


async def test_a_long_text_is_asked_about_in_pieces_of_whole_sentences() -> None:
    chat = ScriptedChatModel(lambda request: reply())
    sentences = [
        f"Sensor number {n} of the long row reports its value to the hub once every minute." for n in range(200)
    ]
    await PromptedTripleExtractor(chat).extract(" ".join(sentences))
    shown = "".join(request.messages[-1].content for request in chat.requests)
    assert len(chat.requests) == 3
    assert all(shown.count(sentence) == 1 for sentence in sentences)


TEXT = (
    "The XB200 heaters must reach at least 60°C. They are controlled by a thermostat. "
    "The XB200 heaters must reach 60°C."
)


def _reply(request: ChatRequest) -> str:
    claims = [
        ("XB200 heaters", "must reach at least", "60°C"),
        ("the XB200 heater", "is controlled by", "a thermostat"),
        ("heater (XB200)", "shall reach", "60 °C"),
        ("heater (XB200)", "shall reach ≥", "60 °C"),
    ]
    return json.dumps({"claims": [dict(zip(("subject", "predicate", "object"), each, strict=True)) for each in claims]})


@pytest.fixture(params=[EmbeddedTripleExtractor, lambda: PromptedTripleExtractor(ScriptedChatModel(_reply))])
def extractor(request: pytest.FixtureRequest) -> TripleExtractor:
    built: TripleExtractor = request.param()
    return built


async def test_claims_come_in_normal_form_in_order_none_twice(extractor: TripleExtractor) -> None:
    found = await extractor.extract(TEXT)
    assert [(each.subject, each.predicate, each.object) for each in found.triples] == [
        ("heater (XB200)", "shall reach ≥", "60 °C"),
        ("heater (XB200)", "is controlled by", "thermostat"),
        ("heater (XB200)", "shall reach", "60 °C"),
    ]
