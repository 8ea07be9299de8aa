"""Questions taken apart."""

import pytest

from contracts.jargon import Mention, Reading, Sense
from contracts.text import Span
from tools.evidence.question import question_terms


def test_codes_and_numbers_are_focus_terms_and_asking_words_are_none() -> None:
    terms = question_terms("Please explain what the difference in voltage of DDR4 is?")
    focus = {term.text for term in terms if term.focus}
    assert "DDR4" in focus
    assert "explain" not in {term.text for term in terms}
    assert "difference" in {term.text for term in terms} or "voltage" in {term.text for term in terms}


def test_a_reading_lets_a_term_be_said_by_its_extended_name() -> None:
    sense = Sense(id=1, term="PLR", extended_name="Physical Layer Retransmission", aliases=("PL-R",))
    mention = Mention(text="plr", span=Span(8, 11), term="PLR", known=True)
    terms = question_terms("What is plr used for?", [Reading(mention=mention, status="chosen", sense=sense)])
    term = next(term for term in terms if term.text == "plr")
    assert frozenset({"physic", "layer", "retransmiss"}) in term.alternatives
    assert frozenset({"plr"}) in term.alternatives


def test_a_code_written_apart_is_one_term() -> None:
    assert "ddr3" in {next(iter(term.alternatives[0])) for term in question_terms("voltage of ddr-3?")}


def test_letters_with_a_slash_are_one_term_and_a_pin_is_a_code() -> None:
    found = {each.text: each for each in question_terms("Which supply voltage do the I/O drivers get?")}
    assert not found["I/O"].focus
    assert not any(len(text) == 1 for text in found)
    found = {each.text: each for each in question_terms("When does R/B# go low?")}
    assert found["R/B#"].focus
    assert not {"R", "B#"} & found.keys()


def test_a_single_letter_is_no_term_and_a_single_digit_is() -> None:
    assert {term.text for term in question_terms("Is bin 4 worse in plan C or V?")} == {"bin", "4", "worse", "plan"}


def test_a_sentence_without_spaces_is_no_name(subtests: pytest.Subtests) -> None:
    for question, focus in [
        ("この装置の電源電圧は何ボルトですか", set()),
        ("x" * 60, set()),
        ("電源電圧 は 3.3 V?", {"電源電圧", "3.3"}),
        ("Какое напряжение питания у электрооборудования?", {"электрооборудования"}),
    ]:
        with subtests.test(question=question):
            assert focus - {term.text for term in question_terms(question) if term.focus} == set()
            assert not focus or all(len(term.text) < 25 for term in question_terms(question))
            if not focus:
                assert not any(term.focus for term in question_terms(question))
