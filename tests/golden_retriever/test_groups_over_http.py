"""What a key may not read never reaches whoever holds it, on any way in; what it may, does."""

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.golden_retriever.keyed import CANARIES, PROXY, Keyed, Person, ask_the_chat, identity_of, keyed_server
from tests.serving.identity.provider import running_provider

LIMITED: dict[str, dict[str, Any]] = {
    "ask": {"scopes": ["ask"]},
    "manage": {"scopes": ["manage"]},
    "admin": {"scopes": ["admin"]},
    "every scope": {"scopes": ["ask", "manage", "admin"], "groups": ["everyone", "lab"]},
}
KEYS = {**LIMITED, "all": {"scopes": ["ask", "manage", "admin"], "groups": None}}
# People with every scope who have the same groups, each known in another way.
PEOPLE = ("a token's person", "a proxy's person")
ROLES = '{"may-all": ["ask", "manage", "admin"]}'
# A whole server with every part, asked on every way in.
pytestmark = pytest.mark.slow

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
        "sheet": ["terms.csv", "terms.xlsx", "contexts.csv"],
    }
    for path, operations in described.items():
        if "get" not in operations:
            continue
        names = re.findall(r"{(\w+)(?::path)?}", path)
        query = {"/api/dictionary/lookup": "?term=PLR&term=VDM", "/api/dictionary/queue": "?near=true"}.get(path, "")
        # A route with a parameter that is not named above fails here: say what it may be.
        for chosen in itertools.product(*(values[name] for name in names)):
            parts = iter(chosen)
            address = re.sub(r"{\w+(?::path)?}", lambda _: str(next(parts)), path) + query  # noqa: B023
            yield f"GET {address}", http.get(address)
    for question in QUESTIONS:
        asked = {"messages": [{"role": "user", "content": question}]}
        yield f"ask {question}", http.post("/v1/chat/completions", json=asked)
        yield f"stream {question}", http.post("/v1/chat/completions", json={**asked, "stream": True})
        yield f"read {question}", http.post("/api/dictionary/readings", json={"question": question})
    for number in senses:
        for state in ("published", "rejected", "draft"):
            path, match = f"/api/dictionary/senses/{number}", {"if-match": '"999999.1"'}
            yield f"{state} {number}", http.patch(path, json={"state": state}, headers=match)


def canaries_in(response: httpx.Response) -> list[str]:
    text = f"{response.headers!r}\n{response.text}".lower()
    return [canary for canary in CANARIES if canary in text]


