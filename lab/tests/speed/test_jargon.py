"""The measurement of small made dictionaries: shapes and counts, never seconds."""

from golden_lab.speed.jargon import KINDS, TARGET_TERMS, make_questions, make_senses, measure_jargon, render_jargon
from jargon_db.normalization import fold


def test_equal_seeds_make_equal_dictionaries_and_questions_of_four_kinds_in_turn() -> None:
    small, large = make_senses(50, seed=3), make_senses(150, seed=3)
    assert small == make_senses(50, seed=3) == large[:50]
    assert small != make_senses(50, seed=4)
    known, taken = {sense.term for sense in small}, {fold(sense.term) for sense in large}
    assert len(taken) == 150
    questions = make_questions(small, large, count=40, seed=2)
    assert [question.kind for question in questions] == list(KINDS) * 10
    for question in questions:
        expected = {
            "known": question.term in known and question.term in question.text,
            "misspelt": question.term in known and question.term not in question.text,
            "unknown": fold(question.term) not in taken and question.term in question.text,
            "none": question.term == "",
        }
        assert expected[question.kind], question


def test_every_kind_is_timed_for_each_size() -> None:
    steps: list[str] = []
    result = measure_jargon([100, 50, 50], questions=12, seed=5, rounds=2, on_step=steps.append)
    assert steps == ["50 terms", "100 terms"]
    for size in result["sizes"]:
        assert list(size["kinds"]) == list(KINDS)
        assert all(each["p95_ms"] >= each["median_ms"] > 0 for each in size["kinds"].values())
        assert size["kinds"]["known"]["found"] >= 2 / 3
        assert size["kinds"]["none"]["found"] == 1.0
    assert {each["to_smallest"] for each in result["sizes"][0]["kinds"].values()} == {1.0}
    assert result["targets"] == []
    targets = [{"name": f"look-up, {TARGET_TERMS:,} terms", "limit": 5.0, "value": 6.0, "met": False}]
    text = render_jargon({**result, "targets": targets})
    assert "50 terms" in text
    assert "look-up, misspelt terms" in text
    assert "MISSED  look-up, 100,000 terms: 6.00, below 5" in text
