"""An organisation's own cases, asked over a small real library, each judgement scored by hand beside."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from contracts.errors import InvalidInput
from evaluation.engine import MeasuredEngine
from evaluation.own_cases import OwnCases
from evaluation.run import Run
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
    benchmark = OwnCases(cases, application.services)
    assert benchmark.about.name == "cases-ours"
    assert benchmark.about.source == "ours.jsonl"
    run = Run(data=cases.parent, work=cases.parent)
    loaded = benchmark.load(run)
    assert [each.id for each in loaded.cases] == ["copies", "wrong sense", "wrong page", "wrong answer", "unknown"]
    assert loaded.note == "1 draft waits for a person"
    engine = MeasuredEngine(name="embedded", model="", judges=application.services)
    async with benchmark.prepare(loaded, engine, run) as measure:
        outcomes = [await measure(case) for case in loaded.cases]
    by_id = {each.id: each for each in outcomes}
    assert by_id["copies"].loss == 0.0
    assert by_id["wrong page"].loss == 0.5
    assert by_id["wrong answer"].loss == 1.0
    assert "400 days" in by_id["wrong answer"].trace["got"]
    scores = {each.metric: (each.value, each.n) for each in benchmark.score(outcomes, run).scores}
    assert scores["right"] == (pytest.approx(4 / 5), 5)
    assert scores["jargon"] == (pytest.approx(1 / 2), 2)
    assert scores["recall"] == (pytest.approx(3 / 4), 4)
    assert scores["citation"] == (pytest.approx(3 / 4), 4)
    assert scores["answer"] == (pytest.approx(3 / 4), 4)
    assert scores["abstention F1"][0] == pytest.approx(1.0)
    assert "context" not in scores


def test_a_file_that_is_not_there_is_named(application: Application, tmp_path: Path) -> None:
    benchmark = OwnCases(tmp_path / "none.jsonl", application.services)
    with pytest.raises(InvalidInput, match=r"none\.jsonl is no file"):
        benchmark.load(Run(data=tmp_path, work=tmp_path))
