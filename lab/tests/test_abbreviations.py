"""The synthetic experiment on abbreviations, and the embedded identifier's result in it."""

from dataclasses import replace

import pytest

from contracts.provenance import Provenance
from contracts.verdicts import IdentifiedJargon
from golden_lab.benchmarks.abbreviations import make_questions, measure, score
from golden_lab.engine import Engine


class Blind:
    """An identifier that finds nothing."""

    async def identify(self, question: str) -> IdentifiedJargon:
        return IdentifiedJargon(mentions=(), provenance=Provenance(implementation="embedded"))


def test_questions_hold_their_abbreviations_and_follow_the_seed() -> None:
    questions = make_questions(seed=3, per_count=20)
    assert questions == make_questions(seed=3, per_count=20)
    assert questions != make_questions(seed=4, per_count=20)
    assert {len(question.abbreviations) for question in questions} == {1, 2, 3, 4, 5}
    assert all(abbreviation in question.text for question in questions for abbreviation in question.abbreviations)


async def test_finding_nothing_scores_nothing(engine: Engine) -> None:
    blind = replace(engine, judges=replace(engine.judges, jargon_identifier=Blind()))
    assert set((await _scored(blind, 1, 5)).values()) == {0.0}


@pytest.mark.parametrize("seed", range(1, 6))
async def test_the_embedded_identifier_finds_them_all_and_nothing_else(engine: Engine, seed: int) -> None:
    assert set((await _scored(engine, seed, 100)).values()) == {1.0}


async def _scored(engine: Engine, seed: int, per_count: int) -> dict[str, float]:
    outcomes = [await measure(case, engine) for case in make_questions(seed=seed, per_count=per_count)]
    return {f"{each.metric} {each.subset}": each.value for each in score(outcomes, 7)}
