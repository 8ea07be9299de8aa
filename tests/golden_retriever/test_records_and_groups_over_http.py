"""Whatever is asked of the whole bot with keys: what one may not read, and what others asked, reaches nobody else."""

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from evaluation.case_file import load_quiz
from tests.golden_retriever.keyed import CANARIES, PROXY, Keyed, Person, ask_the_chat, identity_of, keyed_server
from tests.serving.identity.provider import running_provider

pytestmark = pytest.mark.slow

LIMITED: dict[str, dict[str, Any]] = {
    "ask": {"scopes": ["ask"]},
    "manage": {"scopes": ["manage"]},
    "admin": {"scopes": ["admin"]},
    "every scope": {"scopes": ["ask", "manage", "admin"], "groups": ["everyone", "lab"]},
}
KEYS: dict[str, dict[str, Any]] = {
    **LIMITED,
    "all": {"scopes": ["ask", "manage", "admin"], "groups": None},
    "ada": {"scopes": ["ask"], "groups": None},
    "bob": {"scopes": ["ask"], "groups": ["everyone"]},
    "reviewer": {"scopes": ["manage"], "groups": ["everyone"]},
    "chief": {"scopes": ["manage"], "groups": None},
}
# People with every scope and the same groups, each with another kind of authentication.
PEOPLE = ("a token's person", "a proxy's person")
ROLES = '{"may-all": ["ask", "manage", "admin"]}'

PLR = "What does the PLR hold?"
QUESTIONS = (
    "What does VDM stand for?",
    "What does the VDM weigh?",
    "What does the PLR hold?",
    "What does ZORBLAXIT mean?",
    "What is the lattice made of?",
    "What is checked at noon?",
)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyed]:
    with (
        running_provider() as provider,
        keyed_server(tmp_path_factory.mktemp("keyed"), KEYS, **identity_of(provider, ROLES)) as running,
    ):
        token = provider.token(roles=["may-all"], groups=["lab", "/lab", "secret/x", "*", "SECRET"], exp=2**32)
        named = {"x-forwarded-user": "ada", "x-forwarded-groups": "lab,may-all,SECRET,secret/x"}
        running.people[PEOPLE[0]] = Person(headers={"authorization": f"Bearer {token}"})
        running.people[PEOPLE[1]] = Person(headers=named, peer=PROXY)
        yield running


def requests_of(server: Keyed, http: httpx.Client) -> Iterator[tuple[str, httpx.Response]]:
    """Yield every address that can be read, by the description of the API, and what is posted; with the response."""
    with server.client("all") as whole:
        described = whole.get("/openapi.json").json()["paths"]
        documents = [each["id"] for each in whole.get("/api/documents").json()["documents"]]
        jobs = [each["id"] for each in whole.get("/api/documents/jobs").json()]
        senses = [each["id"] for each in whole.get("/api/dictionary/senses").json()["items"]]
        models = [each["id"] for each in whole.get("/v1/models").json()["data"]]
        conversations = [each["id"] for each in whole.get("/api/conversations").json()["conversations"]]
    assert len(documents) == 3
    assert jobs
    assert len(senses) >= 2
    values: dict[str, list[Any]] = {
        "model": [*models, "golden/secret", "none"],
        "conversation_id": [*conversations[:2], "none"],
        "document_id": [*documents, "none"],
        "job_id": [*jobs, "none"],
        "sense_id": [*senses, 999],
        "name": ["Memory"],
        "page": [1, 9],
        "sheet": ["terms.csv", "contexts.csv"],
    }
    for path, operations in described.items():
        if "get" not in operations:
            continue
        names = re.findall(r"{(\w+)(?::path)?}", path)
        # A route with a parameter that is not listed above fails here: add possible values for it.
        for chosen in itertools.product(*(values[name] for name in names)):
            parts = iter(chosen)
            address = re.sub(r"{\w+(?::path)?}", lambda _: str(next(parts)), path)  # noqa: B023
            yield f"GET {address}", http.get(address)
    for question in QUESTIONS:
        asked = {"messages": [{"role": "user", "content": question}]}
        yield f"ask {question}", http.post("/v1/chat/completions", json=asked)
        yield f"stream {question}", http.post("/v1/chat/completions", json={**asked, "stream": True})
        yield f"read {question}", http.post("/api/dictionary/readings", json={"question": question})
    for number in senses:
        for state in ("published", "rejected", "draft"):
            path, match = f"/api/dictionary/senses/{number}", {"if-match": '"v999999"'}
            yield f"{state} {number}", http.patch(path, json={"state": state}, headers=match)


def canaries_in(response: httpx.Response) -> list[str]:
    text = f"{response.headers!r}\n{response.text}".lower()
    return [canary for canary in CANARIES if canary in text]


