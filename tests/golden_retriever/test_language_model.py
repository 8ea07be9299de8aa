"""An LLM behind the command line and the server: asked where there is one, and not missed where it fails."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.golden_retriever.chat_server import MODELS, ChatServer, chatting
from tests.golden_retriever.served import environment_for, golden, serving, the_one_line

pytestmark = pytest.mark.slow

MANUAL = """# Widget manual

## Voltages

The VCCQ level for DDR3 is 1.5 V. The VCCQ level for DDR2 is 1.8 V.
"""
QUESTION = "What is the VCCQ level for DDR3?"
FROM_THE_DOCUMENT = "The VCCQ level for DDR3 is 1.5 V"
FROM_THE_MODEL = "For DDR3, the VCCQ level is 1.5 V."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("llm")
    (folder / "documents").mkdir()
    (folder / "documents" / "manual.md").write_text(MANUAL, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def library(folder: Path) -> Path:
    """A data folder with the manual in it, read by the embedded engine."""
    result = golden("ingest", "documents", environment=environment_for(folder / "data"), folder=folder)
    assert result.returncode == 0, result.stderr
    return folder / "data"


@pytest.fixture
def chat() -> Iterator[ChatServer]:
    with chatting() as server:
        server.answer = FROM_THE_MODEL
        yield server


def settings_for(chat: ChatServer, data: Path, **more: object) -> dict[str, str]:
    chosen = {"llm_api_key": "sk-test", "llm_timeout_s": 20, **more}
    return environment_for(data, llm=f"{chat.address}#{MODELS[1]}", **chosen)


def ask(environment: dict[str, str], folder: Path) -> dict[str, Any]:
    result = golden("ask", QUESTION, "--json", environment=environment, folder=folder)
    assert result.returncode == 0, result.stderr
    answer: dict[str, Any] = json.loads(result.stdout)
    return answer


def written_by(answer: dict[str, Any]) -> dict[str, Any]:
    (step,) = [step for step in answer["steps"] if step["node"] == "write_answer"]
    provenance: dict[str, Any] = step["provenance"]
    return provenance


def test_its_text_is_the_answer_checked_and_cited(chat: ChatServer, library: Path, folder: Path) -> None:
    answer = ask(settings_for(chat, library), folder)
    assert answer["text"] == "For DDR3, the VCCQ level is 1.5 V [1]."
    assert answer["degraded"] == []
    assert [sentence["label"] for sentence in answer["sentences"]] == ["faithful"]
    assert answer["citations"][0]["document_name"] == "manual.md"
    assert answer["citations"][0]["quote"].startswith(FROM_THE_DOCUMENT)
    assert (written_by(answer)["implementation"], written_by(answer)["model"]) == ("llm", MODELS[1])
    assert set(chat.keys) == {"Bearer sk-test"}
    assert FROM_THE_DOCUMENT in chat.requests[0]["messages"][-1]["content"]


@pytest.mark.slow
def test_the_summaries_of_ingestion_are_its_own(chat: ChatServer, folder: Path, tmp_path: Path) -> None:
    chat.summary = "Supply levels of the zirconium interface, by generation."
    environment = settings_for(chat, tmp_path / "data")
    assert golden("ingest", "documents", environment=environment, folder=folder).returncode == 0
    assert [request.get("response_format", {}).get("type") for request in chat.requests] == ["json_schema"]
    with sqlite3.connect(tmp_path / "data" / "golden.db") as database:
        texts = [text for (text,) in database.execute("SELECT text FROM chunks WHERE kind = 'summary'")]
    assert any(chat.summary in text for text in texts)


@pytest.mark.slow
def test_a_summariser_that_fails_does_not_stop_ingestion(chat: ChatServer, folder: Path, tmp_path: Path) -> None:
    chat.behaviour = "half"
    environment = settings_for(chat, tmp_path / "data")
    result = golden("ingest", "documents", "--json", environment=environment, folder=folder)
    assert result.returncode == 0, result.stderr
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert [event["status"] for event in events if event["event"] == "file"] == ["ingested"]
    assert len(chat.requests) >= 2, "a reply that is no JSON is sent back once"


@pytest.mark.slow
def test_refusing_says_so_in_one_line(chat: ChatServer, library: Path, folder: Path) -> None:
    chat.behaviour = "half"
    environment = settings_for(chat, library, degrade="refuse")
    result = golden("ask", QUESTION, "--json", environment=environment, folder=folder)
    assert result.returncode == 1
    assert result.stdout == ""
    assert "broke off" in the_one_line(result)
    gone = {**environment, "GOLDEN_LLM": "http://127.0.0.1:9/v1"}
    result = golden("ask", QUESTION, environment=gone, folder=folder)
    assert result.returncode == 1
    assert "GOLDEN_LLM" in result.stderr.splitlines()[-1]


@pytest.mark.slow
def test_a_server_refuses_with_503_and_recovers(chat: ChatServer, library: Path, folder: Path) -> None:
    with serving(folder, settings_for(chat, library, degrade="refuse")) as served:
        chat.behaviour = "with 500"
        refused = served.ask(QUESTION)
        assert refused.status_code == 503
        error = refused.json()["error"]
        assert error["type"] == "server_error"
        assert error["code"] == "chat_unavailable"
        assert "500" in error["message"]
        chat.behaviour = "well"
        answer = served.ask(QUESTION)
        assert answer.status_code == 200
        assert answer.json()["choices"][0]["message"]["content"].startswith("For DDR3, the VCCQ level is 1.5 V [1].")
