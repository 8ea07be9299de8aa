"""The measurement of small made dictionaries: shapes and counts, never seconds."""

from golden_lab.speed.jargon import KINDS, make_questions, make_senses
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
