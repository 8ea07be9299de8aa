"""``golden ask`` while a server runs on the same data folder: the server answers, in every respect as without it."""

import json
import shutil
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest

from golden_retriever import Conflict, GoldenRetriever
from golden_retriever.folder_lock import read_owner
from tests.golden_retriever.served import Served, environment_for, golden, serving, the_one_line

pytestmark = pytest.mark.slow

LAMP = "When is the lamp of the QXT replaced?"
Ask = Callable[..., CompletedProcess[str]]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("asked") / "data"
    note = folder.parent / "lamps.md"
    note.write_text("# Lamps\n\nThe lamp of the quick exchange table is replaced every 900 hours.\n", encoding="utf-8")
    with GoldenRetriever(folder, workers=1) as bot:
        bot.jargon.add("QXT", "Quick Exchange Table", context="Assembly", description="It swaps rings.")
        bot.jargon.add("QXT", "Crystal Check", context="Quartz", description="It counts crystals.")
        bot.ingest(note)
    return folder


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[Served]:
    with serving(data.parent, environment_for(data)) as served:
        yield served


def asking(data: Path, **settings: object) -> Ask:
    def ask(*arguments: str) -> CompletedProcess[str]:
        return golden("ask", *arguments, environment=environment_for(data, **settings), folder=data.parent)

    return ask


@pytest.fixture
def ask(data: Path, server: Served) -> Ask:
    """Ask in a process that cannot open the folder itself: it has no such model."""
    return asking(data, embedding_model="/nowhere")


def answer_in(result: CompletedProcess[str]) -> dict[str, Any]:
    assert result.returncode == 0, result.stderr
    return dict(json.loads(result.stdout))


def test_the_address_is_in_the_folder_while_the_server_serves(data: Path, server: Served) -> None:
    owner = read_owner(data)
    assert owner is not None
    assert (owner.address, owner.pid) == (server.address, server.process.pid)
    with pytest.raises(Conflict, match=f"golden serve.*{server.address}"):
        GoldenRetriever(data)


def test_the_answer_is_that_of_a_process_that_opens_the_folder(data: Path, ask: Ask, tmp_path: Path) -> None:
    arguments = (LAMP, "--department", "assembly", "--json")
    by_server = answer_in(ask(*arguments))
    # A copy of the folder is not the server's.
    shutil.copytree(data, tmp_path / "copy")
    assert asking(tmp_path / "copy", embedding_model="/nowhere")(*arguments).returncode == 1
    by_itself = answer_in(asking(tmp_path / "copy")(*arguments))
    for each in (by_server, by_itself):
        # What differs from one question to the next.
        for name in ("conversation_id", "turn_id", "context_probability", "steps"):
            each.pop(name)
    assert by_server == by_itself
    assert by_server["citations"][0]["document_name"] == "lamps.md"


def test_steps_and_a_readable_answer(ask: Ask) -> None:
    shown = ask(LAMP, "--department", "Assembly")
    assert "900 hours" in shown.stdout
    assert "Read QXT as Quick Exchange Table (Assembly)" in shown.stdout
    assert "lamps.md, page 1" in shown.stdout
    assert "· write answer" in shown.stderr
    assert ask(LAMP, "--department", "Assembly", "--no-steps").stderr == ""


def test_a_department_that_is_not_there_is_refused(data: Path, ask: Ask) -> None:
    for each in (ask, asking(data.parent / "empty")):
        refused = each(LAMP, "--department", "Nowhere")
        assert refused.returncode == 2
        assert "no department 'Nowhere'" in the_one_line(refused)
    assert "Assembly, Quartz" in ask(LAMP, "--department", "Nowhere").stderr


def test_a_meaning_and_one_that_changes_nothing(ask: Ask) -> None:
    chosen = answer_in(ask(LAMP, "--meaning", "QXT=Crystal Check (Quartz)", "--json"))
    assert chosen["readings"][0]["sense"]["extended_name"] == "Crystal Check"
    assert "changed nothing" in ask(LAMP, "--meaning", "QXT=Quiz", "--department", "Assembly").stderr


def test_follow_ups_in_a_conversation_and_after_earlier_questions(ask: Ask) -> None:
    named = ("--meaning", "QXT=Quick Exchange Table", "--json")
    answer_in(ask(LAMP, "--conversation", "my talk", *named))
    remembered = answer_in(ask("And who does it?", "--conversation", "my talk", *named))
    assert "lamp" in remembered["standalone_question"].lower()
    replayed = answer_in(ask("And who does it?", "--previous", "When is the lamp replaced?", *named))
    assert "lamp" in replayed["standalone_question"].lower()


def test_bad_questions_are_refused_as_without_a_server(ask: Ask) -> None:
    refused = ask("  ")
    assert refused.returncode == 2
    assert "empty" in the_one_line(refused)


def test_a_server_with_keys_a_stopped_one_and_a_killed_one(data: Path, tmp_path: Path) -> None:
    with GoldenRetriever(tmp_path / "keyed", workers=1) as bot:
        bot.jargon.add("QXT", "Quick Exchange Table")
    environment = environment_for(tmp_path / "keyed")
    made = golden("keys", "create", "me", "--json", environment=environment, folder=tmp_path)
    key = json.loads(made.stdout)["key"]
    question = ("What does QXT stand for?", "--no-steps")
    with serving(tmp_path, environment):
        assert "Quick Exchange Table" in asking(tmp_path / "keyed")(*question).stdout
        assert asking(tmp_path / "keyed", embedding_model="/nowhere")(*question).returncode == 1
        with_key = asking(tmp_path / "keyed", embedding_model="/nowhere", api_key=key)(*question)
        assert "Quick Exchange Table" in with_key.stdout
        wrong = asking(tmp_path / "keyed", api_key="gr_wrong")(*question)
        assert wrong.returncode == 1
        assert "refuses GOLDEN_API_KEY" in the_one_line(wrong)
    assert read_owner(tmp_path / "keyed") is None
    assert "Quick Exchange Table" in asking(tmp_path / "keyed")(*question).stdout

    killed = Served(["--no-ui"], tmp_path, environment)
    killed.process.send_signal(signal.SIGKILL)
    killed.process.communicate()
    assert (tmp_path / "keyed" / "owner.lock").read_text() != ""
    assert read_owner(tmp_path / "keyed") is None
    assert "Quick Exchange Table" in asking(tmp_path / "keyed")(*question).stdout
    GoldenRetriever(tmp_path / "keyed").close()
