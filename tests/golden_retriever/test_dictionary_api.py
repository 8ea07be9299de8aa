"""The dictionary managed over HTTP by a real `golden serve`: what is changed there holds at the next question."""

from pathlib import Path

import httpx
import pytest

from tests.golden_retriever.served import Served, environment_for, golden, serving

ROOT = "/api/dictionary"
QUESTION = "What does QXT stand for?"


def reading_of(server: Served) -> tuple[str, str]:
    """Ask, and return the outcome and the extended name that the term was read as."""
    answer = server.ask(QUESTION).json()["choices"][0]["message"]["golden"]
    senses = [reading["sense"]["extended_name"] for reading in answer["readings"] if reading["sense"]]
    return answer["outcome"], "".join(senses)


def check_next_question(folder: Path, environment: dict[str, str]) -> None:
    """Define a term of the queue, edit it, take the edit back, and ask after each step."""
    with serving(folder, environment) as server, httpx.Client(base_url=f"{server.address}{ROOT}") as http:
        assert reading_of(server) == ("unknown_term", "")
        (queued,) = http.get("/queue").json()["items"]
        body = {"extended_name": "Quick Exchange Table", "description": "Swaps rings between sites."}
        added = http.post(f"/queue/{queued['term']}/define", json=body)
        assert added.status_code == 201
        assert reading_of(server) == ("answered", "Quick Exchange Table")
        path, match = f"/senses/{added.json()['id']}", {"If-Match": added.headers["etag"]}
        edited = http.patch(path, json={"extended_name": "Quiet Xenon Tube"}, headers=match)
        assert reading_of(server) == ("answered", "Quiet Xenon Tube")
        assert http.patch(path, json={"notes": "late"}, headers=match).status_code == 412
        # Another process changes it, too.
        result = golden("jargon", "edit", "QXT", "--notes", "By hand.", environment=environment, folder=folder)
        assert result.returncode == 0, result.stderr
        stale = http.patch(path, json={"notes": "late"}, headers={"If-Match": edited.headers["etag"]})
        assert stale.status_code == 412
        assert stale.json()["error"]["current"]["notes"] == "By hand."
        changes = [edited.json()["last_change"] + 1, edited.json()["last_change"]]
        for change in changes:
            undone = http.post(f"/history/{change}/undo", headers={"X-Golden-Request": "1"})
            assert undone.status_code == 200
        assert reading_of(server) == ("answered", "Quick Exchange Table")
        assert {change["who"] for change in http.get("/history").json()["items"]} == {"Ada"}
        assert http.get("/senses", headers={"host": "evil.example"}).status_code == 403
    exported = golden("jargon", "list", environment=environment, folder=folder)
    assert "QXT = Quick Exchange Table" in exported.stdout


@pytest.mark.slow
def test_a_change_over_http_holds_at_the_next_question(tmp_path: Path) -> None:
    check_next_question(tmp_path, environment_for(tmp_path / "data", user="Ada"))


@pytest.mark.slow
@pytest.mark.postgres
def test_a_change_over_http_holds_on_postgresql(tmp_path: Path, postgres_url: str) -> None:
    pytest.importorskip("psycopg", reason="needs the extra postgres")
    check_next_question(tmp_path, environment_for(tmp_path / "data", user="Ada", database_url=postgres_url))
