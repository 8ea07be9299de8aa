"""The synthetic experiment on abbreviations, and the embedded identifier's result in it."""

from dataclasses import replace
from pathlib import Path

import pytest

from contracts.provenance import Provenance
from contracts.verdicts import IdentifiedJargon
from golden_lab.benchmarks.abbreviations import AbbreviationBenchmark, first_letter_weights, make_questions
from golden_lab.engine import Engine
from golden_lab.run import Run


class Blind:
    """An identifier that finds nothing."""

    async def identify(self, question: str) -> IdentifiedJargon:
        return IdentifiedJargon(mentions=(), provenance=Provenance(implementation="embedded"))


def test_weights_are_shares_of_first_letters() -> None:
    weights = first_letter_weights(["apple", "Ant", "bee", "3d"])
    assert weights[:2] == pytest.approx((2 / 3, 1 / 3))
    assert sum(weights) == pytest.approx(1.0)


def test_questions_hold_their_abbreviations_and_follow_the_seed() -> None:
    questions = make_questions(seed=3, questions_per_count=20)
    assert questions == make_questions(seed=3, questions_per_count=20)
    assert questions != make_questions(seed=4, questions_per_count=20)
    assert {len(question.abbreviations) for question in questions} == {1, 2, 3, 4, 5}
    assert all(abbreviation in question.text for question in questions for abbreviation in question.abbreviations)


async def test_finding_nothing_scores_nothing(engine: Engine, tmp_path: Path) -> None:
    blind = replace(engine, judges=replace(engine.judges, jargon_identifier=Blind()))
    assert set((await _scored(blind, 1, 5, tmp_path)).values()) == {0.0}


@pytest.mark.parametrize("seed", range(1, 6))
async def test_the_embedded_identifier_finds_them_all_and_nothing_else(
    engine: Engine, tmp_path: Path, seed: int
) -> None:
    assert set((await _scored(engine, seed, 100, tmp_path)).values()) == {1.0}


async def _scored(engine: Engine, seed: int, per_count: int, folder: Path) -> dict[str, float]:
    benchmark, run = AbbreviationBenchmark(per_count=per_count), Run(data=folder, work=folder, seed=seed)
    outcomes = [await benchmark.measure(case, engine) for case in benchmark.load(run).cases]
    return {f"{each.metric} {each.subset}": each.value for each in benchmark.score(outcomes, run).scores}
