"""The benchmarks of written answers, citations and faithfulness, and how their claims are read."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contracts.provenance import Provenance
from contracts.text import Passage
from contracts.verdicts import FaithfulnessVerdict, SentenceFaithfulness
from golden_lab.benchmarks import answer_generation, citation
from golden_lab.benchmarks.answer_generation import CONTAINED, FAITHFUL, NEAREST, OURS, TOKEN_F1, WORDS
from golden_lab.benchmarks.base import Benchmark
from golden_lab.benchmarks.citation import nearest_annotation
from golden_lab.benchmarks.faithfulness import benchmarks
from golden_lab.datasets.annotated import expertqa_claims
from golden_lab.engine import Engine
from golden_lab.results import Outcome
from golden_lab.run import Run
from lab.tests.benchmarks import annotated_sets as sets
from lab.tests.benchmarks.annotated_sets import judged, measured


async def test_answerable_questions_are_answered_from_their_paragraph(engine: Engine, tmp_path: Path) -> None:
    sets.write_squad2(tmp_path)
    (benchmark,), run = answer_generation.benchmarks(), Run(data=tmp_path, work=tmp_path)
    first, second = await measured(benchmark, engine, run)
    assert (first.id, second.id) == ("q0", "q1"), "the two impossible questions have no answer to write"
    # The paragraph is one sentence of twelve words, which is both the written answer and the nearest sentence.
    assert first.trace["nearest sentence"] == sets.FACT
    assert first.values[NEAREST][CONTAINED] == 1
    assert first.values[NEAREST][WORDS] == 12
    # Without its two articles it has ten words, two of which are "2850 km".
    assert first.values[NEAREST][TOKEN_F1] == pytest.approx(2 * 2 / (10 + 2))
    assert first.values[OURS][CONTAINED] == 1
    assert first.values[OURS][FAITHFUL] == 1
    assert FAITHFUL not in first.values[NEAREST]
    assert first.loss == 0


def test_citations_are_compared_with_the_nearest_annotation() -> None:
    annotated = frozenset({(0, 1), (0, 2)})
    far, near = frozenset({(0, 1), (1, 0), (1, 1)}), frozenset({(0, 1)})
    # Compared with the nearer annotation: precision 1/2, recall 1.
    gold, scores = nearest_annotation(annotated, [far, near])
    assert gold == near
    assert scores == pytest.approx((0.5, 1.0, 2 / 3))
    assert nearest_annotation(frozenset(), [near]) == (near, (0.0, 0.0, 0.0))


async def test_supporting_line_of_a_page_is_found(engine: Engine, tmp_path: Path) -> None:
    sets.write_wice(tmp_path)
    wice, run = citation.benchmarks()[0], Run(data=tmp_path, work=tmp_path)
    supported, other = await measured(wice, engine, run)
    assert supported.values["sentence F1"] == 1
    assert supported.trace["cited"] == supported.trace["nearest annotation"] == sets.FACT
    assert supported.loss == 0
    # Bicycle bells have nothing to do with the page, so none of its sentences is cited.
    assert (other.values["linked"], other.loss) == (False, 0)
    found = {(each.metric, each.subset): each for each in wice.score([supported, other], 7)}
    assert (found["sentence F1", ""].value, found["sentence F1", ""].n) == (1, 1)
    assert found["linked", "supported"].value == 1
    assert not found["linked", "not_supported"].higher_is_better


async def test_only_the_answer_without_hallucination_is_measured(engine: Engine, tmp_path: Path) -> None:
    sets.write_ragtruth(tmp_path)
    (outcome,) = await measured(citation.benchmarks()[1], engine, Run(data=tmp_path, work=tmp_path))
    assert outcome.id == "true"
    assert outcome.values == {"sentences": [{"supported": True, "alone": (True,), "without": (False,)}]}
    assert outcome.loss == 0


def test_recall_counts_sentences_and_precision_counts_citations() -> None:
    def sentence(supported: bool, alone: list[bool], without: list[bool]) -> dict[str, object]:
        return {"supported": supported, "alone": alone, "without": without}

    outcomes = [
        # Two citations, of which one suffices and the other is unnecessary, and a sentence without citations.
        Outcome(id="a", values={"sentences": [sentence(True, [True, False], [False, True]), sentence(False, [], [])]}),
        Outcome(id="b", values={"sentences": [sentence(True, [True], [False])]}),
        Outcome(id="c", values={"sentences": []}),
    ]
    entailed = citation.benchmarks()[1]
    scores = {each.metric: each.value for each in entailed.score(outcomes, 7)}
    assert scores == pytest.approx({"citation F1": 2 / 3, "citation recall": 2 / 3, "citation precision": 2 / 3})
    assert {each.metric for each in entailed.about.published} == set(scores)


def copies(outcomes: list[Outcome], times: int = 4) -> list[Outcome]:
    """Return each outcome ``times`` times, in separate groups, because an AUROC from two cases has no interval."""
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
    # For each answer, the numbers of characters: correctly marked, marked, and invented.
    outcomes = [
        judged("a", True, True, 0.5, characters=[10, 30, 10]),
        judged("b", True, True, 0.5, characters=[0, 10, 10]),
        judged("c", False, False, 0.5, characters=[0, 0, 0]),
    ]
    found = by_metric(benchmarks()[0], outcomes)
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
    async def judge(self, question: str, sentences: Sequence[str], passages: Sequence[Passage]) -> FaithfulnessVerdict:
        partial = SentenceFaithfulness(label="partial", probability=0.6)
        return FaithfulnessVerdict(sentences=(partial,) * len(sentences), provenance=Provenance(implementation="test"))


async def test_partially_supported_claim_does_not_count_as_supported(engine: Engine, tmp_path: Path) -> None:
    sets.write_wice(tmp_path)
    partly = replace(engine, judges=replace(engine.judges, faithfulness_judge=PartialJudge()))
    outcomes = await measured(benchmarks()[1], partly, Run(data=tmp_path, work=tmp_path))
    assert [(each.values["said"], each.values["said label"]) for each in outcomes] == [(False, "partial")] * 2


async def test_answer_without_claims_gets_probability_one_half(engine: Engine, tmp_path: Path) -> None:
    sets.write_begin(tmp_path)
    begin = benchmarks()[3]
    wow, cmu, topical = await measured(begin, engine, Run(data=tmp_path, work=tmp_path))
    assert (wow.values["said"], topical.values["said"]) == (True, False)
    assert (cmu.values["said"], cmu.values["said label"], cmu.values["probability"]) == (False, "no_claim", 0.5)
    assert cmu.trace["reason"] == "It claims nothing."


def test_scores_with_three_labels_and_by_part_of_the_data_set() -> None:
    def outcome(id_: str, label: str, said: str, probability: float, subset: str) -> Outcome:
        more = {"label": label, "said label": said, "subset": subset}
        return judged(id_, label == "supported", said == "faithful", probability, **more)

    rows = [
        outcome("a", "supported", "faithful", 0.9, "one"),
        outcome("b", "partially_supported", "partial", 0.4, "one"),
        outcome("c", "not_supported", "partial", 0.3, "two"),
        outcome("d", "not_supported", "no_claim", 0.5, "two"),
    ]
    found = by_metric(benchmarks()[1], copies(rows))
    assert found["three-way accuracy", ""] == 0.5
    # F1 of "faithful" is 1, of "partial" 2/3 (one of two predictions is right), of "unfaithful" 0.
    assert found["three-way macro F1", ""] == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert found["AUROC", "one"] == 1
    # The part "two" contains no supported claim, so it has no AUROC.
    assert ("AUROC", "two") not in found
    assert ("three-way accuracy", "") not in by_metric(benchmarks()[3], copies(rows))


def test_claims_without_a_text_as_evidence_are_left_out(tmp_path: Path) -> None:
    sets.write_expertqa(tmp_path)
    claims = expertqa_claims(tmp_path)
    assert [(each.id, each.label, each.supported) for each in claims] == [
        ("0", "Complete", True), ("1", "Incomplete", False),
    ]  # fmt: skip
    assert [[passage.text for passage in each.passages] for each in claims] == [[sets.FACT], [sets.FACT, sets.OTHER]]
