"""Systems compared on examples that the test writes."""

import json
from pathlib import Path
from typing import Any

import pytest

from golden_lab.benchmarks.systems import benchmarks
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.systems.golden import WHOLE
from golden_lab.systems.measures import CITED, JAFS, REFUSED, RIGHT


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    folder = tmp_path / "examples"
    (folder / "documents").mkdir(parents=True)
    (folder / "documents" / "plant.txt").write_text(
        "Lost keys\n\nA new colleague gets a locker key from the front desk. Lost keys cost 40 euros.\n\n"
        "Drying\n\nThe EBR dries vaccine at minus 50 degrees Celsius. One EBR cycle takes 36 hours.\n"
    )
    (folder / "dictionary.csv").write_text("term,extended_name,context\nEBR,Evaporation Bed Reactor,Process\n")
    (folder / "contexts.csv").write_text("name,description\nProcess,Drying of vaccines\n")
    place: dict[str, Any] = {"document": "plant.txt", "page": 1}
    quiz: list[dict[str, Any]] = [
        {"id": "key", "question": "What does a lost key cost?", "answer": "40 euros", **place},
        {"id": "cycle", "question": "How long does one EBR cycle take?", "answer": "36 hours", **place},
        {"id": "new", "question": "What is the ZQX of the plant?", "expect": "unknown_term"},
    ]
    rows = [{"kind": "open", "expect": "answered", **row} for row in quiz]
    (folder / "quiz.jsonl").write_text("\n".join(map(json.dumps, rows)))
    return folder


async def test_every_system_is_asked_every_question_of_the_examples(
    examples: Path, shipped_engine: Engine, tmp_path: Path
) -> None:
    (benchmark,) = benchmarks(examples)
    run = Run(data=tmp_path, work=tmp_path / "work")
    cases = benchmark.load(run)
    async with benchmark.prepare(cases, shipped_engine, run) as measure:
        outcomes = [await measure(case) for case in cases.cases]
    values = outcomes[0].values
    assert len(values) == 1 + 9
    assert values[WHOLE][RIGHT] == values[WHOLE][CITED] == 1.0
    assert values[WHOLE][REFUSED] is None
    assert outcomes[2].values[WHOLE][REFUSED] == outcomes[2].values[WHOLE][JAFS] == 1.0
    assert outcomes[2].loss == 0.0
    assert "40 euros" in outcomes[0].trace[WHOLE]
    json.dumps([dict(outcome.values) for outcome in outcomes])
    scores = {(each.system, each.metric): each.value for each in benchmark.score(outcomes, 7)}
    assert scores[WHOLE, RIGHT] == 1.0
    assert scores["plain RAG", "right, difference to Golden Retriever"] == pytest.approx(scores["plain RAG", RIGHT] - 1)
    assert 0 < scores["without jargon", "right, p of the difference (Holm)"] <= 1
