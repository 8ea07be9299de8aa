"""The whole bot with keys of two people and a reviewer: what each of them asked is theirs, on every way."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from evaluation.case_file import load_quiz
from tests.golden_retriever.keyed import CANARIES, Keyed, ask_the_chat, keyed_server

KEYS: dict[str, dict[str, Any]] = {
    "ada": {"scopes": ["ask"], "groups": None},
    "bob": {"scopes": ["ask"], "groups": ["everyone"]},
    "reviewer": {"scopes": ["manage"], "groups": ["everyone"]},
    "chief": {"scopes": ["manage"], "groups": None},
    "root": {"scopes": ["admin"], "groups": ["everyone"]},
}
# A whole server with every part, asked on every way in.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("records")


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Keyed]:
    with keyed_server(folder, KEYS, contact="Eve") as running:
        yield running


def ask(http: httpx.Client, question: str, *, headers: dict[str, str] | None = None, **fields: Any) -> dict[str, Any]:
    body = {"messages": [{"role": "user", "content": question}], **fields}
    response = http.post("/v1/chat/completions", json=body, headers=headers or {})
    assert response.status_code == 200, response.text
    golden: dict[str, Any] = response.json()["choices"][0]["message"]["golden"]
    return golden


def test_what_is_asked_is_kept_for_whoever_asked_it_alone(server: Keyed) -> None:
    with server.client("ada") as ada, server.client("bob") as bob:
        golden = ask(ada, "What does the PLR hold?", golden={"conversation": "shared"})
        assert golden["conversation_id"] == "shared"
        ask(bob, "What does PLR stand for?", headers={"x-openwebui-chat-id": "shared"})
        ask(bob, "Is it deep?", golden={"conversation": "a/b"})
        for http, question in ((ada, "What does the PLR hold?"), (bob, "What does PLR stand for?")):
            shown = http.get("/api/conversations/shared").json()
            assert [each["question"] for each in shown["turns"]] == [question]
        assert golden["turn_id"] == ada.get("/api/conversations/shared").json()["turns"][0]["id"]
        listed = bob.get("/api/conversations").json()
        assert (listed["kept"], listed["days"], len(listed["conversations"])) == (True, 365, 2)
        for path in ("/api/conversations/none", "/api/conversations/none/export"):
            assert bob.get(path).status_code == 404
        opinion = {"turn": golden["turn_id"], "verdict": "up"}
        assert bob.post("/api/feedback", json=opinion).status_code == 404
        assert bob.delete("/api/conversations/shared").status_code == 204
        assert ada.get("/api/conversations/shared").status_code == 200


def test_a_title_changes_at_the_version_that_was_seen(server: Keyed) -> None:
    with server.client("ada") as ada:
        ask(ada, "What does the PLR hold?", golden={"conversation": "titled"})
        shown = ada.get("/api/conversations/titled")
        tag = {"if-match": shown.headers["etag"]}
        renamed = ada.patch("/api/conversations/titled", json={"title": "The register"}, headers=tag)
        assert (renamed.status_code, renamed.json()["title"]) == (200, "The register")
        late = ada.patch("/api/conversations/titled", json={"title": "Another"}, headers=tag)
        assert (late.status_code, late.json()["error"]["code"]) == (412, "precondition_failed")
        found = ada.get("/api/conversations", params={"text": "REGISTER", "limit": 1}).json()
        assert [each["id"] for each in found["conversations"]] == ["titled"]
        text = ada.get("/api/conversations/titled/export")
        assert text.headers["content-type"] == "text/markdown; charset=utf-8"
        assert 'pumps.txt, page 1: "The Pump Level Register (PLR) holds' in text.text
        read = json.loads(ada.get("/api/conversations/export", params={"format": "json"}).text)
        (exported,) = [each for each in read["conversations"] if each["id"] == "titled"]
        assert exported["turns"][0]["golden"]["outcome"] == "answered"


def test_the_chat_keeps_what_it_answers_with_the_account(server: Keyed) -> None:
    ask_the_chat(server, "bob", "What does the PLR hold?")
    with server.client("bob") as bob, server.client("ada") as ada:
        kept = bob.get("/api/conversations").json()["conversations"]
        turns = [turn for each in kept for turn in bob.get(f"/api/conversations/{each['id']}").json()["turns"]]
        assert "chat" in {turn["channel"] for turn in turns}
        ours = {each["id"] for each in ada.get("/api/conversations").json()["conversations"]}
        assert {turn["conversation"] for turn in turns if turn["channel"] == "chat"}.isdisjoint(ours)


def test_a_reviewer_sees_what_they_may_read_and_makes_a_case_of_it(server: Keyed, tmp_path: Path) -> None:
    with server.client("ada") as ada, server.client("bob") as bob:
        secret = ask(ada, "What does the VDM weigh?")
        opinion = {"turn": secret["turn_id"], "verdict": "down", "text": "Vantorin, not zorblaxite"}
        assert ada.post("/api/feedback", json=opinion).status_code == 200
        asked = ask(bob, "What does the PLR hold?")
        feedback = {"turn": asked["turn_id"], "verdict": "down", "reason": "incomplete", "text": "Of which pump?"}
        first = bob.post("/api/feedback", json={**feedback, "verdict": "up"})
        again = bob.post("/api/feedback", json=feedback)
        assert (first.json()["verdict"], again.json()["verdict"]) == ("up", "down")
        assert first.headers["etag"] != again.headers["etag"]
    with server.client("chief") as chief:
        listed = chief.get("/api/review", params={"concern": "thumbs_down"}).json()
        assert {each["id"] for each in listed["items"]} >= {secret["turn_id"], asked["turn_id"]}
        assert any(canary in json.dumps(listed).lower() for canary in CANARIES)
    with server.client("reviewer") as reviewer:
        for path in ("/api/review", "/api/overview", "/api/review/cases/export"):
            assert not [each for each in CANARIES if each in reviewer.get(path).text.lower()], path
        assert reviewer.post(f"/api/review/{secret['turn_id']}/case", json={"answer": "x"}).status_code == 404
        (item,) = reviewer.get("/api/review", params={"concern": "thumbs_down"}).json()["items"]
        assert (item["id"], item["who"], item["concerns"][0]) == (asked["turn_id"], "bob", "thumbs_down")
        assert item["feedback"]["text"] == "Of which pump?"
        path = f"/api/review/{asked['turn_id']}"
        without_expectation = reviewer.post(f"{path}/case", json={})
        assert (without_expectation.status_code, without_expectation.json()["error"]["param"]) == (422, "expect")
        case = reviewer.post(f"{path}/case", json={"answer": "water level", "document": "pumps.txt", "page": 1})
        assert case.status_code == 201, case.text
        (tmp_path / "cases.jsonl").write_bytes(reviewer.get("/api/review/cases/export").content)
        (line,) = load_quiz(tmp_path / "cases.jsonl")
        assert (line.question, line.expect, line.answer) == ("What does the PLR hold?", "answered", "water level")
        overview = reviewer.get("/api/overview").json()
        assert (overview["days"][-1]["thumbs_down"], overview["days"][-1]["day"]) == (1, overview["last_day"])


def test_deleted_conversations_are_gone(server: Keyed) -> None:
    for key in ("ada", "bob"):
        ask_the_chat(server, key, "What does the PLR hold?")
    with server.client("ada") as ada, server.client("bob") as bob:
        assert ada.delete("/api/conversations").json()["conversations"] >= 1
        assert ada.get("/api/conversations").json()["conversations"] == []
        chats = [each["id"] for each in bob.get("/api/conversations").json()["conversations"]]
        assert chats
        for conversation in chats:
            assert bob.delete(f"/api/conversations/{conversation}").status_code == 204
        assert bob.get("/api/conversations").json()["conversations"] == []
