"""Which statement answers."""

import pytest

from contracts.jargon import Mention, Reading, Sense
from contracts.text import Span
from tests.conformance.reading_cases import make_passage
from tools.embedding.hashing import HashingEmbedder
from tools.reading import StatementScorer, analyse_question, question_concepts, read_statements, read_words
from tools.reading.answer_types import answer_type_match
from tools.reading.features import conflict, view_question
from tools.reading.polarity import decide
from tools.reading.scoring import coefficients

SCORER = StatementScorer(embedder=HashingEmbedder())
TEXT = (
    "The P-200 pump was designed by Anna Berg. It was first sold in 1998 in Oslo. "
    "The P-200 pump stops because the switch sees no pressure. The P-300 pump costs twice as much."
)


def _reading(question: str, term: str, name: str) -> Reading:
    start = question.index(term)
    mention = Mention(text=term, span=Span(start, start + len(term)), term=term, known=True)
    return Reading(mention=mention, status="chosen", sense=Sense(id=1, term=term, extended_name=name))


async def _best(question: str, text: str = TEXT, readings: tuple[Reading, ...] = ()) -> str:
    statements = read_statements(make_passage(text), 0)
    return (await SCORER.score(analyse_question(question), readings, statements))[0].statement.text


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Who designed the P-200 pump?", "Anna Berg"),
        ("Why does the P-200 pump stop?", "no pressure"),
        ("When was it first sold?", "1998"),
        ("How much does the P-300 pump cost?", "twice"),
    ],
)
async def test_the_answering_sentence_comes_first(question: str, words: str) -> None:
    assert words in await _best(question)


async def test_a_sibling_code_does_not_answer() -> None:
    assert "96 V" in await _best(
        "At what voltage does the P-300 run?", "The P-200 runs at a voltage of 48 V today. Use 96 V for the P-300."
    )


async def test_a_jargon_term_is_found_by_its_extended_name() -> None:
    question = "How long does PLR take?"
    text = "Power loss recovery takes 900 ms. Priming of the long pump takes 20 s."
    assert "900 ms" in await _best(question, text, (_reading(question, "PLR", "Power Loss Recovery"),))


async def test_many_statements_are_scored_too() -> None:
    filler = " ".join(f"Valve {number} is checked in week {number}." for number in range(300))
    assert "Anna Berg" in await _best("Who designed the P-200 pump?", f"{filler} {TEXT}")


def test_half_of_a_name_is_not_the_name() -> None:
    question = "What is PLR?"
    concept = question_concepts(question, (_reading(question, "PLR", "Power Loss Recovery"),))[0]
    assert concept.presence(read_words("recovery of power after a loss")) == 1.0
    assert concept.presence(read_words("the power supply")) < 0.5


@pytest.mark.parametrize(
    ("question", "text", "there"),
    [
        ("How long does it take?", "It takes 20 ms.", True),
        ("How long does it take?", "It takes long.", False),
        ("What is the voltage?", "It is 48 V.", True),
        ("How many are there?", "There are four.", True),
        ("Why does it stop?", "It stops because of heat.", True),
        ("What does DPS stand for?", "A differential pressure switch (DPS) stops it.", True),
        ("What does DPS stand for?", "The DPS stops it.", False),
    ],
)
def test_answer_types(question: str, text: str, there: bool) -> None:
    assert (answer_type_match(analyse_question(question), text) >= 0.9) is there


@pytest.mark.parametrize(
    ("question", "text", "polarity"),
    [
        ("Can I stop the pump by hand?", "You can stop the pump by hand.", "yes"),
        ("Can I stop the pump by hand?", "You cannot stop the pump by hand.", "no"),
        ("Is remote start supported?", "Remote start is unsupported.", "no"),
        ("Does the P-200 run at 96 V?", "The P-200 runs at 48 V.", "no"),
        ("Does the P-200 run at 48 V?", "The P-200 runs at 48 V.", "yes"),
        ("Can I stop the pump by hand?", "You can stop the pump by hand only if the valve is shut.", None),
        ("Can I stop the pump by hand?", "The pump is blue.", None),
        (
            "Is firmware encrypted?",
            "In this variant the block programs the storage engine, whose encryption key is never visible to mutable "
            "firmware of the host processor, over a dedicated interface with a separate register bank.",
            None,
        ),
        ("Can't I stop the pump by hand?", "You can stop the pump by hand.", None),
    ],
)
def test_yes_and_no_only_where_the_statement_decides(question: str, text: str, polarity: str | None) -> None:
    statement = read_statements(make_passage(text), 0)[0]
    assert decide(view_question(analyse_question(question)), statement) == polarity


@pytest.mark.parametrize(("question", "polarity"), [("Does the P-200 support remote start?", "no"),
                                                    ("Does the P-300 support remote start?", "yes")])  # fmt: skip
def test_a_table_decides_in_its_own_row(question: str, polarity: str) -> None:
    rows = read_statements(make_passage("Model | Remote start\nP-200 | no\nP-300 | yes", kind="table"), 0)
    decided = [decide(view_question(analyse_question(question)), row) for row in rows]
    assert [each for each in decided if each] == [polarity]


def test_codes_that_differ_in_digits_conflict() -> None:
    view = view_question(analyse_question("What is the voltage of NV-DDR3?"))
    texts = {
        "NV-DDR2 uses 1.8 V.": True,
        "NV-DDR uses 1.8 V.": True,
        "NV-DDR3 uses 1.2 V.": False,
        "It is 1.2 V.": False,
    }
    for text, expected in texts.items():
        assert conflict(view, read_statements(make_passage(text), 0)[0]) is expected


def test_words_of_the_question_speak_for_a_statement() -> None:
    assert coefficients().size > 0
    assert coefficients()[2] > 0
