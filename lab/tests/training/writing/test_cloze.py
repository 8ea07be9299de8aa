"""The sentences that make a cloze question, what is left out of them, and the sentences that make none."""

import pytest

from golden_lab.training.writing.cloze import ClozeQuestionWriter
from tests.conformance.reading_cases import make_passage


async def pairs(text: str) -> dict[str, str]:
    written = await ClozeQuestionWriter().write(make_passage(text))
    for each in written.questions:
        assert " ".join(text[each.evidence.start : each.evidence.end].split()) == each.answer
    return {each.question: each.answer for each in written.questions}


@pytest.mark.parametrize(
    ("sentence", "asked", "answer"),
    [
        ("For DDR3 the calibration resistor is 240 ohm with a tolerance of 1 %.", "Which value", "1 %"),
        ("Low-density parity-check codes were invented by Robert Gallager in the early 1960s.", "Which name",
         "Robert Gallager"),
        ("An interleaved operation keeps several LUNs busy at once.", "Which name", "LUNs"),
        ("The packaging hall is led by Marit, extension 4620.", "Which number", "4620"),
    ],
)  # fmt: skip
async def test_the_most_informative_piece_is_left_out(sentence: str, asked: str, answer: str) -> None:
    found = await pairs(f"Some words before it. {sentence} Some words behind.")
    assert found == {f"{asked} fills the gap in “{sentence.replace(answer, '____').rstrip('.')}”?": answer}


@pytest.mark.parametrize(
    "sentence",
    [
        "It stays below 40 microseconds while the tester link is busy.",  # what does?
        "For DDR3 that calibration resistor is 240 ohm with a tolerance of 1 %.",  # which?
        "The link stays below 40 microseconds as section 3 says of testers.",
        "The modes of the tester link at 40 microseconds are:",
        "However, the tester link must stay below 40 microseconds.",
        "Packages of the tester link measure 12 mm by 20 mm.",  # either of the two
        "The glossary of the tester link spells SLC, MLC and TLC out.",
        "The link is good.",
        "Tester link 40 microseconds, buffer full, slow test.",  # no verb
        "The tester link stays below 40 microseconds and the buffer below 40 microseconds.",
    ],
)
async def test_what_cannot_be_known_alone_makes_none(sentence: str) -> None:
    assert await pairs(sentence) == {}
