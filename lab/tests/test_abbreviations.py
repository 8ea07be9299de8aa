"""The synthetic experiment on abbreviations, and the embedded identifier's result in it."""

import pytest

from contracts.provenance import Provenance
from contracts.verdicts import IdentifiedJargon
from golden_lab.benchmarks.abbreviations import first_letter_weights, make_questions, measure_abbreviations
from intrinsics.jargon_identification.embedded import EmbeddedJargonIdentifier
from tools.jargon.memory import InMemoryJargonDictionary


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


async def test_finding_nothing_scores_nothing() -> None:
    report = await measure_abbreviations(Blind(), seed=1, questions_per_count=5)
    assert set(report.accuracy.values()) == {0.0}
    assert len(report.misses) == 25


@pytest.mark.parametrize("seed", range(1, 6))
async def test_the_embedded_identifier_finds_them_all_and_nothing_else(seed: int) -> None:
    identifier = EmbeddedJargonIdentifier(InMemoryJargonDictionary(()))
    report = await measure_abbreviations(identifier, seed=seed, questions_per_count=100)
    assert report.misses == ()
    assert set(report.accuracy.values()) == {1.0}
