"""What goes wrong, over raw HTTP."""

from typing import Any

import pytest

from tests.serving.running import Service

PATH = "/v1/chat/completions"
ASK = {"messages": [{"role": "user", "content": "What is VPP on DDR4?"}]}


def question(text: Any) -> dict[str, Any]:
    return {"messages": [{"role": "user", "content": text}]}


async def test_a_bad_request_is_refused_by_name(subtests: pytest.Subtests, service: Service) -> None:
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
            ({**ASK, "stop": ["a", "b", "c", "d", "e"]}, "stop", ""),
            ({**ASK, "max_tokens": 0}, "max_tokens", ""),
            ({**ASK, "golden": {"footer": "sometimes"}}, "golden.footer", ""),
            ({**ASK, "golden": {"picks": [{}]}}, "golden.picks[0].term", ""),
        ]:
            with subtests.test(body=body, param=param, words=words, stream=stream):
                async with service.http() as http:
                    response = await http.post(PATH, json={"stream": stream, **body})
                error = response.json()["error"]
                assert response.status_code == 400
                assert error["type"] == "invalid_request_error"
                assert error["param"] == param
                assert words in error["message"]
                assert set(error) == {"message", "type", "param", "code"}


async def test_malformed_json_is_a_400(subtests: pytest.Subtests, service: Service) -> None:
    for content in [
        b"", b"{", b'{"messages": [', b"hello", b"[]", b'"text"', b"null", b"\xff\xfe", b"[" * 5_000,
        b'{"messages": NaN}',
    ]:  # fmt: skip
        with subtests.test(content=content):
            async with service.http() as http:
                response = await http.post(PATH, content=content, headers={"content-type": "application/json"})
            assert response.status_code == 400
            assert response.json()["error"]["type"] == "invalid_request_error"
            assert "Traceback" not in response.text


async def test_errors_for_forms_unknown_paths_and_methods_have_the_same_body(service: Service) -> None:
    async with service.http() as http:
        headers = {"content-type": "text/plain", "x-golden-request": "1"}
        form = await http.post(PATH, content=b"messages=hello", headers=headers)
        missing = await http.get("/v1/nothing")
        wrong = await http.get(PATH)
    assert (form.status_code, "application/json" in form.json()["error"]["message"]) == (400, True)
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "not_found")
    assert (wrong.status_code, wrong.json()["error"]["code"]) == (405, "method_not_allowed")
    assert wrong.headers["allow"] == "POST"


async def test_every_response_carries_a_request_id(service: Service) -> None:
    async with service.http() as http:
        own = await http.post(PATH, json=ASK, headers={"x-request-id": "abc-123"})
        made = await http.post(PATH, json={})
        odd = await http.get("/healthz", headers={"x-request-id": "a b <script>"})
    assert own.headers.get_list("x-request-id") == ["abc-123"]
    assert len(made.headers["x-request-id"]) == 32
    assert len(odd.headers["x-request-id"]) == 32
