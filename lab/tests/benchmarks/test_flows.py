"""The four flows on a conversation and a collection that the test writes in the formats of the public ones."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from golden_lab.benchmarks.flows import RESPONSES, benchmarks
from golden_lab.engine import Engine
from golden_lab.results import Outcome
from golden_lab.run import Run
from golden_lab.splits import half
from golden_lab.systems.measures import FAITHFULNESS, JAFS
from lab.tests.benchmarks.measure import write_rows

FLOWS = ("none", "rewrite", "answerability", "rewrite and answerability")
PASSAGES = {
    "canteen-0-9": "The canteen of the Leiden plant opens at 7:30 and closes at 14:00. On Fridays it serves fish.",
    "keys-0-9": "A new colleague gets a locker key from the front desk. Lost keys cost 40 euros.",
}
SCORED = next(name for name in map(str, range(99)) if half("mtrag/tasks.jsonl.gz", name) == "score")
FITTED = next(name for name in map(str, range(99)) if half("mtrag/tasks.jsonl.gz", name) == "fit")


def task(turn: int, texts: Sequence[str], answerability: str, conversation: str = SCORED) -> dict[str, Any]:
    speakers = ("user", "agent") * len(texts)
    return {
        "task_id": f"{conversation}<::>{turn}",
        "domain": "govt",
        "input": [{"speaker": speaker, "text": text} for speaker, text in zip(speakers, texts, strict=False)],
        "answerability": answerability,
        "target": "the reference",
    }


@pytest.fixture
def run(tmp_path: Path) -> Run:
    folder = tmp_path / "data" / "mtrag" / "retrieval" / "govt"
    opening = ("When does the canteen of the Leiden plant open?", "The canteen of the Leiden plant opens at 7:30.")
    rows = [
        task(1, opening[:1], "ANSWERABLE"),
        task(2, [*opening, "And when does it close?"], "PARTIAL"),
        task(3, [*opening, "Who won the marathon of Boston?"], "UNANSWERABLE"),
        task(4, [*opening, "Thanks!"], "CONVERSATIONAL"),
        task(1, opening[:1], "ANSWERABLE", FITTED),
    ]
    write_rows(tmp_path / "data" / "mtrag" / "tasks.jsonl.gz", rows)
    write_rows(folder / "corpus_pooled.jsonl.gz", [{"_id": id, "text": text} for id, text in PASSAGES.items()])
    asked = [{"_id": rows[0]["task_id"], "text": f"|user|: {opening[0]}"}]
    write_rows(folder / "rewrite.jsonl", asked)
    write_rows(folder / "lastturn.jsonl", asked)
    (folder / "qrels.tsv").write_text(f"query-id\tcorpus-id\tscore\n{asked[0]['_id']}\tcanteen-0-9\t1\n")
    return Run(data=tmp_path / "data", work=tmp_path / "work")


async def test_rewriting_finds_and_the_gate_declines(shipped_engine: Engine, run: Run) -> None:
    benchmark = benchmarks()[0]
    cases = benchmark.load(run)
    assert [case.id.split("<::>")[1] for case in cases.cases] == ["1", "2", "3"]
    assert [case.answerable for case in cases.cases] == [True, True, False]
    async with benchmark.prepare(cases, shipped_engine, run) as measure:
        outcomes = [await measure(case) for case in cases.cases]
    assert outcomes[0].values["none"] == {"answered": 1.0, FAITHFULNESS: 1.0, JAFS: 1.0}
    assert "14:00" in outcomes[1].trace["rewrite"]
    assert outcomes[2].values["rewrite and answerability"] == {"answered": 0.0, FAITHFULNESS: None, JAFS: 1.0}
    assert outcomes[2].values["none"][JAFS] == 1.0 - outcomes[2].values["none"]["answered"]
    assert outcomes[2].loss == 0.0


def test_scores_are_those_of_the_tables_computed_by_hand(run: Run) -> None:
    def outcome(number: int, answerable: bool, answered: bool, faithfulness: float | None) -> Outcome:
        joint = (faithfulness or 0.0) if answered and answerable else float(answered == answerable)
        numbers = {"answered": float(answered), FAITHFULNESS: faithfulness, JAFS: joint}
        values = {"answerable": float(answerable), "group": str(number % 3), **dict.fromkeys(FLOWS, numbers)}
        return Outcome(id=str(number), values=values)

    answers = [(True, True, 1.0), (True, True, 0.5), (True, True, None), (True, False, None), (False, False, None)]
    answers += [(False, True, None)]
    outcomes = [outcome(number, *answer) for number, answer in enumerate(answers)]
    scores = {(each.system, each.metric): each for each in benchmarks()[0].score(outcomes, 7)}
    # Answerable: 3 of 4 found, 3 of 4 said so; unanswerable: 1 of 2 found, 1 of 2 said so.
    assert scores["none", "F1 answerable"].value == pytest.approx(0.75)
    assert scores["none", "F1 unanswerable"].value == pytest.approx(0.5)
    assert scores["none", RESPONSES].value == 3
    assert scores["none", FAITHFULNESS].value == pytest.approx(0.75)
    assert scores["none", FAITHFULNESS].n == 2
    assert scores["none", JAFS].value == pytest.approx(2.5 / 6)
