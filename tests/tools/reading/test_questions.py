"""What a question asks for."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.reading import analyse_question, split_parts


def test_kind_and_dimension(subtests: pytest.Subtests) -> None:
    for question, kind, dimension in [
        ("What is the supply voltage of the P-200?", "quantity", "voltage"),
        ("How long does the pump run?", "quantity", "time"),
        ("How fast is the link?", "quantity", "rate"),
        ("How many pumps are there?", "count", ""),
        ("For how many milliseconds does it run?", "quantity", "time"),
        ("How much does it cost?", "quantity", "money"),
        ("When was the pump built?", "time", ""),
        ("Who repairs the pump?", "person", ""),
        ("Where is the pump?", "place", ""),
        ("Why does the pump stop?", "reason", ""),
        ("How do I start the pump?", "procedure", ""),
        ("List the pumps.", "list", ""),
        ("Which pumps are supported?", "list", ""),
        ("Is the pump blue?", "yes_no", ""),
        ("What is the difference between the P-200 and the P-300?", "comparison", ""),
        ("What does DPS stand for?", "definition", ""),
        ("What is a pressure switch?", "definition", ""),
        ("What is DPS?", "definition", ""),
        ("Which pump is blue?", "fact", ""),
        ("Which alarms can sound when a pump stops?", "list", ""),
        ("Which pump runs where the hall is closed?", "fact", ""),
        ("What three valves control the flow?", "list", ""),
        ("What is the phone number of the hall?", "fact", ""),
        ("What is the number of pumps?", "count", ""),
        ("", "fact", ""),
    ]:
        with subtests.test(question=question):
            shape = analyse_question(question)
            assert (shape.kind, shape.dimension) == (kind, dimension)


def test_the_term_to_define(subtests: pytest.Subtests) -> None:
    for question, term in [
        ("What does DPS stand for?", "DPS"),
        ("What is a pressure switch in pumps?", "pressure switch"),
        ("what is NV-DDR3", "NV-DDR3"),
        ("Define DPS.", "DPS"),
        ("What is the meaning of DPS?", "DPS"),
        ("What is meant by the term DPS?", "DPS"),
    ]:
        with subtests.test(question=question):
            assert analyse_question(question).term == term


def test_what_is_asked_for(subtests: pytest.Subtests) -> None:
    for question, asked in [
        ("What is the VccQ of NV-DDR3?", "VccQ"),
        ("Which voltage does the P-200 need?", "voltage"),
        ("VccQ of NV-DDR3?", "VccQ"),
        ("Which output modes does the pump have?", "output modes"),
        ("Which pump limits apply to the hall?", "pump limits"),
        ("Which pump limits the flow?", "pump"),
        ("How many bearings does it have?", "bearings does"),
    ]:
        with subtests.test(question=question):
            assert analyse_question(question).asked == asked


def test_superlatives_and_negation_are_seen_and_a_bound_is_no_extreme() -> None:
    assert analyse_question("Which pump has the highest flow?").superlative == 1
    assert analyse_question("Which pump has the lowest flow?").superlative == -1
    assert analyse_question("How long does it run at most?").superlative == 0
    assert analyse_question("Which of these is NOT a pump?").negated
    assert not analyse_question("Which of these is a knot?").negated


def test_parts_of_a_question() -> None:
    assert split_parts("What is DPS, and how does it work?") == ("What is DPS", "how does it work?")
    assert split_parts("What is DPS? Who sells it?") == ("What is DPS?", "Who sells it?")
    assert split_parts("What is the pressure and flow?") == ("What is the pressure and flow?",)


@given(st.text(max_size=300))
def test_any_text_is_a_question(text: str) -> None:
    assert analyse_question(text).kind
    assert split_parts(text)
