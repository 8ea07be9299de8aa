"""Markers, citations and boxes."""

from dataclasses import replace

import pytest

from agent.composing import boxes_of, compose
from contracts.text import PageBox, Span, TextBox
from contracts.verdicts import CitationLink, SentenceFaithfulness
from tests.agent.scripted import PASSAGES, passage
from tools.citation_marks import remove_marks

FAITHFUL = SentenceFaithfulness(label="faithful", probability=0.9)
UNFAITHFUL = SentenceFaithfulness(label="unfaithful", probability=0.1, reason="another number")


def link(sentence: int, passage_index: int, *places: int) -> CitationLink:
    return CitationLink(sentence=sentence, passage=passage_index, passage_sentences=places, score=1.0)


def test_a_marker_stands_before_the_final_mark(subtests: pytest.Subtests) -> None:
    for draft, text in [
        ("VPP is 2.5 V.", "VPP is 2.5 V [1]."),
        ("VPP is 2.5 V", "VPP is 2.5 V [1]"),
        ("Is it 2.5 V?!", "Is it 2.5 V [1]?!"),
        ("- VPP is 2.5 V.", "- VPP is 2.5 V [1]."),
        ("| VPP | 2.5 V |", "| VPP | 2.5 V [1] |"),
        ("電圧は2.5 Vです。", "電圧は2.5 Vです [1]。"),
    ]:
        with subtests.test(draft=draft):
            assert compose(draft, [link(0, 0, 1)], [FAITHFUL], PASSAGES, per_sentence=2).text == text


def test_no_marker_stands_in_code_that_is_copied() -> None:
    draft = "Run this:\n\n```\ndf -h /srv\n```\n\nIt shows the space."
    links = [link(each, 0, 1) for each in range(5)]
    composed = compose(draft, links, [FAITHFUL] * 5, PASSAGES, per_sentence=1)
    assert composed.text == "Run this: [1]\n\n```\ndf -h /srv\n```\n\nIt shows the space [1]."


def test_citations_are_numbered_in_order_of_appearance_and_not_repeated() -> None:
    draft = "One is so.  Two is so.\n\nThree is so."
    links = [link(0, 2, 0), link(1, 0, 1), link(1, 2, 0), link(1, 3, 0), link(2, 0, 1)]
    composed = compose(draft, links, [FAITHFUL, FAITHFUL, UNFAITHFUL], PASSAGES, per_sentence=2)
    assert composed.text == "One is so [1].  Two is so [1][2].\n\nThree is so [2] *(not supported by the sources)*."
    assert [citation.number for citation in composed.citations] == [1, 2]
    assert [citation.document_name for citation in composed.citations] == ["apps.pdf", "bus.pdf"]
    assert [sentence.citations for sentence in composed.sentences] == [(1,), (1, 2), (2,)]
    assert composed.sentences[2].reason == "another number"


def test_what_rests_on_nothing_is_not_called_faithful() -> None:
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


def test_the_page_is_that_of_the_quote() -> None:
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


def test_a_writers_own_markers_go_and_indexes_stay(subtests: pytest.Subtests) -> None:
    for written, clean in [
        ("VPP is 2.5 V [1].", "VPP is 2.5 V."),
        ("VPP is 2.5 V. [1][2] Next.", "VPP is 2.5 V. Next."),
        ("So [1, 3], and DQ[7] with addr[15:0].", "So, and DQ[7] with addr[15:0]."),
        ("No marker", "No marker"),
    ]:
        with subtests.test(written=written):
            assert remove_marks(written) == clean
