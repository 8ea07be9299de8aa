"""An organisation's own cases, asked over a small real library, each judgement scored by hand beside."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from evaluation.own_cases import measure_own_cases
from golden_retriever.settings import Settings
from golden_retriever.wiring import Application, open_application

GUIDE = "An SHR keeps three copies of a record. The retention of audit records is 400 days.\n"
CASES = [
    {"id": "copies", "question": "How many copies of a record does an SHR keep?", "expect": "answered",
     "answer": "three", "document": "guide.txt", "page": 1, "term": "SHR", "sense": "Self-Healing Ring"},
    {"id": "wrong sense", "question": "How many copies does an SHR keep of a record?", "expect": "answered",
     "answer": "three", "document": "guide.txt", "page": 1, "term": "SHR", "sense": "Short Haul Route"},
    {"id": "wrong page", "question": "How long is the retention of audit records?", "expect": "answered",
     "answer": "400 days", "document": "guide.txt", "page": 7},
    {"id": "wrong answer", "question": "What is the retention of audit records?", "expect": "answered",
     "answer": "40 days", "accept": ["00 days"], "document": "guide.txt", "page": 1},
    {"id": "unknown", "question": "What is the ZQX of the ring?", "expect": "unknown_term"},
    {"id": "draft", "question": "Who?", "expect": "answered", "accepted": False},
    {"id": "no", "question": "Who?", "expect": "answered", "accepted": False, "rejected": True},
]  # fmt: skip


@pytest.fixture(scope="module")
async def application(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Application]:
    folder = tmp_path_factory.mktemp("own")
    (folder / "guide.txt").write_text(GUIDE, encoding="utf-8")
    async with open_application(Settings(data_dir=folder / "data", workers=1), one_shot=True) as opened:
        await opened.pipeline.ingest([folder / "guide.txt"])
        opened.jargon.add_sense("SHR", "Self-Healing Ring")
        yield opened


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    path = tmp_path / "ours.jsonl"
    path.write_text("\n".join(json.dumps({"kind": "open", **each}) for each in CASES))
    return path


async def test_each_judgement_is_scored_on_the_cases_that_say_it(application: Application, cases: Path) -> None:
    asked = []
    report = await measure_own_cases(
        cases, application.services, engine="embedded", model="m", on_case=lambda: asked.append(1)
    )
    (result,) = report.benchmarks
    assert (report.engine, report.model, report.failures, len(asked)) == ("embedded", "m", {}, 5)
    assert (result.about.name, result.about.source) == ("cases-ours", "ours.jsonl")
    assert (result.cases, result.note) == (5, "drafts that wait for a person: 1")
    assert result.per_case == {"copies": 1, "wrong sense": 1, "wrong page": 1, "wrong answer": 0, "unknown": 1}
    assert [(each.id, each.loss) for each in result.worst] == [("wrong answer", 1.0), ("wrong page", 0.5)]
    assert "400 days" in result.worst[0].trace["got"]
    scores = {each.metric: (each.value, each.n) for each in result.scores}
    assert scores["right"] == (pytest.approx(4 / 5), 5)
    assert scores["jargon"] == (pytest.approx(1 / 2), 2)
    assert scores["recall"] == (pytest.approx(3 / 4), 4)
    assert scores["citation"] == (pytest.approx(3 / 4), 4)
    assert scores["answer"] == (pytest.approx(3 / 4), 4)
    assert scores["abstention F1"][0] == pytest.approx(1.0)
    assert "context" not in scores


async def test_a_file_that_is_not_there_is_named(application: Application, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"none\.jsonl is not a file"):
        await measure_own_cases(tmp_path / "none.jsonl", application.services, engine="embedded", model="")
