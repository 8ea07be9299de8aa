"""Which conversation a request belongs to."""

from typing import Any

import pytest

from serving.questions import conversation_named
from serving.wire import CompletionRequest


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
