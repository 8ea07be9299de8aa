"""An LLM behind the command line and the server: asked where there is one, and not missed where it fails."""

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.golden_retriever.chat_server import MODELS, ChatServer, chatting
from tests.golden_retriever.served import environment_for, golden

pytestmark = pytest.mark.slow

MANUAL = """# Widget manual

## Voltages

The VCCQ level for DDR3 is 1.5 V. The VCCQ level for DDR2 is 1.8 V.
"""
FROM_THE_MODEL = "For DDR3, the VCCQ level is 1.5 V."


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("llm")
    (folder / "documents").mkdir()
    (folder / "documents" / "manual.md").write_text(MANUAL, encoding="utf-8")
    return folder


@pytest.fixture
def chat() -> Iterator[ChatServer]:
    with chatting() as server:
        server.answer = FROM_THE_MODEL
        yield server


def settings_for(chat: ChatServer, data: Path, **more: object) -> dict[str, str]:
    chosen = {"llm_api_key": "sk-test", "llm_timeout_s": 20, **more}
    return environment_for(data, llm=f"{chat.address}#{MODELS[1]}", **chosen)


def test_the_summaries_of_ingestion_are_its_own(chat: ChatServer, folder: Path, tmp_path: Path) -> None:
    chat.summary = "Supply levels of the zirconium interface, by generation."
    environment = settings_for(chat, tmp_path / "data")
    assert golden("ingest", "documents", environment=environment, folder=folder).returncode == 0
    assert [request.get("response_format", {}).get("type") for request in chat.requests] == ["json_schema"]
    with sqlite3.connect(tmp_path / "data" / "golden.db") as database:
        texts = [text for (text,) in database.execute("SELECT text FROM chunks WHERE kind = 'summary'")]
    assert any(chat.summary in text for text in texts)


def test_a_summariser_that_fails_does_not_stop_ingestion(chat: ChatServer, folder: Path, tmp_path: Path) -> None:
    chat.behaviour = "half"
    environment = settings_for(chat, tmp_path / "data")
    result = golden("ingest", "documents", "--json", environment=environment, folder=folder)
    assert result.returncode == 0, result.stderr
    events = [json.loads(line) for line in result.stdout.splitlines()]
    assert [event["status"] for event in events if event["event"] == "file"] == ["ingested"]
    assert len(chat.requests) >= 2, "a reply that is no JSON is sent back once"
