"""The questions that sentences, cells and abbreviations make, and those that they must not make."""

import pytest

from intrinsics.question_writing.embedded import EmbeddedQuestionWriter
from tests.intrinsics.conftest import PassageMaker


async def pairs(make_passage: PassageMaker, text: str) -> dict[str, str]:
    written = await EmbeddedQuestionWriter().write(make_passage(text))
    for each in written.questions:
        assert " ".join(text[each.evidence.start : each.evidence.end].split()) == each.answer
    return {each.question: each.answer for each in written.questions}


@pytest.mark.parametrize(
    ("sentence", "question", "answer"),
    [
        ("The erase time tBERS is 5 ms.", "What is the erase time tBERS?", "5 ms"),
        ("The controller retries a read 5 times.", "How many times does the controller retry a read?", "5 times"),
        ("A frame is retransmitted at most three times.", "How many times is a frame retransmitted?",
         "at most three times"),
        ("The lab takes at most five parts per request.", "How many parts per request does the lab take?",
         "at most five"),
        ("Each host controller may open up to 8 channels.", "How many channels may each host controller open?",
         "up to 8"),
        ("The P-200 bearing is greased every 500 hours.", "How often is the P-200 bearing greased?", "every 500 hours"),
        ("Raw test data are kept for ten years.", "For how long are raw test data kept?", "ten years"),
        ("Packages are tested at 85 °C for 48 hours.", "At what temperature are packages tested for 48 hours?",
         "85 °C"),
        ("PE meets about open notices on Tuesdays at 10:00.", "When does PE meet about open notices?",
         "on Tuesdays at 10:00"),
        ("Bad block tables are stored in the spare area.", "Where are bad block tables stored?", "in the spare area"),
        ("An SHR is resized by the platform team.", "Who resizes an SHR?", "the platform team"),
        ("A change notice must be signed by the quality manager.", "Who must sign a change notice?",
         "the quality manager"),
        ("The packaging hall is led by Marit Dahl.", "Who leads the packaging hall?", "Marit Dahl"),
        ("The sample rotation is started by Amazon Rotator.", "What starts the sample rotation?", "Amazon Rotator"),
        ("Write protection is controlled by the pin WP#.", "What controls write protection?", "the pin WP#"),
        ("The pin WP# controls write protection.", "What does the pin WP# control?", "write protection"),
        ("The RTX register is 32 bits wide.", "How wide is the RTX register?", "32 bits"),
        ("A DDR3 part has eight banks.", "How many banks does a DDR3 part have?", "eight"),
        ("Toggle mode is the other family of fast NAND interfaces.", "What is Toggle mode?",
         "the other family of fast NAND interfaces"),
        ("The maximum number of items that a query returns is 100.",
         "What is the maximum number of items that a query returns?", "100"),
        ("Ask for a failure analysis (FA) with form F-17.", "What does FA stand for?", "failure analysis"),
        ("The RMA (return material authorization) number comes first.", "What does RMA stand for?",
         "return material authorization"),
    ],
)  # fmt: skip
async def test_a_sentence_makes_a_question(
    make_passage: PassageMaker, sentence: str, question: str, answer: str
) -> None:
    assert (await pairs(make_passage, sentence)).get(question) == answer


@pytest.mark.parametrize(
    "sentence",
    [
        "It retries a read 5 times.",  # names no subject
        "This value is 5 ms.",
        "The controller does not retry a read 5 times.",  # a negation turns the fact around
        "The RTX register is never 32 bits wide.",
        "The SHR is resized by the platform team, unless two copies are lost.",  # holds under a condition only
        "If the link fails, the SHR is resized by the platform team.",
        "Is the RTX register 32 bits wide?",
        "The following table lists the modes of the RTX register.",
        "See section 4.2 of the SHR manual for details.",
        "You can resize an SHR with 5 commands.",
        "The backup is made by default.",
    ],
)
async def test_what_cannot_be_asked_alone_is_left(make_passage: PassageMaker, sentence: str) -> None:
    assert await pairs(make_passage, sentence) == {}


async def test_cells_are_asked_for_with_their_unit(make_passage: PassageMaker) -> None:
    table = (
        "Parameter | Symbol | Max | Unit | Remarks\n"
        "Block erase time | tBERS | 10 | ms | see note\n"
        "Page program time | tPROG | 700 | µs | -"
    )
    found = await pairs(make_passage, table)
    assert found["What is the maximum block erase time in ms?"] == "10"
    assert found["What is the maximum page program time in µs?"] == "700"
    assert found["What is the symbol of block erase time?"] == "tBERS"
    assert not [question for question in found if "Remarks" in question or "remarks" in question]


async def test_a_cell_is_found_in_its_own_column(make_passage: PassageMaker) -> None:
    table = "Tester | Spare room | Room\nTester Alfa | C-201 annex | C-201\nTester Bravo | C-202 annex | C-202"
    passage = make_passage(table)
    written = await EmbeddedQuestionWriter().write(passage)
    spans = {each.question: each.evidence for each in written.questions}
    span = spans["What is the room of Tester Alfa?"]
    assert span.start == table.index("| C-201\n") + 2


async def test_figures_come_before_abbreviations(make_passage: PassageMaker) -> None:
    text = "The uncorrectable bit error rate (UBER) is counted. The erase time tBERS is 5 ms."
    written = await EmbeddedQuestionWriter().write(make_passage(text))
    assert [each.question for each in written.questions] == [
        "What is the erase time tBERS?",
        "What does UBER stand for?",
    ]


async def test_a_row_is_named_as_in_running_text_and_counts_are_asked_for_as_counts(make_passage: PassageMaker) -> None:
    table = (
        "Stage | Yield target | Voltage levels | Maintenance\nWafer sort | 92 % | 2 levels | every 6 weeks\n"
        "SLC, single cell | 95 % | 4 levels | -\nTesters | 90 % | - | every 3 weeks"
    )
    found = await pairs(make_passage, table)
    assert found["How often is the maintenance of testers done?"] == "every 3 weeks"
    assert found["What is the yield target of wafer sort?"] == "92 %"
    assert found["How many voltage levels does SLC have?"] == "4 levels"
