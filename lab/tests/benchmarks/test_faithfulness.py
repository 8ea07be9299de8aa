"""The benchmarks of faithfulness: answers, characters, claims, in two and three classes."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import FaithfulnessVerdict, SentenceFaithfulness
from golden_lab.benchmarks.base import Benchmark
from golden_lab.benchmarks.faithfulness import benchmarks
from golden_lab.engine import Engine
from golden_lab.results import Outcome
from golden_lab.run import Run
from lab.tests.benchmarks import annotated_sets as sets
from lab.tests.benchmarks.measure import measured


def copies(outcomes: list[Outcome], times: int = 4) -> list[Outcome]:
    """Return each outcome ``times`` times, in groups of their own: an AUROC from two cases has no interval."""
    return [
        replace(each, id=f"{each.id}-{at}", values={**each.values, "group": f"{each.id}-{at}"})
        for at in range(times)
        for each in outcomes
    ]


def by_metric(benchmark: Benchmark[Any], outcomes: list[Outcome]) -> dict[tuple[str, str], float]:
    scores = benchmark.score(outcomes, 7)
    return {(each.metric, each.subset): each.value for each in scores if not each.system}


async def test_an_invented_sentence_is_found_with_its_characters(engine: Engine, tmp_path: Path) -> None:
    sets.write_ragtruth(tmp_path)
    ragtruth, run = benchmarks()[0], Run(data=tmp_path, work=tmp_path)
    true, invented = await measured(ragtruth, engine, run)
    assert (true.values["truth"], true.values["said"], true.values["characters"]) == (False, False, [0, 0, 0])
    assert (invented.values["truth"], invented.values["said"]) == (True, True)
    length = len("It was dug by 47 giants in 1203.")
    assert invented.values["characters"] == [length] * 3
    assert invented.trace["worst sentence"] == "It was dug by 47 giants in 1203."
    assert true.loss < 0.1
    assert invented.loss < 0.5
    found = by_metric(ragtruth, copies([true, invented]))
    assert found["F1 hallucinated", ""] == found["span F1", ""] == found["AUROC", ""] == 1
    assert {each.metric for each in ragtruth.about.published} <= {metric for metric, _ in found}


def test_characters_are_counted_over_all_answers() -> None:
    def outcome(id_: str, said: int, gold: int, hit: int) -> Outcome:
        values = {"truth": gold > 0, "said": said > 0, "probability": 0.5, "group": id_}
        return Outcome(id=id_, values={**values, "characters": [hit, said, gold]})

    found = by_metric(
        benchmarks()[0], [outcome("a", 30, 10, 10), outcome("b", 10, 10, 0), outcome("c", 0, 0, 0)]
    )  # fmt: skip
    assert found["span precision", ""] == pytest.approx(10 / 40)
    assert found["span recall", ""] == pytest.approx(10 / 20)
    assert found["span F1", ""] == pytest.approx(1 / 3)


async def test_claims_of_the_scored_half_are_checked_against_their_evidence(engine: Engine, tmp_path: Path) -> None:
    sets.write_wice(tmp_path)
    supported, other = await measured(benchmarks()[1], engine, Run(data=tmp_path, work=tmp_path))
    assert (supported.values["truth"], supported.values["said"], supported.values["said label"]) == (
        True, True, "faithful",
    )  # fmt: skip
    assert (other.values["truth"], other.values["said"]) == (False, False)
    assert other.trace["reason"].startswith("No passage mentions")
    assert other.loss < 0.5


class PartialJudge:
    """Finds every sentence supported in part."""

    async def judge(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> FaithfulnessVerdict:
        partial = SentenceFaithfulness(label="partial", probability=0.6)
        return FaithfulnessVerdict(sentences=(partial,) * len(sentences), provenance=Provenance(implementation="test"))


async def test_what_is_supported_in_part_is_not_called_supported(engine: Engine, tmp_path: Path) -> None:
    sets.write_wice(tmp_path)
    partly = replace(engine, judges=replace(engine.judges, faithfulness_judge=PartialJudge()))
    outcomes = await measured(benchmarks()[1], partly, Run(data=tmp_path, work=tmp_path))
    assert [(each.values["said"], each.values["said label"]) for each in outcomes] == [(False, "partial")] * 2


async def test_what_claims_nothing_is_neither_supported_nor_sure(engine: Engine, tmp_path: Path) -> None:
    sets.write_begin(tmp_path)
    begin = benchmarks()[3]
    wow, cmu, topical = await measured(begin, engine, Run(data=tmp_path, work=tmp_path))
    assert (wow.values["said"], topical.values["said"]) == (True, False)
    assert (cmu.values["said"], cmu.values["said label"], cmu.values["probability"]) == (False, "no_claim", 0.5)
    assert cmu.trace["reason"] == "It claims nothing."


def test_three_labels_and_the_parts_of_a_set() -> None:
    def outcome(id_: str, label: str, said: str, probability: float, subset: str = "") -> Outcome:
        values = {
            "truth": label == "supported", "said": said == "faithful", "probability": probability, "group": id_,
            "label": label, "said label": said, "subset": subset,
        }  # fmt: skip
        return Outcome(id=id_, values=values)

    rows = [
        outcome("a", "supported", "faithful", 0.9, "one"),
        outcome("b", "partially_supported", "partial", 0.4, "one"),
        outcome("c", "not_supported", "partial", 0.3, "two"),
        outcome("d", "not_supported", "no_claim", 0.5, "two"),
    ]
    found = by_metric(benchmarks()[1], copies(rows))
    assert found["three-way accuracy", ""] == 0.5
    # F1 of faithful is 1, of partial 2/3 (one of two that were called so), of unfaithful 0.
    assert found["three-way macro F1", ""] == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert found["AUROC", "one"] == 1
    # The part "two" holds no supported claim: it has no AUROC.
    assert ("AUROC", "two") not in found
    assert ("three-way accuracy", "") not in by_metric(benchmarks()[3], copies(rows))
