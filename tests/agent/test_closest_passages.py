"""What is quoted of the passages that come closest to a question."""

from agent.closest_passages import quote_closest
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import Passage
from tests.agent.scripted import SharedWordsScorer, passage
from tools.reading.ranking import QuoteRanker

PUMP = "The pump runs at 2.5 V.\n\nThe cafeteria opens at eight.\n\nThe fan is quiet."
RANKER = QuoteRanker(SharedWordsScorer())


def asked(question: str) -> AugmentedQuestion:
    return AugmentedQuestion(question=question, text=question, provenance=Provenance(implementation="test"))


async def test_the_part_that_fits_the_question_is_quoted_and_placed() -> None:
    found = [passage("a.pdf", 7, PUMP)]
    (quoted,) = await quote_closest(asked("When does the cafeteria open?"), found, RANKER, limit=3)
    assert (quoted.number, quoted.document_name, quoted.page) == (1, "a.pdf", 7)
    assert quoted.quote == "The cafeteria opens at eight."
    assert [PUMP[span.start : span.end] for span in quoted.quote_spans] == [quoted.quote]
    assert [box.top for box in quoted.boxes] == [120]


async def test_copies_are_quoted_once_and_never_more_than_asked_for() -> None:
    found: list[Passage] = [
        passage("a.pdf", 1, "The pump needs oil every week."),
        passage("b.pdf", 1, "The pump needs oil every week."),
        passage("c.pdf", 1, "The pump needs oil twice a day."),
        passage("d.pdf", 1, "Soup is served at noon."),
    ]
    quoted = await quote_closest(asked("How often does the pump need oil?"), found, RANKER, limit=2)
    assert len({each.quote for each in quoted}) == 2
    assert [each.number for each in quoted] == [1, 2]
