"""The extension ``golden`` of requests and answers."""

import json
from typing import Any

import pytest

from agent.chatbot import Chatbot
from agent.conversations import RecentConversations
from contracts.answer import Answer, ClarifyingOption, Step
from contracts.jargon import Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.text import Span
from library.records.rows import answer_from_json, answer_to_json
from serving.questions import conversation_named
from serving.wire import CompletionRequest
from tests.agent.scripted import Script
from tests.servers import OneModel
from tests.serving.running import Service, citation, serve

QUESTION = "What is VPP on DDR4?"


def test_clients_read_an_answer_by_these_names() -> None:
    sense = Sense(id=1, term="VPP", extended_name="Programming voltage")
    mention = Mention(text="vpp", span=Span(0, 3), term="VPP", corrected=True)
    answer = Answer(
        outcome="answered",
        text="2.5 V [1].",
        question="?",
        context="Memory",
        context_probability=0.9,
        readings=(Reading(mention=mention, status="chosen", sense=sense),),
        citations=(citation(1, quote_spans=(Span(0, 4),), heading_path=("DDR4",)),),
        options=(ClarifyingOption(number=1, sense=sense),),
        steps=(Step(node="retrieve", finding="", milliseconds=1, provenance=Provenance(implementation="embedded")),),
    )
    sent = json.loads(answer.model_dump_json(by_alias=True))
    assert sent["context"] == {"name": "Memory", "probability": 0.9}
    assert {"text": "vpp", "term": "VPP", "corrected": True}.items() <= sent["readings"][0].items()
    cited = {"document": "bus.pdf", "title": "", "passage": "", "spans": [[0, 4]], "headings": ["DDR4"]}
    assert cited.items() <= sent["citations"][0].items()
    assert {"number": 1, "term": "VPP", "extended_name": "Programming voltage"}.items() <= sent["options"][0].items()
    assert {"implementation": "embedded", "model": "", "degraded": ""}.items() <= sent["steps"][0].items()
    # Kept answers have the names of the Python API, and nothing twice.
    assert answer_to_json(answer)["citations"][0].keys().isdisjoint({"document", "spans"})
    assert answer_from_json(answer_to_json(answer)) == answer
    # Those of an older version may have names that are gone.
    assert answer_from_json({**answer_to_json(answer), "nearest": [{"document_id": "1", "page": 3}]}) == answer


async def test_passages_and_further_questions_come_to_those_who_ask_for_them(service: Service) -> None:
    wanted = body(QUESTION, passages=True, follow_ups=True)
    async with service.http() as http:
        plain = (await http.post("/v1/chat/completions", json=body(QUESTION))).json()["choices"][0]["message"]["golden"]
        whole = (await http.post("/v1/chat/completions", json=wanted)).json()["choices"][0]["message"]["golden"]
        streamed = await http.post("/v1/chat/completions", json={**wanted, "stream": True})
    assert (plain["citations"][0]["passage"], plain["citations"][0]["spans"], plain["follow_ups"]) == ("", [], [])
    (cited,) = whole["citations"]
    assert cited["passage"][slice(*cited["spans"][0])] == cited["quote"] == "VPP is 2.5 V on DDR4."
    # The one that was asked is not among them, nor what the reading has told already.
    assert whole["follow_ups"] == ["What is the row cycle time?", "When does the DLL lock?"]
    events = [json.loads(line[6:]) for line in streamed.text.splitlines() if line.startswith("data: {")]
    found = next(each["golden"]["citations"] for each in events if each.get("golden", {}).get("cited"))
    assert found[0]["passage"] == cited["passage"]


def body(question: str, **golden: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": question}], "golden": golden}


async def test_a_remembered_conversation_goes_on_without_its_earlier_messages() -> None:
    script = Script()
    bot = Chatbot(script.services(), conversations=RecentConversations())
    async with serve(script, models=OneModel(bot, "golden")) as service, service.http() as http:
        for question in (QUESTION, "And on DDR5?"):
            asked = body(question, conversation="levels", remembered=True)
            assert (await http.post("/v1/chat/completions", json=asked)).status_code == 200
        asked = body("And on DDR3?", conversation="levels", remembered=True)
        asked["messages"] = [{"role": "user", "content": QUESTION}, *asked["messages"]]
        refused = await http.post("/v1/chat/completions", json=asked)
    turns = await bot.history("levels", account="local")
    assert [turn.text for turn in turns if turn.role == "user"] == [QUESTION, "And on DDR5?"]
    assert refused.status_code == 400
    assert "remembered" in refused.json()["error"]["message"]


async def test_a_full_answer_is_the_one_that_the_bot_gave(service: Service) -> None:
    async with service.http() as http:
        plain = (await http.post("/v1/chat/completions", json=body(QUESTION))).json()
        full = (await http.post("/v1/chat/completions", json=body(QUESTION, full_answer=True))).json()
        streamed = await http.post("/v1/chat/completions", json=body(QUESTION, full_answer=True) | {"stream": True})
    assert plain["choices"][0]["message"]["golden"]["answer"] is None
    golden = full["choices"][0]["message"]["golden"]
    answer = answer_from_json(golden["answer"])
    assert (answer.status, answer.question) == (golden["outcome"], QUESTION)
    assert [each.passage_text != "" for each in answer.citations] == [True] * len(golden["citations"])
    events = [json.loads(line[6:]) for line in streamed.text.splitlines() if line.startswith("data: {")]
    (last,) = [each["golden"]["answer"] for each in events if "outcome" in each.get("golden", {})]
    assert answer_from_json(last).text == answer.text


def named(headers: dict[str, str] | None = None, **fields: Any) -> str:
    body = CompletionRequest.model_validate({"messages": [{"role": "user", "content": "Why?"}], **fields})
    return conversation_named(body, headers or {})


def test_what_names_it_first_counts() -> None:
    headers = {"x-openwebui-chat-id": "of-open-webui", "x-conversation-id": "of-librechat"}
    assert named() == ""
    assert named({"x-conversation-id": "of-librechat"}) == "of-librechat"
    assert named(headers) == "of-open-webui"
    assert named(headers, metadata={"conversation_id": "of-metadata"}) == "of-metadata"
    both = {"metadata": {"conversation_id": "of-metadata"}, "golden": {"conversation": " ours "}}
    assert named(headers, **both) == "ours"
    assert named(headers, golden={"conversation": " "}) == "of-open-webui"


def test_a_placeholder_that_nobody_filled_names_nothing() -> None:
    assert named({"x-conversation-id": "{{LIBRECHAT_BODY_CONVERSATIONID}}"}) == ""


def test_an_id_that_cannot_stand_in_an_address_is_told_by_its_digest(subtests: pytest.Subtests) -> None:
    for given in ["a/b", "export", "..", "ü", "x" * 201, "a b", "a?b", "\ud800"]:
        with subtests.test(given=given):
            found = named(golden={"conversation": given}) if given != "\ud800" else named({"x-conversation-id": given})
            assert len(found) == 32
            assert found.isalnum()
            assert found == named({"x-conversation-id": given})
            assert found != named({"x-conversation-id": f"{given}!"})
