"""What a client may send, what is refused and how, how its conversation is named, and the names of our extension."""

import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from agent.chatbot import Chatbot
from contracts.answer import Answer, ClarifyingOption, Step
from contracts.jargon import Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.question import Asker
from contracts.text import Span
from library.records.rows import answer_from_json, answer_to_json
from serving.chat import ServedModel
from serving.questions import conversation_named, question_in
from serving.wire import CompletionRequest
from tests.agent.scripted import ListedConversations, Script
from tests.serving.running import Service, citation, serve
from tests.serving.test_replies import chunks_of

PATH = "/v1/chat/completions"
ASK: dict[str, Any] = {"messages": [{"role": "user", "content": "What is VPP on DDR4?"}]}


@pytest.fixture
async def http(service: Service) -> AsyncIterator[httpx.AsyncClient]:
    async with service.http() as opened:
        yield opened


async def streamed(service: Service, **fields: Any) -> str:
    """Return the content of a stream."""
    choices = [choice for chunk in await chunks_of(service, **fields) for choice in chunk["choices"]]
    return "".join(choice["delta"].get("content") or "" for choice in choices)


async def test_the_footer_can_be_left_out(service: Service) -> None:
    without = {"golden": {"footer": False}}
    text = await streamed(service, **without)
    assert text == "VPP is 2.5 V on DDR4 [1]."
    async with serve(Script(), footer=False) as bare:
        plain = await streamed(bare)
        asked = await streamed(bare, golden={"footer": True})
    assert plain == text
    assert asked.endswith("**Sources**\n\n- [1] bus.pdf, page 3")


async def test_irrelevant_request_fields_are_ignored(http: httpx.AsyncClient) -> None:
    fields = {
        "temperature": 9,
        "top_p": "high",
        "tools": [{"type": "function", "function": {"name": "f"}}],
        "response_format": {"type": "text"},
        "logprobs": True,
        "never_heard_of": {"deeply": ["nested"]},
        "stop": None,
        "max_tokens": None,
        "user": "ada",
        "metadata": {"ticket": "4711"},
    }
    response = await http.post(PATH, json={**ASK, **fields})
    odd = b'{"messages": [{"role": "user", "content": "What is VPP\\ud800 on DDR4?", "name": "x"}]}'
    surrogate = await http.post(PATH, content=odd, headers={"content-type": "application/json"})
    assert response.status_code == 200
    assert response.json()["choices"][0]["message"]["content"].startswith("VPP is 2.5 V on DDR4 [1].")
    assert surrogate.status_code in (200, 400)
    assert "Traceback" not in surrogate.text


async def test_picture_of_earlier_turn_does_not_end_the_conversation(service: Service, http: httpx.AsyncClient) -> None:
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,"}}
    messages: list[dict[str, Any]] = [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "text", "text": "What is this?"}, picture]},
        {"role": "assistant", "content": None, "tool_calls": []},
        {"role": "tool", "content": "42", "tool_call_id": "1"},
        {"role": "user", "content": "What is VPP on DDR4?"},
    ]
    answered = await http.post(PATH, json={"messages": messages})
    refused = await http.post(PATH, json={"messages": messages[:2]})
    assert answered.status_code == 200
    assert refused.status_code == 400
    assert refused.json()["error"]["param"] == "messages[1].content"
    assert "image_url" in refused.json()["error"]["message"]
    (history,) = service.script.rewriter.histories
    assert [turn.text for turn in history][:1] == ["What is this?"]


async def test_stored_answer_has_the_name_of_the_asker() -> None:
    script, kept = Script(), ListedConversations()
    bot = Chatbot(script.services(), conversations=kept)
    async with serve(script, chatbot=bot) as service, service.http() as http:
        answer = (await http.post(PATH, json={**ASK, "user": " Ada\tLovelace "})).json()
        await http.post(PATH, json={**ASK, "user": "x" * 500})
    first, second = (turn.asker for turn in kept.kept)
    assert (first.name, first.channel) == ("Ada Lovelace", "api")
    assert second.name == "x" * 100
    assert answer["choices"][0]["message"]["golden"]["turn_id"]


def test_answer_fields_have_their_documented_names() -> None:
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
    assert (sent["context"], sent["context_probability"]) == ("Memory", 0.9)
    assert {"text": "vpp", "term": "VPP", "corrected": True}.items() <= sent["readings"][0].items()
    cited = {"document": "bus.pdf", "title": "", "passage": "", "headings": ["DDR4"]}
    assert cited.items() <= sent["citations"][0].items()
    assert sent["options"][0]["sense"]["extended_name"] == "Programming voltage"
    assert sent["steps"][0]["provenance"]["implementation"] == "embedded"
    # Stored answers use the names of the Python API, and contain nothing twice.
    assert answer_to_json(answer)["citations"][0].keys().isdisjoint({"document", "passage"})
    assert answer_from_json(answer_to_json(answer)) == answer
    # Answers stored by an older version may contain fields that no longer exist.
    assert answer_from_json({**answer_to_json(answer), "nearest": [{"document_id": "1", "page": 3}]}) == answer


