"""Kept questions asked again, and test cases run, over the whole bot: within what both reviewer and asker may read."""

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.golden_retriever.keyed import CANARIES, Keyed, keyed_server

KEYS: dict[str, dict[str, Any]] = {
    "ada": {"scopes": ["ask"], "groups": None},
    "bob": {"scopes": ["ask"], "groups": ["everyone"]},
    "reviewer": {"scopes": ["manage"], "groups": ["everyone"]},
    "stranger": {"scopes": ["manage"], "groups": ["other"]},
    "chief": {"scopes": ["manage", "ask", "admin"], "groups": None},
}
# A whole server with every part.
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyed]:
    with keyed_server(tmp_path_factory.mktemp("bench"), KEYS) as running:
        yield running


def ask(http: httpx.Client, question: str, **golden: Any) -> dict[str, Any]:
    body = {"messages": [{"role": "user", "content": question}], "golden": golden}
    response = http.post("/v1/chat/completions", json=body)
    assert response.status_code == 200, response.text
    answer: dict[str, Any] = response.json()["choices"][0]["message"]["golden"]
    return answer


def events(http: httpx.Client, method: str, path: str) -> list[dict[str, Any]]:
    """Hear a stream of server-sent events to its end."""
    with http.stream(method, path) as response:
        assert response.status_code == 200, response.read()
        lines = [line[5:].strip() for line in response.iter_lines() if line.startswith("data:")]
    assert lines[-1] == "[DONE]"
    return [json.loads(each) for each in lines[:-1]]


def ended(http: httpx.Client, run: str) -> dict[str, Any]:
    """Return a run of test cases when it is over."""
    while (state := http.get(f"/api/review/cases/runs/{run}").json())["state"] == "running":
        time.sleep(0.1)
    found: dict[str, Any] = state
    return found


def replayed(http: httpx.Client, turn: str) -> dict[str, Any]:
    heard = events(http, "POST", f"/api/review/{turn}/replay")
    assert any("step" in each.get("golden", {}) for each in heard[:-1])
    answer: dict[str, Any] = heard[-1]["replay"]
    return answer


def test_a_question_is_asked_again_and_nothing_of_it_is_kept(server: Keyed) -> None:
    with server.client("bob") as bob, server.client("reviewer") as reviewer, server.client("chief") as chief:
        asked = ask(bob, "What does the XQZT of the pump hold?", conversation="again")
        before = reviewer.get("/api/overview").json()["days"][-1]["asked"]
        queue = chief.get("/api/dictionary/queue").text
        counted = chief.get("/metrics").text
        new = replayed(reviewer, asked["turn_id"])
        assert (new["turn"], new["outcome"]) == (asked["turn_id"], asked["outcome"])
        assert new["golden"]["turn_id"] == ""
        assert new["golden"]["conversation_id"] == ""
        assert new["engine"] == "embedded"
        assert new["seconds"] > 0
        assert reviewer.get("/api/overview").json()["days"][-1]["asked"] == before
        assert len(bob.get("/api/conversations/again").json()["turns"]) == 1
        assert chief.get("/api/dictionary/queue").text == queue
        assert "XQZT" in queue
        assert counted.startswith("#")
        lines = [line for line in counted.splitlines() if line.startswith("golden_questions_total")]
        assert lines == [
            line for line in chief.get("/metrics").text.splitlines() if line.startswith("golden_questions_total")
        ]


def test_a_replay_reads_what_both_may_read_and_no_more(server: Keyed) -> None:
    question = "What is the Quorvex Lattice made of?"
    with server.client("bob") as bob, server.client("ada") as ada, server.client("chief") as chief:
        open_, secret = ask(bob, question), ask(ada, question)
        # The chief may read the secret group; whoever asked could not, and so does the question asked again.
        assert not [each for each in CANARIES[:1] if each in replayed(chief, open_["turn_id"])["answer"].lower()]
        assert "zorblaxite" in replayed(chief, secret["turn_id"])["answer"].lower()
    for key in ("reviewer", "stranger"):
        with server.client(key) as http:
            refused = http.post(f"/api/review/{secret['turn_id']}/replay")
            assert refused.status_code == 404
            assert not [each for each in CANARIES if each in refused.text.lower()]
    with server.client("stranger") as stranger:
        assert stranger.post(f"/api/review/{open_['turn_id']}/replay").status_code == 404
    with server.client("bob") as bob:
        assert bob.post(f"/api/review/{open_['turn_id']}/replay").status_code == 403


def test_cases_are_run_and_scored_and_who_may_see_it_is_told(server: Keyed) -> None:
    with server.client("bob") as bob, server.client("ada") as ada:
        level, secret = ask(bob, "What does the PLR hold?"), ask(ada, "What does the VDM weigh?")
    with server.client("reviewer") as reviewer, server.client("chief") as chief:
        right = {"answer": "water level", "document": "pumps.txt", "page": 1}
        made = reviewer.post(f"/api/review/{level['turn_id']}/case", json=right)
        assert made.status_code == 201, made.text
        wrong: dict[str, Any] = {
            "answer": "vinegar",
            "document": None,
            "page": None,
            "term": None,
            "sense": None,
            "history": [],
        }
        failing = reviewer.post(f"/api/review/{level['turn_id']}/case", json=wrong).json()
        assert failing["case"]["document"] is None
        hidden = chief.post(f"/api/review/{secret['turn_id']}/case", json={"answer": "zorblaxite"}).json()

        run = reviewer.post("/api/review/cases/run")
        assert run.status_code == 202, run.text
        last = ended(reviewer, run.json()["id"])
        assert (last["state"], last["cases"], last["done"], last["passed"], last["score"]) == ("done", 2, 2, 1, 0.5)
        assert last["measure"]["engine"] == "embedded"
        assert all(last["measure"].values())
        first, second = reviewer.get(f"/api/review/cases/runs/{last['id']}").json()["results"]
        assert (first["case"], first["differs"], first["expected_answer"]) == (failing["id"], ["wording"], "vinegar")
        assert (second["case"], second["passed"]) == (made.json()["id"], True)
        assert "pumps.txt, page 1" in second["citations"]

        edited = {**failing["case"], "answer": "water", "expect": "answered"}
        body = {name: edited[name] for name in ("question", "history", "expect", "answer", "accept")}
        changed = reviewer.put(f"/api/review/cases/{failing['id']}", json=body, headers={"if-match": failing["etag"]})
        assert (changed.status_code, changed.json()["case"]["answer"]) == (200, "water"), changed.text
        late = reviewer.put(f"/api/review/cases/{failing['id']}", json=body, headers={"if-match": failing["etag"]})
        assert late.status_code == 412
        assert reviewer.put(f"/api/review/cases/{hidden['id']}", json=body).status_code == 404

        whole = chief.post("/api/review/cases/run").json()
        assert ended(chief, whole["id"])["passed"] == 3
        assert "zorblaxite" in chief.get(f"/api/review/cases/runs/{whole['id']}").text
        seen = reviewer.get("/api/review/cases/runs").text
        assert whole["id"] not in seen
        assert last["id"] in seen
        assert last["id"] in chief.get("/api/review/cases/runs").text
        assert reviewer.get(f"/api/review/cases/runs/{whole['id']}").status_code == 404
        assert reviewer.delete(f"/api/review/cases/runs/{whole['id']}").status_code == 404
        assert chief.delete(f"/api/review/cases/runs/{whole['id']}").status_code == 409
    with server.client("stranger") as stranger:
        assert stranger.get("/api/review/cases/runs").json() == {"runs": []}
        assert stranger.post("/api/review/cases/run").status_code == 422
