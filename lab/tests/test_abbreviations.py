"""The synthetic experiment on abbreviations, and the embedded identifier's result in it."""

from golden_lab.benchmarks.abbreviations import make_questions, measure, score
from golden_lab.engine import Engine


def test_questions_hold_their_abbreviations_and_follow_the_seed() -> None:
    questions = make_questions(seed=3, per_count=20)
    assert questions == make_questions(seed=3, per_count=20)
    assert questions != make_questions(seed=4, per_count=20)
    assert {len(question.abbreviations) for question in questions} == {1, 2, 3, 4, 5}
    assert all(abbreviation in question.text for question in questions for abbreviation in question.abbreviations)


async def test_the_embedded_identifier_finds_them_all_and_nothing_else(engine: Engine) -> None:
    assert set((await _scored(engine, 1, 100)).values()) == {1.0}


async def _scored(engine: Engine, seed: int, per_count: int) -> dict[str, float]:
    outcomes = [await measure(case, engine) for case in make_questions(seed=seed, per_count=per_count)]
    return {f"{each.metric} {each.subset}": each.value for each in score(outcomes, 7)}
