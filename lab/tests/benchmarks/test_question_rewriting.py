"""The benchmarks of question rewriting on conversations that the test writes."""

from pathlib import Path

import pytest

from golden_lab.benchmarks.question_rewriting import benchmarks, canard_questions, mtrag_questions
from golden_lab.engine import Engine
from golden_lab.run import Run
from golden_lab.splits import half
from lab.tests.benchmarks.measure import measured, write_rows
from lab.tests.datasets.test_corpora import TOPICS, write_mtrag

ROWS = [
    {
        "QuAC_dialog_id": "d1",
        "Question_no": number,
        "History": ["Rhine", "Length", "How long is the Rhine?", "The Rhine is 1230 km long."][: 2 * number],
        "Question": asked,
        "Rewrite": alone,
    }
    for number, (asked, alone) in enumerate(
        [("How long is the Rhine?", "How long is the Rhine?"), ("Where does it rise?", "Where does the Rhine rise?")], 1
    )
]


async def test_the_question_as_asked_stands_beside_our_rewrite(engine: Engine, tmp_path: Path) -> None:
    write_rows(tmp_path / "query_rewrite" / "canard_dev.jsonl.gz", ROWS)
    canard, _ = benchmarks()
    run = Run(data=tmp_path, work=tmp_path / "work")
    outcomes = await measured(canard, engine, run)
    scores = {(each.system, each.metric, each.subset): each for each in canard.score(outcomes, 7)}
    # "Where does it rise" has three of the five words of "Where does the Rhine rise".
    assert scores["as asked", "ROUGE-1 recall", "people changed it"].value == pytest.approx(3 / 5)
    assert scores["as asked", "exact match", ""].value == 0.5
    assert scores["our rewrite", "exact match", "people left it as it was"].value == 1.0
    assert (canard.about.metric_system, canard.about.metric, "") in scores
    assert outcomes[1].trace["ours"]


def test_histories_are_read_in_turns(tmp_path: Path) -> None:
    write_rows(tmp_path / "query_rewrite" / "canard_dev.jsonl.gz", ROWS)
    _, second = canard_questions(tmp_path)
    assert [turn.role for turn in second.history] == ["user", "assistant", "user", "assistant"]
    assert second.history[2].text == "How long is the Rhine?"
    write_mtrag(tmp_path)
    tasks = mtrag_questions(tmp_path)
    # First turns have nothing to be rewritten from.
    scored = [row for row in range(len(TOPICS)) if half("mtrag", f"conversation{row}") == "score"]
    assert 0 < len(scored) < len(TOPICS)
    assert [(each.group, each.question, each.rewrite) for each in tasks] == [
        (f"conversation{row}", "Where?", f"Where is {TOPICS[row]}?") for row in scored
    ]
