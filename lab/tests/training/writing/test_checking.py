"""What is not to be trained on, by its words and its place, and how an answer is put into a sentence."""

import pytest

from contracts.text import Span
from contracts.verdicts import WrittenQuestion
from golden_lab.training.writing import checking
from golden_lab.training.writing.answering import full_answer
from golden_lab.training.writing.checking import fault_of
from golden_lab.training.writing.cutting import line_mark
from lab.tests.training.writing.made import source_passage

TEXT = (
    "Page 3 of 12\nThe pump book, revision 7, copyright Halden Memory\nCONFIDENTIAL Halden\n"
    "The P-200 pump runs at 48 V. Its bearing is greased every 500 hours."
)


def written(question: str, answer: str, text: str = TEXT) -> WrittenQuestion:
    at = text.index(answer)
    return WrittenQuestion(question=question, answer=answer, evidence=Span(at, at + len(answer)))


@pytest.mark.parametrize(
    ("question", "answer", "fault"),
    [
        ("At what voltage does the P-200 pump run?", "48 V", ""),
        ("At what voltage does it run?", "48 V", checking.NOT_ALONE),
        ("Does the P-200 pump run at 48 V or more?", "48 V", checking.GIVEN_AWAY),
        ("What is it that they do?", "48 V", checking.SAYS_NOTHING),
        ("How many pages does the pump book have?", "12", checking.FURNITURE),
        ("Which revision has the pump book?", "revision 7", checking.FURNITURE),
        ("Whose is the confidential pump book?", "Halden", checking.FURNITURE),
        ("What does PE stand for?", "P-200", checking.AMBIGUOUS),
        ("What does VLT stand for?", "48 V", ""),
    ],
)
def test_each_fault_is_named(question: str, answer: str, fault: str) -> None:
    assert fault_of(written(question, answer), source_passage(TEXT), {"pe"}) == fault


def test_rows_without_their_header_and_lines_of_every_page_are_left() -> None:
    asked = written("At what voltage does the P-200 pump run?", "48 V")
    assert fault_of(asked, source_passage(TEXT, headless=len(TEXT))) == checking.HEADLESS
    printed = frozenset({line_mark(TEXT.splitlines()[-1])})
    assert fault_of(asked, source_passage(TEXT, repeated=printed)) == checking.FURNITURE


@pytest.mark.parametrize(
    ("question", "answer", "told"),
    [
        ("What does RMA stand for?", "Return material authorization",
         "RMA stands for return material authorization."),
        ("What does PLR stand for?", "Physical Layer Retransmission",
         "PLR stands for Physical Layer Retransmission."),
        ("What is the erase time tBERS?", "5 ms", "The erase time tBERS is 5 ms."),
        ("How many voltage levels does SLC have?", "2 levels", "SLC has 2 voltage levels."),
        ("How often is the maintenance of testers done?", "every 500 hours",
         "The maintenance of testers is done every 500 hours."),
        ("Who must sign the notice?", "the quality manager", "The quality manager must sign the notice."),
        ("Which value fills the gap in “The pump runs at ____ in winter”?", "48 V", "The pump runs at 48 V in winter."),
        ("How often is the bearing greased?", "every 500 hours", "The bearing of the P-2 is greased every 500 hours."),
        ("When does the pump stop?", "at 20:00", "at 20:00"),  # its sentence needs the one before it
    ],
)  # fmt: skip
def test_an_answer_in_full_says_what_was_asked(question: str, answer: str, told: str) -> None:
    text = (
        "Return material authorization, Physical Layer Retransmission, 5 ms, 2 levels, 48 V, the quality manager\n\n"
        "The bearing of the P-2 is greased every 500 hours. It stops at 20:00."
    )
    assert full_answer(written(question, answer, text), source_passage(text).passage) == told
