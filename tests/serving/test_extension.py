"""The extension ``golden`` of requests and answers."""

import json
from typing import Any

import pytest

from contracts.answer import Answer, ClarifyingOption, Step
from contracts.jargon import Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.question import Asker
from contracts.text import Span
from library.records.rows import answer_from_json, answer_to_json
from serving.chat import ServedModel
from serving.questions import conversation_named, question_in
from serving.wire import CompletionRequest
from tests.serving.running import citation

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


def named(headers: dict[str, str] | None = None, **fields: Any) -> str:
    body = CompletionRequest.model_validate({"messages": [{"role": "user", "content": "Why?"}], **fields})
    return conversation_named(body, headers or {})


def test_what_names_it_first_counts() -> None:
    headers = {"x-openwebui-chat-id": "of-open-webui", "x-conversation-id": "of-librechat"}
    assert named() == ""
    assert named({"x-conversation-id": "of-librechat"}) == "of-librechat"
    assert named(headers) == "of-open-webui"
    assert named(headers, golden={"conversation": " ours "}) == "ours"
    assert named(headers, golden={"conversation": " "}) == "of-open-webui"
    # A placeholder that nobody filled.
    assert named({"x-conversation-id": "{{LIBRECHAT_BODY_CONVERSATIONID}}"}) == ""


def test_who_holds_a_key_does_not_hide_behind_the_person_that_they_ask_for() -> None:
    body = CompletionRequest.model_validate({"messages": [{"role": "user", "content": "Why?"}], "user": "Ada"})
    assert question_in(body, {}, Asker(name="bot"), ServedModel()).asker.name == "Ada (bot)"


def test_an_id_that_cannot_stand_in_an_address_is_told_by_its_digest(subtests: pytest.Subtests) -> None:
    for given in ["a/b", "export", "..", "ü", "x" * 201, "a b", "a?b", "\ud800"]:
        with subtests.test(given=given):
            found = named(golden={"conversation": given}) if given != "\ud800" else named({"x-conversation-id": given})
            assert len(found) == 32
            assert found.isalnum()
            assert found == named({"x-conversation-id": given})
            assert found != named({"x-conversation-id": f"{given}!"})
