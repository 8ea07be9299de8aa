"""The benchmark of refinement: which answers would be written again, by the engine and by plain rules."""

from pathlib import Path

import pytest

from golden_lab.benchmarks.refinement import ALWAYS, LENGTH, LOWEST, NOISY, POLICY, SHIPPED, benchmarks
from golden_lab.engine import Engine
from golden_lab.results import Outcome
from golden_lab.run import Run
from lab.tests.benchmarks import annotated_sets as sets
from lab.tests.benchmarks.measure import measured


def outcome(number: int, signal: float, words: int, *, hallucinated: bool, fired: bool = False) -> Outcome:
    values = {"truth": hallucinated, "said": fired, "probability": 1 - signal, "group": str(number)}
    # Of the three below the threshold, retrieval looks noisy for the lowest two.
    return Outcome(id=str(number), values={**values, "below": signal < 0.65, "noisy": signal < 0.6, "words": words})


async def test_an_answer_with_invented_words_has_the_lower_signal(engine: Engine, tmp_path: Path) -> None:
    sets.write_ragtruth(tmp_path)
    (benchmark,), run = benchmarks(), Run(data=tmp_path, work=tmp_path)
    true, invented = await measured(benchmark, engine, run)
    assert (true.values["truth"], true.values["probability"], true.values["below"]) == (False, 0.0, False)
    assert invented.values["truth"] is True
    # Danube, 2850, km, long, flows, Black, Sea stand in the passages; dug, 47, giants, 1203 in none.
    assert invented.values["probability"] == pytest.approx(4 / 11, abs=1e-4)
    assert invented.values["below"] is True
    assert {type(each.values["noisy"]) for each in (true, invented)} == {bool}
    assert "It was dug by 47 giants in 1203." in invented.trace["truth"]
    assert invented.loss == pytest.approx(7 / 11, abs=1e-4)


def test_rules_by_hand() -> None:
    outcomes = [
        outcome(1, 0.2, 9, hallucinated=True),
        outcome(2, 0.5, 8, hallucinated=False),
        outcome(3, 0.6, 7, hallucinated=True),
        outcome(4, 0.8, 6, hallucinated=True),
        outcome(5, 0.9, 5, hallucinated=False),
    ]
    found = {(each.system, each.metric): each for each in benchmarks()[0].score(outcomes, 7)}
    # Of six pairs, the faithful answer has the lower signal in two: 0.5 against 0.6 and 0.8.
    assert found["", "AUROC"].value == pytest.approx(4 / 6)
    assert found[LENGTH, "AUROC"].value == pytest.approx(4 / 6)
    assert [found[SHIPPED, each].value for each in ("share fired", "precision", "recall")] == pytest.approx(
        [3 / 5, 2 / 3, 2 / 3]
    )
    assert [found[LOWEST, each].value for each in ("share fired", "precision", "recall")] == pytest.approx(
        [2 / 5, 1 / 2, 1 / 3]
    )
    assert [found[NOISY, each].value for each in ("share fired", "precision", "recall")] == pytest.approx(
        [2 / 5, 1 / 2, 1 / 3]
    )
    assert (found[ALWAYS, "precision"].value, found[ALWAYS, "recall"].value) == (3 / 5, 1)
    assert found[POLICY, "share fired"].value == 0
    assert (POLICY, "precision") not in found, "what never fires has no precision"
