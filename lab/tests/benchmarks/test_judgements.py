"""The benchmarks of answerability, certainty, relevance and refinement: their cases, outcomes and scores."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from golden_lab.benchmarks import certainty, context_relevance, refinement
from golden_lab.benchmarks.answerability import benchmarks
from golden_lab.benchmarks.base import sample_by_kind
from golden_lab.benchmarks.certainty import ALL_QUESTIONS, holds_answer
from golden_lab.benchmarks.refinement import ALWAYS, LENGTH, LOWEST, NOISY, POLICY, SHIPPED
from golden_lab.datasets.annotated import squad2_questions
from golden_lab.engine import Engine
from golden_lab.results import Outcome, SplitUse
from golden_lab.run import Run
from golden_lab.splits import half
from lab.tests.benchmarks import annotated_sets as sets
from lab.tests.benchmarks.annotated_sets import judged, measured


async def test_each_question_is_judged_with_its_own_paragraph(engine: Engine, tmp_path: Path) -> None:
    sets.write_squad2(tmp_path)
    squad2 = benchmarks()[0]
    outcomes = await measured(squad2, engine, Run(data=tmp_path, work=tmp_path))
    assert [each.id for each in outcomes] == ["q0", "q1", "q2", "q3"]
    assert [each.values["truth"] for each in outcomes] == [True, True, False, False]
    # The paragraph states the length, but mentions no painter and not the year 1890.
    assert outcomes[0].values["probability"] > outcomes[2].values["probability"]
    threshold = engine.judges.policy.answerability_threshold
    for each in outcomes:
        probability = each.values["probability"]
        assert each.values["said"] == (probability >= threshold)
        assert each.loss == pytest.approx(abs(probability - float(each.values["truth"])))
        assert each.trace["passage"] == sets.FACT
    assert "1890" in outcomes[2].trace["reason"]


async def test_partly_answerable_counts_as_answerable(engine: Engine, tmp_path: Path) -> None:
    sets.write_mtrag(tmp_path)
    outcomes = await measured(benchmarks()[1], engine, Run(data=tmp_path, work=tmp_path))
    assert [(each.values["kind"], each.values["truth"]) for each in outcomes] == [
        ("answerable", True), ("unanswerable", False), ("partial", True),
    ]  # fmt: skip


def test_share_called_answerable_is_scored_per_kind() -> None:
    outcomes = [
        judged("1", True, True, 0.9, kind="answerable"),
        judged("2", True, False, 0.4, kind="partial"),
        judged("3", False, True, 0.6, kind="unanswerable"),
    ]
    found = {(each.metric, each.subset): each for each in benchmarks()[1].score(outcomes, 7)}
    assert found["called answerable", "answerable"].value == 1
    assert found["called answerable", "partial"].value == 0
    assert not found["called answerable", "unanswerable"].higher_is_better


def test_sample_keeps_a_fixed_number_of_each_kind_and_notes_it(tmp_path: Path) -> None:
    sets.write_squad2(tmp_path, answerable=6, impossible=3)
    load = sample_by_kind(squad2_questions, {"present": 2})
    run = Run(data=tmp_path, work=tmp_path, seed=5)
    kept = load(run)
    assert [each.kind for each in kept.cases] == ["present"] * 2 + ["adversarial"] * 3
    assert kept.note == "2 of 6 questions “present”, seed 5"
    assert load(run) == kept
    smaller = load(replace(run, largest_sample=1))
    assert [each.kind for each in smaller.cases] == ["present", "adversarial"]
    whole = load(Run(data=tmp_path, work=tmp_path, full=True))
    assert (len(whole.cases), whole.note) == (9, "")


def test_gold_answer_matches_whole_words_only() -> None:
    assert holds_answer("The Danube is 2,850 km long.", ("2850 km",))
    assert holds_answer("It began in October 1973.", ("the October", "May"))
    assert not holds_answer("It has 15 gates.", ("5",))
    assert not holds_answer("It is long.", ("",))
    assert not holds_answer("It is long.", ())


async def test_answer_is_right_if_it_contains_a_gold_answer(engine: Engine, tmp_path: Path) -> None:
    sets.write_squad2(tmp_path, answerable=1, impossible=1)
    (benchmark,) = certainty.benchmarks()
    answerable, impossible = await measured(benchmark, engine, Run(data=tmp_path, work=tmp_path))
    assert "2850 km" in answerable.trace["answer"]
    assert (answerable.values["truth"], answerable.trace["truth"]) == (True, "right")
    assert (impossible.values["truth"], impossible.trace["gold answers"]) == (False, "none: unanswerable")
    for each in (answerable, impossible):
        assert round(10 * each.values["probability"], 6) % 1 == 0
        gap = abs(each.values["probability"] - float(each.values["truth"]))
        assert each.loss == pytest.approx(gap if each.values["said"] else 0)


def test_only_answers_that_pass_the_gate_count_in_the_main_scores() -> None:
    outcomes = [
        judged("a", True, True, 0.8),
        judged("b", False, True, 0.8),
        judged("c", True, True, 0.9),
        judged("d", False, False, 0.3),
    ]
    (benchmark,) = certainty.benchmarks()
    scores = benchmark.score(outcomes, 7)
    found = {(each.metric, each.subset): each for each in scores}
    # A certainty of 0.8 twice, correct once; 0.9 once, correct: (2 * 0.3 + 1 * 0.1) / 3.
    assert found["ECE", ""].value == pytest.approx(0.7 / 3)
    assert found["ECE", ALL_QUESTIONS].value == pytest.approx((0.6 + 0.1 + 0.3) / 4)
    assert found["right answers", ""].value == pytest.approx(2 / 3)
    assert (found["answered", ""].value, found["answered", ""].n) == (0.75, 4)
    assert not found["ECE", ""].higher_is_better


async def test_the_passages_of_the_scored_half_are_judged(engine: Engine, tmp_path: Path) -> None:
    sets.write_mtrag(tmp_path)
    (relevance,) = context_relevance.benchmarks()
    outcomes = await measured(relevance, engine, Run(data=tmp_path, work=tmp_path))
    assert relevance.about.uses == (SplitUse(file="mtrag/tasks.jsonl.gz", part="score"),)
    assert [half("mtrag", each.id.split("<::>")[0]) for each in outcomes] == ["score"] * 3
    bells, danube = outcomes[0].values["passages"]
    assert (bells["truth"], danube["truth"]) == (False, True)
    assert danube["probability"] > bells["probability"]
    worst = max((bells, danube), key=lambda each: abs(each["probability"] - each["truth"]))
    assert outcomes[0].loss == pytest.approx(abs(worst["probability"] - worst["truth"]))
    assert outcomes[0].trace["passage"] == (sets.OTHER if worst is bells else sets.FACT)


def test_partial_counts_as_relevant_and_is_also_scored_separately() -> None:
    def passage(truth: bool, label: str, probability: float) -> dict[str, Any]:
        said = label in ("relevant", "partial")
        return {"truth": truth, "said": said, "probability": probability, "group": "c", "label": label}

    one = [passage(True, "relevant", 0.9), passage(True, "partial", 0.4), passage(False, "partial", 0.3)]
    other = [passage(False, "irrelevant", 0.1)]
    outcomes = [Outcome(id="a", values={"passages": one}), Outcome(id="b", values={"passages": other})]
    (relevance,) = context_relevance.benchmarks()
    scores = relevance.score(outcomes, 7)
    found = {(each.metric, each.system): each.value for each in scores}
    assert found["precision relevant", ""] == pytest.approx(2 / 3)
    assert found["recall irrelevant", ""] == 0.5
    assert found["precision relevant", "“relevant” only"] == 1
    assert found["recall relevant", "“relevant” only"] == 0.5
    assert found["AUROC", ""] == 1
    assert {each.metric for each in relevance.about.published} <= {each.metric for each in scores}
    assert all(each.n == 4 for each in scores)


def refined(number: int, signal: float, words: int, *, hallucinated: bool, fired: bool = False) -> Outcome:
    # Three signals are below the threshold; the lowest two mean that retrieval looks noisy.
    more = {"below": signal < 0.65, "noisy": signal < 0.6, "words": words}
    return judged(str(number), hallucinated, fired, 1 - signal, **more)


async def test_answer_with_invented_words_has_a_lower_overlap(engine: Engine, tmp_path: Path) -> None:
    sets.write_ragtruth(tmp_path)
    (benchmark,), run = refinement.benchmarks(), Run(data=tmp_path, work=tmp_path)
    true, invented = await measured(benchmark, engine, run)
    assert (true.values["truth"], true.values["probability"], true.values["below"]) == (False, 0.0, False)
    assert invented.values["truth"] is True
    # Danube, 2850, km, long, flows, Black, Sea are in the passages; dug, 47, giants, 1203 are not.
    assert invented.values["probability"] == pytest.approx(4 / 11, abs=1e-4)
    assert invented.values["below"] is True
    assert {type(each.values["noisy"]) for each in (true, invented)} == {bool}
    assert "It was dug by 47 giants in 1203." in invented.trace["truth"]
    assert invented.loss == pytest.approx(7 / 11, abs=1e-4)


def test_rewriting_rules_match_values_computed_by_hand() -> None:
    outcomes = [
        refined(1, 0.2, 9, hallucinated=True),
        refined(2, 0.5, 8, hallucinated=False),
        refined(3, 0.6, 7, hallucinated=True),
        refined(4, 0.8, 6, hallucinated=True),
        refined(5, 0.9, 5, hallucinated=False),
    ]
    found = {(each.system, each.metric): each for each in refinement.benchmarks()[0].score(outcomes, 7)}
    # Of six pairs, the faithful answer has the lower signal in two: 0.5 against 0.6 and 0.8.
    assert found["", "AUROC"].value == pytest.approx(4 / 6)
    assert found[LENGTH, "AUROC"].value == pytest.approx(4 / 6)
    metrics = ("share fired", "precision", "recall")
    assert [found[SHIPPED, each].value for each in metrics] == pytest.approx([3 / 5, 2 / 3, 2 / 3])
    for rule in (LOWEST, NOISY):
        assert [found[rule, each].value for each in metrics] == pytest.approx([2 / 5, 1 / 2, 1 / 3])
    assert (found[ALWAYS, "precision"].value, found[ALWAYS, "recall"].value) == (3 / 5, 1)
    assert found[POLICY, "share fired"].value == 0
    assert (POLICY, "precision") not in found, "a rule that never fires has no precision"
