"""An organisation's own cases, asked over a small real library, each judgement scored by hand beside."""

import json
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from evaluation.case_report import report_text
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
    assert (report.source, report.waiting, len(asked)) == ("ours.jsonl", 1, 5)
    right = {"copies": True, "wrong sense": True, "wrong page": True, "wrong answer": False, "unknown": True}
    assert report.hits("right") == right
    scores = {each.metric: (each.value, each.n) for each in report.scores}
    assert scores == {"right": (4 / 5, 5), "jargon": (1 / 2, 2), "recall": (3 / 4, 4), "citation": (3 / 4, 4),
                      "answer": (3 / 4, 4)}  # fmt: skip
    text = "\n".join(report_text(report))
    assert "wrong page (open) wrong in recall, citation: How long is the retention" in text
    assert "got answered: The retention of audit records is 400 days" in text
