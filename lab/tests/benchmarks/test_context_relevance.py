"""The benchmark of context relevance: passage by passage, on the half that nothing is fitted on."""

from pathlib import Path
from typing import Any

import pytest

from golden_lab.benchmarks.context_relevance import benchmarks
from golden_lab.engine import Engine
from golden_lab.results import Outcome, SplitUse
from golden_lab.run import Run
from golden_lab.splits import half
from lab.tests.benchmarks import annotated_sets as sets
from lab.tests.benchmarks.measure import measured


async def test_the_passages_of_the_scored_half_are_judged(engine: Engine, tmp_path: Path) -> None:
    sets.write_mtrag(tmp_path)
    (relevance,) = benchmarks()
    outcomes = await measured(relevance, engine, Run(data=tmp_path, work=tmp_path))
    assert relevance.about.uses == (SplitUse(file="mtrag/tasks.jsonl.gz", part="score"),)
    assert [half("mtrag", each.id.split("<::>")[0]) for each in outcomes] == ["score"] * 3
    bells, danube = outcomes[0].values["passages"]
    assert (bells["truth"], danube["truth"]) == (False, True)
    assert danube["probability"] > bells["probability"]
    worst = max((bells, danube), key=lambda each: abs(each["probability"] - each["truth"]))
    assert outcomes[0].loss == pytest.approx(abs(worst["probability"] - worst["truth"]))
    assert outcomes[0].trace["passage"] == (sets.OTHER if worst is bells else sets.FACT)


def test_partial_counts_as_relevant_and_is_told_apart() -> None:
    def judged(truth: bool, label: str, probability: float) -> dict[str, Any]:
        said = label in ("relevant", "partial")
        return {"truth": truth, "said": said, "probability": probability, "group": "c", "label": label}

    one = [judged(True, "relevant", 0.9), judged(True, "partial", 0.4), judged(False, "partial", 0.3)]
    other = [judged(False, "irrelevant", 0.1)]
    outcomes = [Outcome(id="a", values={"passages": one}), Outcome(id="b", values={"passages": other})]
    (relevance,) = benchmarks()
    scores = relevance.score(outcomes, 7)
    found = {(each.metric, each.system): each.value for each in scores}
    assert found["precision relevant", ""] == pytest.approx(2 / 3)
    assert found["recall irrelevant", ""] == 0.5
    assert found["precision relevant", "“relevant” only"] == 1
    assert found["recall relevant", "“relevant” only"] == 0.5
    assert found["AUROC", ""] == 1
    assert {each.metric for each in relevance.about.published} <= {each.metric for each in scores}
    assert all(each.n == 4 for each in scores)
