from pathlib import Path
from typing import Any

import pytest

from golden_lab.benchmarks.answer_judges import benchmarks
from golden_lab.judge.human_ratings import load_preferences, load_ratings
from golden_lab.results import Outcome
from golden_lab.run import Run
from golden_lab.splits import conversation_of
from lab.tests.benchmarks.annotated_sets import write_rows

pytestmark = pytest.mark.slow


def rated_set() -> dict[str, Any]:
    tasks, evaluations = [], []
    for number in range(12):
        task = f"conversation{number}<::>2"
        turns = (("user", "Hi."), ("agent", "Yes?"), ("user", f"Question {number}?"))
        tasks.append({
            "task_id": task, "input": [{"speaker": speaker, "text": text} for speaker, text in turns],
            "contexts": [{"document_id": "d"}], "targets": [{"speaker": "agent", "text": "Reference."}],
            "Answerability": ["ANSWERABLE"],
        })  # fmt: skip
        ratings = {
            name: {rater: {"value": value} for rater, value in (("x", "4"), ("y", "3"), ("z", "2"))}
            for name in ("faithfulness", "appropriateness", "completeness", "naturalness")
        }
        annotations = {
            **ratings,
            "win-rate": {"x": {"value": 100.0}, "y": {"value": 50.0}},
            "rl_f": {"composite": {"value": 0.25}},
            "RougeL": {"system": {"value": 1.0}},
        }
        evaluations.append({"task_id": task, "model_id": "m", "model_response": "Answer.", "annotations": annotations})
    return {"documents": [{"document_id": "d", "text": "Passage."}], "tasks": tasks, "evaluations": evaluations}


def test_ratings_are_read_by_halves_and_averaged(tmp_path: Path) -> None:
    write_rows(tmp_path / "mtrag" / "human_eval_subset.json.gz", [rated_set()])
    fit, score = load_ratings(tmp_path, "fit"), load_ratings(tmp_path, "score")
    assert len(fit) + len(score) == 12
    assert fit
    assert score
    assert not {conversation_of(each.task) for each in fit} & {conversation_of(each.task) for each in score}
    one = score[0]
    assert (one.ratings["faithfulness"], one.ratings["win-rate"]) == (3.0, 75.0)
    assert one.metrics == {"RL-F": 0.25, "Rouge-L": 1.0}
    assert (one.item.passages, one.item.answer) == (("Passage.",), "Answer.")
    assert one.item.question == one.turns[-1].text
    assert len(one.turns) == 3
    cases = benchmarks()[0].load(Run(data=tmp_path, work=tmp_path)).cases
    assert cases == score


def test_two_annotators_of_a_pair_make_one_case(tmp_path: Path) -> None:
    rows = [
        {
            "instance_id": at, "dataset": "d", "query": "Q?", "gt_answer": "R.", "model1": {"response": "A."},
            "model2": {"response": "B."}, "correctness_label": label, "completeness_label": 0, "overall_label": -label,
        }
        for at in (0, 1)
        for label in (1, 2)
    ]  # fmt: skip
    write_rows(tmp_path / "ragchecker_meta" / "human_labeled.jsonl.gz", rows)
    pairs = load_preferences(tmp_path)
    assert [pair.id for pair in pairs] == ["0", "1"]
    assert [label["overall"] for label in pairs[0].labels] == [-1, -2]
    assert (pairs[0].first, pairs[0].second, pairs[0].reference) == ("A.", "B.", "R.")


def rated(at: int, judge: float, people: float, metric: float) -> Outcome:
    names = ("relevance", "faithfulness", "completeness", "weighted")
    rated_as = ("appropriateness", "faithfulness", "completeness", "win-rate")
    return Outcome(
        id=str(at),
        values={
            "task": f"t{at}",
            "judge": dict.fromkeys(names, judge),
            "people": dict.fromkeys(rated_as, people),
            "metrics": {"RL-F": metric},
        },
    )


def test_rank_correlations_match_values_computed_by_hand() -> None:
    # Judge: ranks 1 3 2 4 against 1 2 3 4; the metric's ranks are in the opposite order.
    rows = [(1.0, 1.0, 9.0), (3.0, 2.0, 8.0), (2.0, 3.0, 7.0), (4.0, 4.0, 6.0)]
    outcomes = [rated(at, *row) for at, row in enumerate(rows)]
    scores = benchmarks()[0].score(outcomes, 7)
    found = {(each.metric, each.subset, each.system): each.value for each in scores}
    assert len(found) == 4 * 2 + 4
    assert found["Spearman", "faithfulness", ""] == pytest.approx(1 - 6 * 2 / (4 * 15))
    assert found["Kendall tau-b", "win-rate", ""] == pytest.approx((5 - 1) / 6)
    assert found["Spearman", "appropriateness", "RL-F"] == pytest.approx(-1)


def test_preference_scores_match_values_computed_by_hand() -> None:
    rows = [(0.5, (2, 1)), (-0.2, (-1, 0)), (0.0, (-1, -2)), (0.1, (-2, -2))]
    outcomes = [
        Outcome(
            id=str(at),
            values={
                "judge": dict.fromkeys(("correctness", "completeness", "overall"), judge),
                "rouge": judge,
                "labels": [dict.fromkeys(("correctness", "completeness", "overall"), label) for label in labels],
            },
        )
        for at, (judge, labels) in enumerate(rows)
    ]
    scores = benchmarks()[1].score(outcomes, 7)
    found = {(each.metric, each.subset, each.system): each for each in scores}
    # Seven labels are not ties: three are predicted correctly, two are judged as ties, and two are wrong.
    accuracy = found["accuracy", "overall", ""]
    assert (accuracy.value, accuracy.n) == (pytest.approx((3 + 2 * 0.5) / 7), 7)
    assert found["Pearson", "overall", "a second person"].n == 4
    assert found["Spearman", "overall", ""].n == 8
