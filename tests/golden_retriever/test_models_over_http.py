"""Models of groups and front ends' own requests over a whole server with keys: nothing of what is forbidden is told."""

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.golden_retriever.keyed import CANARIES, Keyed, keyed_server

KEYS: dict[str, dict[str, Any]] = {"ask": {"scopes": ["ask"]}, "all": {"scopes": ["ask"], "groups": None}}
PATH = "/v1/chat/completions"
QUESTION = "What does the PLR hold?"
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyed]:
    with keyed_server(tmp_path_factory.mktemp("models"), KEYS) as running:
        yield running


def ask(http: httpx.Client, model: str, text: str = QUESTION, **fields: Any) -> httpx.Response:
    return http.post(PATH, json={"model": model, "messages": [{"role": "user", "content": text}], **fields})


def task(key: str, question: str) -> str:
    history = f"<chat_history>\nUSER: {question}\nASSISTANT: I looked it up.\n</chat_history>"
    typed = "<text>What does Q</text>" if key == "text" else ""
    return f'### Task:\nDo it.\n### Output:\nJSON format: {{ "{key}": "" }}\n### Chat History:\n{history}\n{typed}'


def test_a_model_of_a_group_answers_from_its_documents_alone(server: Keyed) -> None:
    with server.client("all") as http:
        listed = [model["id"] for model in http.get("/v1/models").json()["data"]]
        everyone, secret = (ask(http, f"golden/{group}").json() for group in ("everyone", "secret"))
    assert listed == ["golden", "golden/embedded", "golden/everyone", "golden/secret"]
    assert everyone["model"] == "golden/everyone"
    assert everyone["sources"][0]["source"]["name"] == "pumps.txt, page 1"
    assert "zorblaxite" not in json.dumps(everyone)
    assert {source["metadata"][0]["file_id"] for source in secret["sources"]}.isdisjoint(
        source["metadata"][0]["file_id"] for source in everyone["sources"]
    )
    assert "zorblaxite" in secret["choices"][0]["message"]["content"]


@pytest.mark.parametrize("key", ["title", "tags", "follow_ups", "queries", "text", "prompt"])
def test_a_front_ends_own_request_tells_nothing_of_forbidden_documents(server: Keyed, key: str) -> None:
    for question in (QUESTION, "What does the VDM weigh?", "What is the lattice made of?"):
        with server.client("ask") as http:
            answer = ask(http, "golden", task(key, question))
        assert answer.status_code == 200
        assert answer.json()["choices"][0]["message"]["golden"]["task"] == key
        assert not [canary for canary in CANARIES if canary in answer.text.lower()]


def test_further_questions_are_of_all_that_one_may_read(server: Keyed) -> None:
    with server.client("all") as http:
        content = ask(http, "golden", task("follow_ups", "zorblaxite lattice")).json()["choices"][0]["message"][
            "content"
        ]
    questions = json.loads(content)["follow_ups"]
    assert any(canary in " ".join(questions).lower() for canary in CANARIES)