def test_no_route_reveals_a_forbidden_document(server: Keyed) -> None:
    with server.client("all") as whole:
        files = {"files": ("vantorin.txt", b"The Vantorin crew counts zorblaxite twice.")}
        job = whole.post("/api/documents", files=files, data={"group": "secret"}).json()
        events = whole.get(f"/api/documents/jobs/{job['id']}/events").text
        assert "vantorin.txt" in events, "the ingestion has ended"
        whole.post("/v1/chat/completions", json={"messages": [{"role": "user", "content": QUESTIONS[3]}]})
        seen = {name: response for name, response in requests_of(server, whole) if canaries_in(response)}
    ways = {name.split(" ")[0] + " " + name.split(" ")[1].split("?")[0] for name in seen if " " in name}
    # A person who may read everything sees them through all these routes, which shows that the check below can fail.
    assert {"GET /api/documents", "GET /api/dictionary/senses", "ask What", "stream What", "read What",
            "GET /api/documents/jobs"} <= ways  # fmt: skip
    for key in (*LIMITED, *PEOPLE):
        before = len(server.log.getvalue())
        with server.client(key) as http:
            for name, response in requests_of(server, http):
                assert not canaries_in(response), (key, name, response.status_code, response.text)
                assert response.status_code < 500, (key, name, response.text)
            upload = http.post("/api/documents", files={"files": ("a.txt", b"text")}, data={"group": "secret"})
            manages = key in PEOPLE or "manage" in LIMITED[key]["scopes"]
            assert upload.status_code == (404 if manages else 403)
        logged = server.log.getvalue()[before:].lower()
        own = [line for line in logged.splitlines() if any(canary in line for canary in CANARIES)]
        assert not own, (key, own)


def test_the_chat_answers_from_the_groups_of_the_key(server: Keyed) -> None:
    whole = ask_the_chat(server, "all", "What does the VDM weigh?")
    assert "zorblaxite" in whole.lower()
    for question in QUESTIONS:
        reply = ask_the_chat(server, "ask", question).lower()
        assert not [canary for canary in CANARIES if canary in reply], question
    assert "water level" in ask_the_chat(server, "ask", "What does the PLR hold?")


def ask_model(
    http: httpx.Client, model: str, text: str = PLR, headers: dict[str, str] | None = None, **fields: Any
) -> httpx.Response:
    body = {"model": model, "messages": [{"role": "user", "content": text}], **fields}
    return http.post("/v1/chat/completions", json=body, headers=headers)


def task(key: str, question: str) -> str:
    history = f"<chat_history>\nUSER: {question}\nASSISTANT: I looked it up.\n</chat_history>"
    typed = "<text>What does Q</text>" if key == "text" else ""
    return f'### Task:\nDo it.\n### Output:\nJSON format: {{ "{key}": "" }}\n### Chat History:\n{history}\n{typed}'


def test_model_of_a_group_answers_from_its_documents_only(server: Keyed) -> None:
    with server.client("all") as http:
        listed = [model["id"] for model in http.get("/v1/models").json()["data"]]
        everyone, secret = (ask_model(http, f"golden/{group}").json() for group in ("everyone", "secret"))
    assert listed == ["golden", "golden/everyone", "golden/secret"]
    assert everyone["model"] == "golden/everyone"
    assert everyone["sources"][0]["source"]["name"] == "pumps.txt, page 1"
    assert "zorblaxite" not in json.dumps(everyone)
    assert {source["metadata"][0]["file_id"] for source in secret["sources"]}.isdisjoint(
        source["metadata"][0]["file_id"] for source in everyone["sources"]
    )
    assert "zorblaxite" in secret["choices"][0]["message"]["content"]


def test_front_end_tasks_reveal_no_forbidden_documents(server: Keyed) -> None:
    questions = (PLR, "What does the VDM weigh?", "What is the lattice made of?")
    with server.client("ask") as http:
        for key, question in itertools.product(("title", "tags", "follow_ups", "queries", "text", "prompt"), questions):
            answer = ask_model(http, "golden", task(key, question))
            assert answer.status_code == 200, key
            assert answer.json()["choices"][0]["message"]["golden"]["task"] == key
            assert not [canary for canary in CANARIES if canary in answer.text.lower()], (key, question)


def test_follow_up_suggestions_come_from_all_readable_documents(server: Keyed) -> None:
    with server.client("all") as http:
        reply = ask_model(http, "golden", task("follow_ups", "zorblaxite lattice")).json()
    questions = json.loads(reply["choices"][0]["message"]["content"])["follow_ups"]
    assert any(canary in " ".join(questions).lower() for canary in CANARIES)


def ask(http: httpx.Client, question: str, **fields: Any) -> dict[str, Any]:
    response = ask_model(http, "golden", question, **fields)
    assert response.status_code == 200, response.text
    return dict(response.json()["choices"][0]["message"]["golden"])


def test_stored_questions_are_visible_to_their_asker_only(server: Keyed) -> None:
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
        assert bob.delete("/api/conversations").json() == {"conversations": 1}
        assert bob.get("/api/conversations").json()["conversations"] == []
        assert ada.get("/api/conversations/shared").status_code == 200


def test_title_change_requires_the_current_version(server: Keyed) -> None:
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


def test_reviewer_sees_readable_turns_and_can_make_test_cases(server: Keyed, tmp_path: Path) -> None:
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