def test_nothing_of_a_forbidden_document_is_told_on_any_way_in(server: Keyed) -> None:
    with server.client("all") as whole:
        files = {"files": ("vantorin.txt", b"The Vantorin crew counts zorblaxite twice.")}
        job = whole.post("/api/documents", files=files, data={"group": "secret"}).json()
        events = whole.get(f"/api/documents/jobs/{job['id']}/events").text
        assert "vantorin.txt" in events, "the ingestion has ended"
        whole.post("/v1/chat/completions", json={"messages": [{"role": "user", "content": QUESTIONS[3]}]})
        seen = {name: response for name, response in requests_of(server, whole) if canaries_in(response)}
    ways = {name.split(" ")[0] + " " + name.split(" ")[1].split("?")[0] for name in seen if " " in name}
    # Whoever may read everything sees them on all these ways: the test below can fail.
    assert {"GET /api/documents", "GET /api/dictionary/candidates", "GET /api/dictionary/queue",
            "GET /api/dictionary/senses", "ask What", "stream What", "read What",
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


def test_a_manager_sees_and_changes_what_their_documents_say(server: Keyed) -> None:
    with server.client("manage") as http:
        (document,) = http.get("/api/documents").json()["documents"]
        assert document["path"].endswith("pumps.txt")
        # The secret document defines PLR, too: whoever may read both sees the draft, and decides.
        assert http.get("/api/dictionary/candidates").json()["items"] == []
        overview = http.get("/api/dictionary").json()
        assert (overview["counts"]["draft"], overview["user"]) == (0, "manage")
        with server.client("all") as whole:
            listed = whole.get("/api/dictionary/candidates").json()["items"]
        (sense,) = [each["sense"] for each in listed if each["sense"]["term"] == "PLR"]
        path, match = f"/api/dictionary/senses/{sense['id']}", {"if-match": sense["etag"]}
        assert http.patch(path, json={"state": "published"}, headers=match).status_code == 404
        added = http.post("/api/dictionary/senses", json={"term": "TNK", "extended_name": "Tank"})
        assert added.status_code == 201
        assert http.get("/api/dictionary/export/terms.csv").status_code == 403
    with server.client("all") as whole:
        drafts = {each["sense"]["term"] for each in whole.get("/api/dictionary/candidates").json()["items"]}
        assert {"PLR", "VDM"} <= drafts
        (added,) = whole.get("/api/dictionary/senses", params={"term": "TNK"}).json()["items"]
        assert added["changed_by"] == "manage"


def test_the_chat_answers_from_the_groups_of_the_key(server: Keyed) -> None:
    whole = ask_the_chat(server, "all", "What does the VDM weigh?")
    assert "zorblaxite" in whole.lower()
    for question in QUESTIONS:
        reply = ask_the_chat(server, "ask", question).lower()
        assert not [canary for canary in CANARIES if canary in reply], question
    assert "water level" in ask_the_chat(server, "ask", "What does the PLR hold?")


def ask(http: httpx.Client, model: str, text: str = PLR, **fields: Any) -> httpx.Response:
    return http.post(
        "/v1/chat/completions", json={"model": model, "messages": [{"role": "user", "content": text}], **fields}
    )


def task(key: str, question: str) -> str:
    history = f"<chat_history>\nUSER: {question}\nASSISTANT: I looked it up.\n</chat_history>"
    typed = "<text>What does Q</text>" if key == "text" else ""
    return f'### Task:\nDo it.\n### Output:\nJSON format: {{ "{key}": "" }}\n### Chat History:\n{history}\n{typed}'


def test_a_model_of_a_group_answers_from_its_documents_alone(server: Keyed) -> None:
    with server.client("all") as http:
        listed = [model["id"] for model in http.get("/v1/models").json()["data"]]
        everyone, secret = (ask(http, f"golden/{group}").json() for group in ("everyone", "secret"))
    assert listed == ["golden", "golden/everyone", "golden/secret"]
    assert everyone["model"] == "golden/everyone"
    assert everyone["sources"][0]["source"]["name"] == "pumps.txt, page 1"
    assert "zorblaxite" not in json.dumps(everyone)
    assert {source["metadata"][0]["file_id"] for source in secret["sources"]}.isdisjoint(
        source["metadata"][0]["file_id"] for source in everyone["sources"]
    )
    assert "zorblaxite" in secret["choices"][0]["message"]["content"]


def test_a_front_ends_own_request_tells_nothing_of_forbidden_documents(server: Keyed) -> None:
    questions = (PLR, "What does the VDM weigh?", "What is the lattice made of?")
    with server.client("ask") as http:
        for key, question in itertools.product(("title", "tags", "follow_ups", "queries", "text", "prompt"), questions):
            answer = ask(http, "golden", task(key, question))
            assert answer.status_code == 200, key
            assert answer.json()["choices"][0]["message"]["golden"]["task"] == key
            assert not [canary for canary in CANARIES if canary in answer.text.lower()], (key, question)


def test_further_questions_are_of_all_that_one_may_read(server: Keyed) -> None:
    with server.client("all") as http:
        content = ask(http, "golden", task("follow_ups", "zorblaxite lattice")).json()["choices"][0]["message"][
            "content"
        ]
    questions = json.loads(content)["follow_ups"]
    assert any(canary in " ".join(questions).lower() for canary in CANARIES)
