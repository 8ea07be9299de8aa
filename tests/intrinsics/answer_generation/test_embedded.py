"""What the embedded writer writes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.jargon import Mention, Reading, Sense
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion, Choice
from contracts.text import Passage, Span
from intrinsics.answer_generation.base import WritingBrief
from intrinsics.answer_generation.embedded import EmbeddedAnswerWriter
from tests.conformance.reading_cases import PASSAGES, make_brief, make_passage, write
from tools.embedding.hashing import HashingEmbedder
from tools.language import find_quantities, split_choices

WRITER = EmbeddedAnswerWriter(HashingEmbedder())


async def _answer(question: str, *passages: Passage) -> str:
    stem, choices = split_choices(question)
    _, draft = await write(WRITER, make_brief(stem, passages or PASSAGES, choices=choices))
    return draft.text


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("What is the max flow of the P-300?", "Max flow (l/min) of P-300: 30."),
        ("How often is the bearing greased?", "Its bearing is greased every 500 hours."),
        ("Does the P-300 pump run at 96 V?", "Yes: The P-300 pump runs at 96 V."),
    ],
)
async def test_the_answer_stands_in_the_answer(question: str, answer: str) -> None:
    assert answer in await _answer(question)


async def test_a_procedure_is_given_whole() -> None:
    assert await _answer("How do I start the pump?") == (
        "To start the pump:\n1. Open the inlet valve.\n2. Switch the mains on.\n3. Press the green button."
    )


async def test_a_sentence_that_begins_with_a_pronoun_brings_the_one_before() -> None:
    passage = make_passage("The lamp is red. It shows that the tank is empty.")
    assert await _answer("What shows that the tank is empty?", passage) == (
        "The lamp is red. It shows that the tank is empty."
    )


async def test_without_a_sentence_before_it_brings_the_heading() -> None:
    passage = make_passage("It shows that the tank is empty.", heading=("Panel", "Red lamp"))
    assert await _answer("What shows that the tank is empty?", passage) == "Red lamp: It shows that the tank is empty."


async def test_a_number_that_the_next_sentence_gives_follows() -> None:
    passage = make_passage("The login code comes from the telephone app. It stays valid for 30 seconds. Ask the desk.")
    assert await _answer("For how many seconds does the login code from my telephone app work?", passage) == (
        "The login code comes from the telephone app. It stays valid for 30 seconds."
    )


async def test_both_parts_of_a_question_are_answered() -> None:
    text = await _answer("How often is the bearing greased, and what voltage does the P-300 pump need?")
    assert "500 hours" in text
    assert "96 V" in text


async def test_both_sides_of_a_comparison_are_told() -> None:
    text = await _answer("What is the difference between the P-200 and the P-300?")
    assert "P-200" in text
    assert "P-300" in text


async def test_a_list_that_a_sentence_announces_is_not_left_out() -> None:
    passage = make_passage("Remote start is available in these places:\n- hall A\n- hall B\n- the yard")
    assert await _answer("Is remote start available in hall B?", passage) == (
        "Yes: Remote start is available in these places: hall B."
    )


async def test_a_command_that_a_sentence_announces_is_not_left_out() -> None:
    passage = make_passage("Use the following command to copy the log of the pump.\npumpctl log --copy /var/log")
    assert await _answer("How can I copy the log of the pump?", passage) == (
        "Use the following command to copy the log of the pump.\npumpctl log --copy /var/log"
    )


def _defined(question: str, description: str = "") -> WritingBrief:
    start = question.index("DPS")
    sense = Sense(id=1, term="DPS", extended_name="Differential Pressure Switch", description=description)
    mention = Mention(text="DPS", span=Span(start, start + 3), term="DPS", known=True)
    augmented = AugmentedQuestion(
        question=question,
        text=question,
        provenance=Provenance(implementation="test"),
        readings=(Reading(mention=mention, status="chosen", sense=sense),),
    )
    return WritingBrief(question=augmented, passages=PASSAGES)


async def test_an_abbreviation_is_expanded_from_the_dictionary() -> None:
    _, draft = await write(WRITER, _defined("What does DPS stand for?", "Stops the pump when the flow is too low."))
    assert draft.text == "DPS stands for Differential Pressure Switch. Stops the pump when the flow is too low."


async def test_an_expansion_in_the_documents_goes_with_it() -> None:
    brief = _defined("What is DPS?")
    passage = make_passage("A differential pressure switch (DPS) stops the pump when it runs dry.")
    _, draft = await write(WRITER, WritingBrief(question=brief.question, passages=(passage,)))
    assert draft.text == (
        "DPS stands for Differential Pressure Switch. "
        "A differential pressure switch (DPS) stops the pump when it runs dry."
    )


@pytest.mark.parametrize(
    ("question", "label"),
    [
        ("At what voltage does the P-300 pump run? a) 48 V b) 12 V c) 96 V", "c)"),
        ("How often is the bearing greased? 1) every 100 hours 2) every 500 hours", "2)"),
        ("Which of these is NOT a step of starting the pump? a) Open the inlet valve b) Paint the pump", "b)"),
        ("What voltage does the P-300 use that the P-200 does not? a) 12 V b) 96 V", "b)"),
        ("Which statement on starting the pump is false? a) The inlet valve is opened b) The fan is oiled", "b)"),
        ("True or false: The P-300 pump runs at 96 V. a) True b) False", "a)"),
        ("True or false: The P-300 pump runs at 48 V. a) True b) False", "b)"),
        ("Which of these is a step of starting the pump? a) Open the inlet valve b) Press the green button "
         "c) All of the above", "c)"),
        ("What colour is the moon of Jupiter? a) purple b) silver c) None of the above", "c)"),
    ],
)  # fmt: skip
async def test_the_right_option_is_named(question: str, label: str) -> None:
    text = await _answer(question)
    assert text.startswith(label)


async def test_an_option_comes_with_its_evidence() -> None:
    text = await _answer("How often is the bearing greased? a) every 100 hours b) every 500 hours")
    assert text == "b) every 500 hours\n\nIts bearing is greased every 500 hours."


async def test_a_critique_leaves_only_the_direct_answer() -> None:
    question = "What is the difference between the P-200 and the P-300?"
    _, free = await write(WRITER, make_brief(question, PASSAGES))
    _, strict = await write(WRITER, make_brief(question, PASSAGES, critique="Keep to the passages.", draft=free.text))
    assert strict.text in free.text
    assert len(strict.text) < len(free.text)


async def test_no_passage_no_answer() -> None:
    assert "do not hold an answer" in await _answer("What is DPS?", make_passage(""))


_VOCABULARY = "the pump P-200 P-300 runs at 48 V 96 V 12 not | - : . ? what is how many why DPS (DPS) 500 a) b)"
_WORDS = st.sampled_from([*_VOCABULARY.split(), "\n"])
_TEXTS = st.lists(_WORDS, max_size=40).map(" ".join) | st.text(max_size=80)


@settings(max_examples=60, deadline=None)
@given(_TEXTS, st.lists(_TEXTS, max_size=3), st.booleans())
async def test_any_question_any_passages(question: str, texts: list[str], choosing: bool) -> None:
    passages = [make_passage(text, number=number) for number, text in enumerate(texts)]
    choices = (Choice(label="a", text="48 V"), Choice(label="b", text="not at all")) if choosing else ()
    pieces, draft = await write(WRITER, make_brief(question, passages, choices=choices))
    assert "".join(pieces) == draft.text
    assert draft.text.strip()
    held = {quantity.number for text in [*texts, "Handbook 48"] for quantity in find_quantities(text.replace("|", " "))}
    marks = {mark.strip("().") for mark in draft.text.split()}
    written = {quantity.number for quantity in find_quantities(draft.text)}
    assert {number for number in written - held if number not in marks} == set() or _joined(written - held, texts)


def _joined(numbers: set[str], texts: list[str]) -> bool:
    """Thousands are grouped with spaces: taking a line break or a bar out may part or join digits, never invent one."""
    digits = "".join(texts)
    return all(all(digit in digits for digit in number if digit.isdigit()) for number in numbers)
