"""The benchmarks of citation: evidence sentences in a page, and citations that entail their sentence."""

from pathlib import Path

import pytest

from golden_lab.benchmarks.citation import benchmarks, nearest_annotation
from golden_lab.engine import Engine
from golden_lab.results import Outcome
from golden_lab.run import Run
from lab.tests.benchmarks import annotated_sets as sets
from lab.tests.benchmarks.measure import measured


def test_the_nearest_annotation_counts() -> None:
    annotated = frozenset({(0, 1), (0, 2)})
    far, near = frozenset({(0, 1), (1, 0), (1, 1)}), frozenset({(0, 1)})
    # Against near: one of two said is right, all of one found.
    gold, scores = nearest_annotation(annotated, [far, near])
    assert gold == near
    assert scores == pytest.approx((0.5, 1.0, 2 / 3))
    assert nearest_annotation(frozenset(), [near]) == (near, (0.0, 0.0, 0.0))


async def test_the_line_that_says_it_is_found_in_the_page(engine: Engine, tmp_path: Path) -> None:
    sets.write_wice(tmp_path)
    wice, run = benchmarks()[0], Run(data=tmp_path, work=tmp_path)
    supported, other = await measured(wice, engine, run)
    assert supported.values["sentence F1"] == 1
    assert supported.trace["cited"] == supported.trace["nearest annotation"] == sets.FACT
    assert supported.loss == 0
    # Bicycle bells have nothing to do with the page: no sentence of it is cited.
    assert (other.values["linked"], other.loss) == (False, 0)
    found = {(each.metric, each.subset): each for each in wice.score([supported, other], 7)}
    assert (found["sentence F1", ""].value, found["sentence F1", ""].n) == (1, 1)
    assert found["linked", "supported"].value == 1
    assert not found["linked", "not_supported"].higher_is_better


async def test_an_answer_without_hallucination_is_cited_and_judged(engine: Engine, tmp_path: Path) -> None:
    sets.write_ragtruth(tmp_path)
    (outcome,) = await measured(benchmarks()[1], engine, Run(data=tmp_path, work=tmp_path))
    assert outcome.id == "true"
    assert outcome.values == {"sentences": [{"supported": True, "alone": (True,), "without": (False,)}]}
    assert outcome.loss == 0


def test_recall_counts_sentences_and_precision_citations() -> None:
    def sentence(supported: bool, alone: list[bool], without: list[bool]) -> dict[str, object]:
        return {"supported": supported, "alone": alone, "without": without}

    outcomes = [
        # Two citations of which one is enough and the other is not needed, and a sentence without any.
        Outcome(id="a", values={"sentences": [sentence(True, [True, False], [False, True]), sentence(False, [], [])]}),
        Outcome(id="b", values={"sentences": [sentence(True, [True], [False])]}),
        Outcome(id="c", values={"sentences": []}),
    ]
    entailed = benchmarks()[1]
    scores = {each.metric: each.value for each in entailed.score(outcomes, 7)}
    assert scores == pytest.approx({"citation F1": 2 / 3, "citation recall": 2 / 3, "citation precision": 2 / 3})
    assert {each.metric for each in entailed.about.published} == set(scores)
