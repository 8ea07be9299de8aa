"""Questions taken apart, and the types of answer they ask for."""

import pytest

from contracts.jargon import Mention, Reading, Sense
from contracts.text import Span
from tools.evidence.answer_types import answer_type, asked_dimensions, candidate_strengths
from tools.evidence.question import profile_question


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is the supply voltage of DDR3?", "quantity"),
        ("how many planes does a die have", "quantity"),
        ("When was the standard published?", "date"),
        ("Who approves a change request?", "person"),
        ("Where is the spare area?", "place"),
        ("Why are blocks marked bad?", "reason"),
        ("How do I reset the controller?", "procedure"),
        ("What is wear levelling?", "definition"),
        ("What does ECC stand for?", "definition"),
        ("Does DDR4 support 1.2 V?", "yes_no"),
    ],
)
def test_a_question_says_what_kind_of_answer_it_wants(question: str, kind: str) -> None:
    assert answer_type(question) == kind


def test_a_unit_of_another_dimension_is_a_weaker_candidate() -> None:
    question = "How long does a page read take?"
    dimensions = asked_dimensions(question)
    assert "time" in dimensions
    texts = ["A page read takes 50 µs.", "A page read needs 3.3 V.", "A page read is slow."]
    in_time, in_volts, without = candidate_strengths("quantity", dimensions, question, texts)
    assert in_time > in_volts > without


def test_a_number_of_the_question_itself_is_no_candidate() -> None:
    question = "How many cycles does a 64 Gb die last?"
    assert candidate_strengths("quantity", frozenset(), question, ["The 64 Gb die is the smallest."]) == [0.0]


def test_codes_and_numbers_are_focus_terms_and_asking_words_are_none() -> None:
    profile = profile_question("Please explain what the difference in voltage of DDR4 is?")
    focus = {term.text for term in profile.terms if term.focus}
    assert "DDR4" in focus
    assert "explain" not in {term.text for term in profile.terms}
    assert "difference" in {term.text for term in profile.terms} or "voltage" in {term.text for term in profile.terms}


def test_a_reading_lets_a_term_be_said_by_its_extended_name() -> None:
    sense = Sense(id=1, term="PLR", extended_name="Physical Layer Retransmission", aliases=("PL-R",))
    mention = Mention(text="plr", span=Span(8, 11), term="PLR", known=True)
    profile = profile_question("What is plr used for?", [Reading(mention=mention, status="chosen", sense=sense)])
    term = next(term for term in profile.terms if term.text == "plr")
    assert frozenset({"physic", "layer", "retransmiss"}) in term.alternatives
    assert frozenset({"plr"}) in term.alternatives


def test_a_code_written_apart_is_one_term() -> None:
    assert "ddr3" in {next(iter(term.alternatives[0])) for term in profile_question("voltage of ddr-3?").terms}


@pytest.mark.parametrize(
    ("question", "term"),
    [
        ("Which supply voltage do the I/O drivers get?", "I/O"),
        ("Who runs the A/B test?", "A/B"),
    ],
)
def test_letters_with_a_slash_are_one_term_that_need_not_be_named(question: str, term: str) -> None:
    found = {each.text: each for each in profile_question(question).terms}
    assert term in found
    assert not found[term].focus
    assert not any(len(text) == 1 for text in found)


def test_a_pin_written_with_a_slash_is_one_code() -> None:
    found = {term.text: term for term in profile_question("When does R/B# go low?").terms}
    assert found["R/B#"].focus
    assert "R" not in found
    assert "B#" not in found


def test_a_single_letter_is_no_term_and_a_single_digit_is() -> None:
    assert {term.text for term in profile_question("Is bin 4 worse in plan C or V?").terms} == {
        "bin",
        "4",
        "worse",
        "plan",
    }


@pytest.mark.parametrize(
    ("question", "focus"),
    [
        ("この装置の電源電圧は何ボルトですか", set()),
        ("电源电压是多少伏特请告诉我最大值", set()),
        ("x" * 60, set()),
        ("電源電圧 は 3.3 V?", {"電源電圧", "3.3"}),
        ("Какое напряжение питания у электрооборудования?", {"электрооборудования"}),
    ],
)
def test_a_sentence_without_spaces_is_no_name(question: str, focus: set[str]) -> None:
    assert focus - {term.text for term in profile_question(question).terms if term.focus} == set()
    assert not focus or all(len(term.text) < 25 for term in profile_question(question).terms)
    if not focus:
        assert not any(term.focus for term in profile_question(question).terms)


@pytest.mark.parametrize(
    ("question", "text", "strength"),
    [
        ("When was it sold?", "It was sold in 1998.", 1.0),
        ("When after 1998 was it sold?", "It was sold in 1998.", 0.0),
        ("Who designed it?", "It was designed by Anna Berg.", 1.0),
        ("Who but Anna Berg designed it?", "It was designed by Anna Berg.", 0.0),
        ("Who designed it?", "It was designed by the team.", 0.7),
        ("Where is it?", "It hangs in the hall.", 0.6),
        ("Where is it?", "It hangs in Oslo.", 1.0),
        ("Why does it stop?", "It stops because of heat.", 1.0),
        ("Why does it stop?", "It stops.", 0.0),
        ("Tell me of pumps.", "It stops because of heat.", 0.5),
    ],
)
def test_a_candidate_is_one_that_the_question_does_not_hold(question: str, text: str, strength: float) -> None:
    kind = answer_type(question)
    assert candidate_strengths(kind, asked_dimensions(question), question, ["…", text])[1] == strength
