"""Citations: their markers and boxes, the marks of the writer, and quotations of what comes closest."""

from dataclasses import replace

from agent.answer_assembly import boxes_of, compose
from agent.steps.passages import quote_closest
from contracts.provenance import Provenance
from contracts.question import AugmentedQuestion
from contracts.text import PageBox, Span, TextBox
from contracts.verdicts import CitationLink, SentenceFaithfulness
from tests.agent.scripted import PASSAGES, passage
from tests.tools.cross_encoder.scripted import OverlapScorer
from tools.reading.ranking import QuoteRanker

FAITHFUL = SentenceFaithfulness(label="faithful", probability=0.9)
UNFAITHFUL = SentenceFaithfulness(label="unfaithful", probability=0.1, reason="another number")


def link(sentence: int, passage_index: int, *places: int) -> CitationLink:
    return CitationLink(sentence=sentence, passage=passage_index, passage_sentences=places, score=1.0)


def test_marker_is_placed_before_final_punctuation() -> None:
    expected = {
        "VPP is 2.5 V.": "VPP is 2.5 V [1].",
        "VPP is 2.5 V": "VPP is 2.5 V [1]",
        "Is it 2.5 V?!": "Is it 2.5 V [1]?!",
        "- VPP is 2.5 V.": "- VPP is 2.5 V [1].",
        "| VPP | 2.5 V |": "| VPP | 2.5 V [1] |",
        "電圧は2.5 Vです。": "電圧は2.5 Vです [1]。",
    }
    assert {
        draft: compose(draft, [link(0, 0, 1)], [FAITHFUL], PASSAGES, per_sentence=2).text for draft in expected
    } == expected


def test_copied_code_contains_no_marker_and_shares_the_citation_of_the_sentence_above() -> None:
    draft = "Run this:\n\n```\ndf -h /srv\n```\n\nIt shows the space."
    links = [link(each, 0, 1) for each in range(5)]
    composed = compose(draft, links, [FAITHFUL] * 5, PASSAGES, per_sentence=1)
    assert composed.text == "Run this: [1]\n\n```\ndf -h /srv\n```\n\nIt shows the space [1]."
    draft = "Run this:\n\n```\ncd /srv\ndf -h\nexit\n```\n\nIt shows the space."
    # Sentences 1 and 5 are the fences; the last line is from another passage.
    links = [link(0, 0, 0), link(2, 0, 1), link(3, 0, 2), link(4, 2, 0), link(6, 2, 1)]
    composed = compose(draft, links, [FAITHFUL] * 7, PASSAGES, per_sentence=1)
    assert [each.citations for each in composed.sentences] == [(1,), (), (1,), (1,), (2,), (), (3,)]
    assert composed.text.endswith("It shows the space [3].")
    # An introduction without a source does not take one from its code.
    composed = compose(draft, links[1:3], [FAITHFUL] * 7, PASSAGES, per_sentence=1)
    assert [each.citations for each in composed.sentences] == [(), (), (1,), (1,), (), (), ()]


def test_citations_are_numbered_in_order_of_appearance_and_not_repeated() -> None:
    draft = "One is so.  Two is so.\n\nThree is so."
    links = [link(0, 2, 0), link(1, 0, 1), link(1, 2, 0), link(1, 3, 0), link(2, 0, 1)]
    composed = compose(draft, links, [FAITHFUL, FAITHFUL, UNFAITHFUL], PASSAGES, per_sentence=2)
    assert composed.text == "One is so [1].  Two is so [1][2].\n\nThree is so [2] *(not supported by the sources)*."
    assert [citation.number for citation in composed.citations] == [1, 2]
    assert [citation.document_name for citation in composed.citations] == ["apps.pdf", "bus.pdf"]
    assert [sentence.citations for sentence in composed.sentences] == [(1,), (1, 2), (2,)]
    assert composed.sentences[2].reason == "another number"
    # A sentence without a citation is not called faithful.
    composed = compose("One is so. Two is so.", [link(0, 2, 0)], [FAITHFUL, FAITHFUL], PASSAGES, per_sentence=2)
    assert [sentence.label for sentence in composed.sentences] == ["faithful", "partial"]
    assert [bool(sentence.reason) for sentence in composed.sentences] == [False, True]