def named(headers: dict[str, str] | None = None, **fields: Any) -> str:
    body = CompletionRequest.model_validate({"messages": [{"role": "user", "content": "Why?"}], **fields})
    return conversation_named(body, headers or {})


def test_first_source_of_a_conversation_id_is_used() -> None:
    headers = {"x-openwebui-chat-id": "of-open-webui", "x-conversation-id": "of-librechat"}
    assert named() == ""
    assert named({"x-conversation-id": "of-librechat"}) == "of-librechat"
    assert named(headers) == "of-open-webui"
    assert named(headers, golden={"conversation": " ours "}) == "ours"
    assert named(headers, golden={"conversation": " "}) == "of-open-webui"
    # A placeholder that the client did not fill in.
    assert named({"x-conversation-id": "{{LIBRECHAT_BODY_CONVERSATIONID}}"}) == ""


def test_asker_name_includes_the_key_holder() -> None:
    body = CompletionRequest.model_validate({"messages": [{"role": "user", "content": "Why?"}], "user": "Ada"})
    assert question_in(body, {}, Asker(name="bot"), ServedModel()).asker.name == "Ada (bot)"


def test_conversation_id_unfit_for_an_address_is_replaced_by_its_digest(subtests: pytest.Subtests) -> None:
    for given in ["a/b", "export", "..", "ü", "x" * 201, "a b", "a?b", "\ud800"]:
        with subtests.test(given=given):
            found = named(golden={"conversation": given}) if given != "\ud800" else named({"x-conversation-id": given})
            assert len(found) == 32
            assert found.isalnum()
            assert found == named({"x-conversation-id": given})
            assert found != named({"x-conversation-id": f"{given}!"})


def question(text: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


async def test_a_bad_request_is_refused_by_name(subtests: pytest.Subtests, http: httpx.AsyncClient) -> None:
    for stream in [False, True]:
        for body, param, words in [
            ({}, "messages", "required"),
            ({"messages": []}, "messages", "at least 1"),
            ({"messages": [{"role": "wizard", "content": "hello"}]}, "messages[0].role", "user"),
            (question(7), "messages[0].content", "string"),
            (question(None), "messages", "empty"),
            (question("x" * 100_000), "messages", "at most 8000"),
            (question([{"type": "image_url", "image_url": {"url": "x"}}]), "messages[0].content", "image_url"),
            ({"messages": [{"role": "assistant", "content": "hello"}]}, "messages", "last message"),
            ({**ASK, "n": 2}, "n", "one answer"),
            ({**ASK, "stream": "perhaps"}, "stream", "boolean"),
            ({**ASK, "stop": ["a", "b", "c", "d", "e"]}, "stop", "at most 4"),
            ({**ASK, "stop": ["a", 7]}, "stop[1]", "string"),
            ({**ASK, "max_tokens": 0}, "max_tokens", ""),
            ({**ASK, "golden": {"footer": "sometimes"}}, "golden.footer", ""),
            ({**ASK, "golden": {"picks": [{}]}}, "golden.picks[0].term", ""),
        ]:
            with subtests.test(body=body, param=param, words=words, stream=stream):
                response = await http.post(PATH, json={"stream": stream, **body})
                error = response.json()["error"]
                assert response.status_code == 400
                assert error["type"] == "invalid_request_error"
                assert error["param"] == param
                assert words in error["message"]
                assert set(error) == {"message", "type", "param", "code"}


async def test_malformed_json_is_a_400(subtests: pytest.Subtests, http: httpx.AsyncClient) -> None:
    for content in [
        b"", b"{", b'{"messages": [', b"hello", b"[]", b'"text"', b"null", b"\xff\xfe", b"[" * 5_000,
        b'{"messages": NaN}',
    ]:  # fmt: skip
        with subtests.test(content=content):
            response = await http.post(PATH, content=content, headers={"content-type": "application/json"})
            assert response.status_code == 400
            assert response.json()["error"]["type"] == "invalid_request_error"
            assert "Traceback" not in response.text


async def test_errors_for_forms_unknown_paths_and_methods_have_the_same_body(http: httpx.AsyncClient) -> None:
    headers = {"content-type": "text/plain", "x-golden-request": "1"}
    form = await http.post(PATH, content=b"messages=hello", headers=headers)
    missing = await http.get("/v1/nothing")
    wrong = await http.get(PATH)
    assert (form.status_code, "application/json" in form.json()["error"]["message"]) == (400, True)
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (405, "method_not_allowed")
    assert wrong.headers["allow"] == "POST"


async def test_every_response_carries_a_request_id(http: httpx.AsyncClient) -> None:
    own = await http.post(PATH, json=ASK, headers={"x-request-id": "abc-123"})
    made = await http.post(PATH, json={})
    odd = await http.get("/healthz", headers={"x-request-id": "a b <script>"})
    assert own.headers.get_list("x-request-id") == ["abc-123"]
    assert len(made.headers["x-request-id"]) == 32
    assert len(odd.headers["x-request-id"]) == 32
