"""One process serves, others change the dictionary: what was changed holds from the next question on."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.golden_retriever.served import ServerProcess, environment_for, golden, serving

QUARTZ = "What must I know of the QXT when the quartz oscillator drifts?"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("two-processes")


@pytest.fixture(scope="module")
def server(data: Path) -> Iterator[ServerProcess]:
    """A server that asked for its terms and contexts before there were any."""
    with serving(data, environment_for(data, dense_index="exact")) as served:
        assert answer_of(served, "What does QXT stand for?")["outcome"] == "unknown_term"
        yield served


@pytest.fixture(scope="module")
def run(data: Path) -> Callable[..., str]:
    """Run a command of ``golden`` in a process of its own, over the server's data."""

    def run(*arguments: str) -> str:
        result = golden(*arguments, environment=environment_for(data, dense_index="exact"), folder=data)
        assert result.returncode == 0, result.stderr
        return result.stdout

    return run


def answer_of(server: ServerProcess, question: str) -> dict[str, Any]:
    response = server.ask(question)
    assert response.status_code == 200, response.text
    return dict(response.json()["choices"][0]["message"]["golden"])


def senses_of(answer: dict[str, Any]) -> list[str]:
    (reading,) = answer["readings"]
    senses = [reading["sense"], *reading["alternatives"]]
    return sorted(each["extended_name"] for each in senses if each is not None)


@pytest.mark.slow
def test_a_meaning_a_context_and_a_correction_hold_from_the_next_question_on(
    server: ServerProcess, run: Callable[..., str], data: Path
) -> None:
    run("jargon", "add", "QXT", "Quick Exchange Table", "--context", "North", "--description", "Swaps rings.")
    first = answer_of(server, "What does QXT stand for?")
    assert (first["outcome"], senses_of(first)) == ("answered", ["Quick Exchange Table"])

    run("jargon", "add", "QXT", "Crystal Check", "--context", "South", "--description", "Counts.")
    assert senses_of(answer_of(server, "What does QXT stand for?")) == ["Crystal Check", "Quick Exchange Table"]

    undescribed = answer_of(server, QUARTZ)
    assert undescribed["context"]["name"] == ""
    described = "Quartz oscillators and clocks: how they drift and are counted."
    (data / "terms.csv").write_text("term,extended_name,description,context\nQXT,Crystal Check,Counts.,South\n")
    header = "name,description,examples\n"
    (data / "contexts.csv").write_text(f"{header}South,{described},When does a quartz oscillator drift?\n")
    run("jargon", "import", "terms.csv", "--contexts", "contexts.csv")
    south = answer_of(server, QUARTZ)["context"]
    assert south["name"] == "South"

    # What an asker corrects in one process is evidence in the other.
    run("ask", QUARTZ, "--meaning", "QXT=Quick Exchange Table", "--json")
    after = answer_of(server, QUARTZ)["context"]
    assert after["name"] != "South" or after["probability"] < south["probability"]

    (line,) = [line for line in run("jargon", "lookup", "QXT").splitlines() if "Crystal Check" in line]
    run("jargon", "reject", line.split()[0])
    assert senses_of(answer_of(server, QUARTZ)) == ["Quick Exchange Table"]


@pytest.mark.slow
def test_a_second_server_takes_the_vector_index_over_when_the_first_one_ends(tmp_path: Path) -> None:
    environment = environment_for(tmp_path)
    with serving(tmp_path, environment) as first:
        wait_for_status(first, "ready")
        with serving(tmp_path, environment) as second:
            assert httpx.get(f"{second.address}/readyz").json()["status"] == "degraded"
            first.stop()
            wait_for_status(second, "ready")


def wait_for_status(server: ServerProcess, status: str) -> None:
    for _ in range(200):
        if httpx.get(f"{server.address}/readyz").json()["status"] == status:
            return
        time.sleep(0.1)
    raise AssertionError(f"the server did not become {status}")