def test_a_quote_is_the_exact_text_with_its_boxes() -> None:
    text = "First here. Second here. Third here."
    passages = [passage("a.pdf", 7, text)]
    (citation,) = compose("X.", [link(0, 0, 2, 0)], [FAITHFUL], passages, per_sentence=1).citations
    assert citation.quote == "First here. … Third here."
    assert [text[span.start : span.end] for span in citation.quote_spans] == ["First here.", "Third here."]
    assert [box.top for box in citation.boxes] == [100, 140]
    (joined,) = compose("X.", [link(0, 0, 0, 1)], [FAITHFUL], passages, per_sentence=1).citations
    assert joined.quote == "First here. Second here."
    (whole,) = compose("X.", [link(0, 0)], [FAITHFUL], passages, per_sentence=1).citations
    assert whole.quote == text
    # The page of a citation is that of its quote.
    text = "On three. On four."
    boxes = (
        TextBox(span=Span(0, 9), box=PageBox(page=3, x0=1, top=700, x1=99, bottom=710)),
        TextBox(span=Span(10, 18), box=PageBox(page=4, x0=1, top=10, x1=99, bottom=20)),
    )
    base = passage("a.pdf", 3, text)
    moved = replace(base, chunk=replace(base.chunk, last_page=4, boxes=boxes))
    (citation,) = compose("X.", [link(0, 0, 1)], [FAITHFUL], [moved], per_sentence=1).citations
    assert citation.page == 4


def test_words_of_one_line_are_one_box_and_columns_stay_apart() -> None:
    def word(start: int, x0: float, top: float) -> TextBox:
        return TextBox(span=Span(start, start + 4), box=PageBox(page=1, x0=x0, top=top, x1=x0 + 30, bottom=top + 10))

    words = (word(0, 10, 50), word(5, 44, 51), word(10, 300, 50), word(15, 10, 62))
    chunk = replace(passage("a.pdf", 1, "aaaa bbbb cccc dddd").chunk, boxes=words)
    boxes = boxes_of(chunk, [Span(0, 19)])
    assert [(box.x0, box.x1) for box in boxes] == [(10, 74), (300, 330), (10, 40)]
    assert boxes_of(chunk, [Span(5, 9)])[0].x0 == 44


PUMP = "The pump runs at 2.5 V.\n\nThe cafeteria opens at eight.\n\nThe fan is quiet."
RANKER = QuoteRanker(OverlapScorer())


def asked(question: str) -> AugmentedQuestion:
    return AugmentedQuestion(question=question, text=question, provenance=Provenance(implementation="test"))


async def test_part_that_matches_the_question_is_quoted_with_its_place() -> None:
    found = [passage("a.pdf", 7, PUMP)]
    (quoted,) = await quote_closest(asked("When does the cafeteria open?"), found, RANKER, limit=3)
    assert (quoted.number, quoted.document_name, quoted.page) == (1, "a.pdf", 7)
    assert quoted.quote == "The cafeteria opens at eight."
    assert [PUMP[span.start : span.end] for span in quoted.quote_spans] == [quoted.quote]
    assert [box.top for box in quoted.boxes] == [120]
    # Duplicates are quoted once, up to the limit.
    found = [
        passage("a.pdf", 1, "The pump needs oil every week."),
        passage("b.pdf", 1, "The pump needs oil every week."),
        passage("c.pdf", 1, "The pump needs oil twice a day."),
        passage("d.pdf", 1, "Soup is served at noon."),
    ]
    both = await quote_closest(asked("How often does the pump need oil?"), found, RANKER, limit=2)
    assert len({each.quote for each in both}) == 2
    assert [each.number for each in both] == [1, 2]
