"""What the bot says in its own words."""

import pytest

from agent.dictionary_passages import dictionary_passages, entry_text
from agent.wording import closest_passages_text, escape, unescape, unknown_terms_text
from contracts.answer import Citation
from contracts.jargon import Mention, Reading, Sense
from contracts.text import Span


def unknown(term: str, *suggestions: str) -> Reading:
    mention = Mention(text=term, span=Span(0, len(term)), term=term)
    return Reading(mention=mention, status="unknown", suggestions=suggestions)


def test_terms_cannot_format_or_link() -> None:
    hostile = "[x](http://evil) <img src=x> `a` **b** _c_"
    text = unknown_terms_text([unknown(hostile)], [], "Ann")
    assert "[x](" not in text
    assert "\\<img" in text
    assert unescape(escape(hostile)) == hostile


def test_the_closest_passages_are_quoted_with_their_places() -> None:
    quote = "Part | [1] life\n\nA_1 | 2 years"
    place = {"document_id": "1", "document_name": "a_b.pdf", "document_title": "The *book*", "page": 4}
    closest = Citation(number=1, chunk_id="c", quote=quote, passage_text=quote, **place)
    text = closest_passages_text([closest], ["warranty"], "Ann")
    assert "[1] **a\\_b.pdf** (The \\*book\\*), page 4\n\n> Part \\| \\[1\\] life  \n> A\\_1 \\| 2 years\n" in text
    assert "**warranty**" in text
    assert "Ann" in text


def test_a_dictionary_entry_reads_as_sentences() -> None:
    sense = Sense(id=1, term="VPP", extended_name="Pump Voltage", description="Opens the word line", notes="2.5 V.")
    assert entry_text(sense) == "VPP stands for Pump Voltage. Opens the word line. 2.5 V."
    phrase = Sense(id=2, term="bad block", extended_name="Bad block", description="A block that fails")
    assert entry_text(phrase) == "bad block: A block that fails."
    mention = Mention(text="VPP", span=Span(0, 3), term="VPP")
    chosen = Reading(mention=mention, status="chosen", sense=sense)
    (entry,) = dictionary_passages("What does VPP stand for?", [chosen, chosen])
    assert entry.document_name == "dictionary"
    assert len(entry.sentences) == 3


def test_the_dictionary_answers_what_it_says_and_nothing_near_it(subtests: pytest.Subtests) -> None:
    for question, answered in [
        ("VPP?", True),
        ("What is VPP?", True),
        ("Can you explain to me what VPPs mean, please?", True),
        ("Which line does VPP open?", True),
        ("What is the VPP of DDR4?", False),
        ("What do we pay for VPP?", False),
        ("Who invented VPP?", False),
    ]:
        with subtests.test(question=question):
            sense = Sense(id=1, term="VPP", extended_name="Pump Voltage", description="Opens the word line")
            mention = Mention(text="VPPs" if "VPPs" in question else "VPP", span=Span(0, 3), term="VPP")
            chosen = Reading(mention=mention, status="chosen", sense=sense)
            assert bool(dictionary_passages(question, [chosen])) is answered
