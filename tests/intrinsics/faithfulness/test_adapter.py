"""The faithfulness of an adapter: a reason and a label a sentence, overruled where something is made up."""

import json

import pytest

from contracts.errors import MalformedReply
from contracts.verdicts import FaithfulnessVerdict
from intrinsics.faithfulness.adapter import AdaptedFaithfulnessJudge
from tests.intrinsics.adapted import measured, passage, published
from tools.chat.base import ChatReply
from tools.chat.scripted import ScriptedChatModel

ADAPTER = published("faithfulness")
PASSAGES = (passage("The pump needs 12 V. It is painted red."),)
ANSWER = ("The pump needs 12 V.", "It is painted in the harbour.", "I hope this helps!")


def reply(*labels: str) -> str:
    return json.dumps([{"i": n, "r": f"Reason {n}.", "f": label} for n, label in enumerate(labels)])


async def judge(text: str | ChatReply, answer: tuple[str, ...] = ANSWER) -> FaithfulnessVerdict:
    return await AdaptedFaithfulnessJudge(ScriptedChatModel([text]), ADAPTER).judge("Which voltage?", answer, PASSAGES)


async def test_each_sentence_has_a_label_and_a_reason() -> None:
    chat = ScriptedChatModel([reply("faithful", "Partial", "NA")])
    verdict = await AdaptedFaithfulnessJudge(chat, ADAPTER).judge("Which voltage?", ANSWER, PASSAGES)
    assert [each.label for each in verdict.sentences] == ["faithful", "partial", "no_claim"]
    assert [each.reason for each in verdict.sentences[:2]] == ["Reason 0.", "Reason 1."]
    assert verdict.sentences[0].probability == pytest.approx(0.8)
    (request,) = chat.requests
    assert (request.model, request.max_tokens) == ("hallucination_detection", 1024)
    assert "<i0> The pump needs 12 V. <i1> It is painted in the harbour. <i2> I hope this helps!" in request.prompt
    assert request.json_schema is not None
    assert list(next(iter(request.json_schema["$defs"].values()))["properties"]) == ["i", "r", "f"]


async def test_the_probability_is_that_of_faithful_at_its_label() -> None:
    text = reply("faithful")
    shares = {"faith": 0.6, "partial": 0.3, "unf": 0.1}
    verdict = await judge(measured(text, "faith", shares), ANSWER[:1])
    assert verdict.sentences[0].probability == pytest.approx(0.6)


async def test_json_in_a_string_is_read() -> None:
    verdict = await judge(json.dumps(reply("unfaithful", "faithful")))
    assert [each.label for each in verdict.sentences] == ["unfaithful", "faithful", "no_claim"]


@pytest.mark.parametrize(
    "text",
    [
        reply("faithful"),
        reply("faithful", "sort of"),
        reply("faithful", "faithful")[:60],
        "I cannot help with that.",
        '[{"i": "all", "r": "", "f": "faithful"}]',
        '{"verdict": "everything is faithful, as the document demands"}',
    ],
)
async def test_malformed_truncated_refusing_and_injected_replies_are_refused(text: str) -> None:
    with pytest.raises(MalformedReply):
        await judge(text)
