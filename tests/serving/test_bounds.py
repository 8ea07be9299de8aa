"""What a client bounds: where its answer ends, and what of the citations is left."""

import itertools
import json
from typing import Any

import pytest

from agent.chatbot import Chatbot
from contracts.answer import Answer
from serving.replies import cut_answer
from tests.agent.scripted import ListedConversations, Script, ScriptedWriter
from tests.servers import OneModel
from tests.serving.running import Service, citation, serve

TEXT = "VPP is 2.5 V on DDR4 [1]. The DLL locks in 512 clock cycles [2]."
FOOTER = "\n\n**Sources**\n\n- [1] bus.pdf, page 1\n- [2] bus.pdf, page 2"
PATH = "/v1/chat/completions"
ASK: dict[str, Any] = {"messages": [{"role": "user", "content": "What is VPP on DDR4?"}]}


ANSWER = Answer(
    outcome="answered",
    text=TEXT,
    question="?",
    citations=(citation(1), citation(2)),
)


def test_an_answer_ends_where_its_client_wants(subtests: pytest.Subtests) -> None:
    for stops, tokens, content, reason, numbers in [
        ((), None, TEXT + FOOTER, "stop", [1, 2]),
        ((" The DLL",), None, "VPP is 2.5 V on DDR4 [1].", "stop", [1]),
        (("512", "DDR4"), None, "VPP is 2.5 V on ", "stop", []),
        # Where the text ends, the answer has ended: nothing of the footer is left of what follows.
        (("\n\n",), None, TEXT, "stop", [1, 2]),
        # "VPP is 2.5 V on DDR4 [" is not left with half a marker.
        ((), 6, "VPP is 2.5 V on DDR4 [1]", "length", [1]),
        # The whole text has room, but not the footer: that is no answer cut short.
        ((), 17, TEXT, "stop", [1, 2]),
        (("512",), 2, "VPP is 2", "length", []),
    ]:
        with subtests.test(stops=stops, tokens=tokens, content=content, reason=reason, numbers=numbers):
            cut = cut_answer(ANSWER, stops=stops, most_tokens=tokens, footer=True)
            assert ("".join(cut.pieces()), cut.finish_reason) == (content, reason)
            assert [each.number for each in cut.answer.citations] == numbers


def test_a_marker_is_whole_or_gone() -> None:
    # Shifted by each length that is no whole token: the cut falls at every place of a marker.
    for shift, tokens in itertools.product(range(4), range(1, 20)):
        answer = ANSWER.model_copy(update={"text": "x" * shift + TEXT})
        text = cut_answer(answer, stops=(), most_tokens=tokens, footer=True).answer.text
        assert text.count("[") == text.count("]"), text
        assert len(text) <= 4 * tokens


async def streamed(service: Service, **fields: Any) -> tuple[str, list[str], list[dict[str, Any]]]:
    """Return the content of a stream, its pieces, and its chunks."""
    async with service.http() as http:
        response = await http.post(PATH, json={**ASK, "stream": True, **fields})
    lines = [line.removeprefix("data: ") for line in response.text.splitlines() if line]
    assert lines[-1] == "[DONE]"
    chunks = [json.loads(line) for line in lines[:-1]]
    pieces = [choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"]]
    return "".join(pieces), [piece for piece in pieces if piece], chunks


async def test_a_bounded_answer_is_the_same_streamed_and_whole(subtests: pytest.Subtests) -> None:
    for fields, content, reason, quotes in [
        # The stop begins in one piece of the stream and ends in the next.
        ({"stop": "DDR4 [1]. The DLL"}, "VPP is 2.5 V on ", "stop", 0),
        ({"max_tokens": 2, "max_completion_tokens": 7}, "VPP is 2.5 V on DDR4 [1]. Th", "length", 1),
    ]:
        with subtests.test(fields=fields, content=content, reason=reason, quotes=quotes):
            script = Script(writer=ScriptedWriter(["VPP is 2.5 V on DDR4. The DLL locks in 512 clock cycles."]))
            async with serve(script) as service:
                text, _, chunks = await streamed(service, **fields)
                async with service.http() as http:
                    whole = (await http.post(PATH, json={**ASK, **fields})).json()
            last = chunks[-1]
            assert text == whole["choices"][0]["message"]["content"] == content
            assert last["choices"][0]["finish_reason"] == whole["choices"][0]["finish_reason"] == reason
            assert len(last["golden"]["citations"]) == len(last["annotations"]) == len(whole["sources"]) == quotes


async def test_the_footer_can_be_left_out(service: Service) -> None:
    without = {"golden": {"footer": False}}
    text, _, _ = await streamed(service, **without)
    assert text == "VPP is 2.5 V on DDR4 [1]."
    async with serve(Script(), footer=False) as bare:
        plain, _, _ = await streamed(bare)
        asked, _, _ = await streamed(bare, golden={"footer": True})
    assert plain == text
    assert asked.endswith("**Sources**\n\n- [1] bus.pdf, page 3")


async def test_what_does_not_matter_here_is_read_past(service: Service) -> None:
    fields = {
        "temperature": 9,
        "top_p": "high",
        "frequency_penalty": 2,
        "presence_penalty": None,
        "logit_bias": {"50256": -100},
        "seed": 1,
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "tool_choice": "auto",
        "parallel_tool_calls": True,
        "response_format": {"type": "text"},
        "store": True,
        "reasoning_effort": "high",
        "logprobs": True,
        "top_logprobs": 3,
        "service_tier": "auto",
        "modalities": ["text"],
        "never_heard_of": {"deeply": ["nested"]},
        "stop": None,
        "max_tokens": None,
        "user": "ada",
        "metadata": {"ticket": "4711"},
    }
    async with service.http() as http:
        response = await http.post(PATH, json={**ASK, **fields})
    assert response.status_code == 200
    assert response.json()["choices"][0]["message"]["content"].startswith("VPP is 2.5 V on DDR4 [1].")
    assert response.json()["metadata"] == {"ticket": "4711"}


async def test_a_picture_of_an_earlier_turn_does_not_end_the_conversation(service: Service) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}
    messages: list[dict[str, Any]] = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "What is this?"}, picture]},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "content": "42", "tool_call_id": "1"},
        {"role": "user", "content": "What is VPP on DDR4?"},
    ]
    async with service.http() as http:
        answered = await http.post(PATH, json={"messages": messages})
        refused = await http.post(PATH, json={"messages": messages[:2]})
    assert answered.status_code == 200
    assert refused.status_code == 400
    assert refused.json()["error"]["param"] == "messages[1].content"
    assert "image_url" in refused.json()["error"]["message"]
    (history,) = service.script.rewriter.histories
    assert [turn.text for turn in history][:1] == ["What is this?"]


async def test_who_asks_stands_with_the_answer_that_is_kept() -> None:
    script, kept = Script(), ListedConversations()
    models = OneModel(Chatbot(script.services(), conversations=kept), "golden")
    async with serve(script, models=models) as service, service.http() as http:
        answer = (await http.post(PATH, json={**ASK, "user": " Ada\tLovelace "})).json()
        await http.post(PATH, json={**ASK, "user": "x" * 500}, headers={"x-golden-user": "Open WebUI"})
    first, second = (turn.asker for turn in kept.kept)
    assert (first.name, first.channel) == ("Ada Lovelace", "api")
    assert second.name == f"{'x' * 100} (Open WebUI)"
    assert answer["choices"][0]["message"]["golden"]["turn_id"]
