"""The benchmark of certainty: answers are written, checked and held against the known ones."""

from pathlib import Path

import pytest

from golden_lab.benchmarks.certainty import ALL_QUESTIONS, benchmarks, holds_answer
from golden_lab.engine import Engine
from golden_lab.results import Outcome
from golden_lab.run import Run
from lab.tests.benchmarks import annotated_sets as sets
from lab.tests.benchmarks.measure import measured


def test_a_gold_answer_must_stand_as_whole_words() -> None:
    assert holds_answer("The Danube is 2,850 km long.", ("2850 km",))
    assert holds_answer("It began in October 1973.", ("the October", "May"))
    assert not holds_answer("It has 15 gates.", ("5",))
    assert not holds_answer("It is long.", ("",))
    assert not holds_answer("It is long.", ())


async def test_answers_are_right_where_they_hold_a_gold_answer(engine: Engine, tmp_path: Path) -> None:
    sets.write_squad2(tmp_path, answerable=1, impossible=1)
    (certainty,) = benchmarks()
    answerable, impossible = await measured(certainty, engine, Run(data=tmp_path, work=tmp_path))
    assert "2850 km" in answerable.trace["answer"]
    assert (answerable.values["truth"], answerable.trace["truth"]) == (True, "right")
    assert (impossible.values["truth"], impossible.trace["gold answers"]) == (False, "none: unanswerable")
    for each in (answerable, impossible):
        assert round(10 * each.values["probability"], 6) % 1 == 0
        gap = abs(each.values["probability"] - float(each.values["truth"]))
        assert each.loss == pytest.approx(gap if each.values["said"] else 0)


def test_only_answers_that_pass_the_gate_count_in_the_main_scores() -> None:
    def outcome(id_: str, truth: bool, said: bool, probability: float) -> Outcome:
        return Outcome(id=id_, values={"truth": truth, "said": said, "probability": probability, "group": id_})

    outcomes = [
        outcome("a", True, True, 0.8),
        outcome("b", False, True, 0.8),
        outcome("c", True, True, 0.9),
        outcome("d", False, False, 0.3),
    ]
    (certainty,) = benchmarks()
    scores = certainty.score(outcomes, 7)
    found = {(each.metric, each.subset): each for each in scores}
    # 0.8 was said twice and true once, 0.9 once and true: (2 * 0.3 + 1 * 0.1) / 3.
    assert found["ECE", ""].value == pytest.approx(0.7 / 3)
    assert found["ECE", ALL_QUESTIONS].value == pytest.approx((0.6 + 0.1 + 0.3) / 4)
    assert found["right answers", ""].value == pytest.approx(2 / 3)
    assert (found["answered", ""].value, found["answered", ""].n) == (0.75, 4)
    assert not found["ECE", ""].higher_is_better
